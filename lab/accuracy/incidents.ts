import type { RuleKindName } from '../../src/catalogue/rule-kinds/index.ts'
import type { IncidentItem } from '../../src/derive/incidents/detector.ts'
import { type IncidentsState, incidentsPart } from '../../src/derive/incidents/incidents-fold.ts'
import type { RuleBook, RuleVersion } from '../../src/derive/rules/rule-book.ts'
import type { WeeklyHours } from '../../src/derive/rules/weekly-hours.ts'
import { byClock } from '../../src/model/dongle-clock.ts'
import type { DeviceId } from '../../src/model/sample.ts'
import { DISTURBANCES } from '../simulation/disturbances/all-disturbances.ts'
import { disturb } from '../simulation/disturbances/disturbance.ts'
import { happenings } from '../simulation/happenings/all-happenings.ts'
import { drainedIn, withDrained } from '../simulation/happenings/drained.ts'
import type { KindOfDongle } from '../simulation/kinds-of-dongles.ts'
import { randomRecording } from '../simulation/random-recording.ts'
import { type Recording, samplesOf } from '../simulation/recording.ts'
import { compareIncidents, type IncidentComparison } from './compare-incidents.ts'
import { comparedRules } from './compared-rules.ts'
import type { Asked, TrueIncident } from './true-incident.ts'
import { trueIncidents } from './true-incidents.ts'

/** Which drives are measured. */
interface IncidentWishes {
  readonly kind: KindOfDongle
  /** Seconds between two records. */
  readonly cadenceS: number
  readonly isDisturbed: boolean
  readonly devices: number
  readonly seed: number
}

/** How well incidents of a kind are found. */
interface IncidentScore extends Omit<IncidentComparison, 'missed' | 'invented'> {
  /** For finding the reason: the number of the device, and when. */
  readonly missed: readonly (readonly [device: number, TrueIncident])[]
  readonly invented: readonly (readonly [device: number, IncidentItem])[]
}

const START_MS = Date.UTC(2026, 2, 2, 5)
const FIRST_IMEI = 357_302_081_000_000
const DRIVES = 14
const RADIUS_M = 350
const ALWAYS = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

/** Folds what dongles record with a rule of each kind for which the truth is known, and compares. */
export function measureIncidents(wishes: IncidentWishes): ReadonlyMap<RuleKindName, IncidentScore> {
  const scores = new Map<RuleKindName, IncidentScore>()
  for (let device = 0; device < wishes.devices; device++) {
    const { recording, undisturbed } = recordingOf(wishes, device)
    const asked = askedOf(undisturbed)
    const truth = trueIncidents(recording, undisturbed, asked)
    const found = foundIn(recording, bookOf(asked))
    for (const { kind } of comparedRules(asked)) {
      const { missed, invented, ...counts } = compareIncidents(kind, truth, found, wishes.cadenceS * 1000)
      const before = scores.get(kind) ?? { sure: 0, matched: 0, found: 0, right: 0, missed: [], invented: [] }
      scores.set(kind, {
        sure: before.sure + counts.sure,
        matched: before.matched + counts.matched,
        found: before.found + counts.found,
        right: before.right + counts.right,
        missed: [...before.missed, ...missed.map(each => [device, each] as const)],
        invented: [...before.invented, ...invented.map(item => [device, item] as const)],
      })
    }
  }
  return scores
}

function recordingOf({ kind, cadenceS, isDisturbed, seed }: IncidentWishes, device: number) {
  const plain = randomRecording({
    deviceId: (FIRST_IMEI + device) as DeviceId,
    kind: { ...kind.kind, fixS: cadenceS },
    fromMs: START_MS,
    drivesByCar: [DRIVES],
    seed: seed * 1000 + device,
    ...(kind.isHybrid && { isHybrid: true }),
  })
  const happened = disturb(plain, happenings(1), seed * 77 + device)
  const drained = drainedIn(happened, seed * 79 + device, 1)
  const undisturbed = withDrained(happened, drained)
  if (!isDisturbed) return { recording: undisturbed, undisturbed }
  const disturbed = disturb(happened, Object.values(DISTURBANCES), seed * 1000 + device)
  return { recording: withDrained(disturbed, drained), undisturbed }
}

/** Areas around where some drives end. */
function askedOf({ truth }: Recording): Asked {
  const ends = truth.trips.filter((_, index) => index % 3 === 0).map(({ endPosition }) => endPosition)
  return {
    limitKmh: 70,
    areas: ends.map(center => ({ center, radiusM: RADIUS_M })),
    permittedHours: [6, 18],
  }
}

function bookOf(asked: Asked): RuleBook {
  const rules = comparedRules(asked).map(
    ({ kind, parameters, permittedHours }, index): RuleVersion => ({
      ...ALWAYS,
      ruleId: index + 1,
      version: 1,
      kind,
      parameters,
      severity: 'warning',
      vehicleIds: null,
      hours: permittedHours && weeklyHours(permittedHours),
    }),
  )
  return {
    rules,
    areas: asked.areas.map(({ center: { lon, lat }, radiusM }, index) => ({
      ...ALWAYS,
      areaId: index + 1,
      version: 1,
      shape: { type: 'circle', center: [lon, lat], radiusM },
    })),
  }
}

function weeklyHours([fromHour, toHour]: Asked['permittedHours']): WeeklyHours {
  const day = [{ fromMinute: fromHour * 60, toMinute: toHour * 60 }]
  return { timeZone: 'UTC', days: Array.from({ length: 7 }, () => day) }
}

function foundIn(recording: Recording, book: RuleBook): IncidentItem[] {
  const part = incidentsPart({ assignments: [{ ...ALWAYS, vehicleId: 1, book }] })
  let state: IncidentsState | null = null
  const found: IncidentItem[] = []
  const samples = samplesOf(recording)
  // What a dongle stamps with a time of 1024 weeks ago is set apart when it arrives, as in the service.
  for (const sample of byClock(samples, samples.at(-1)?.timeMs ?? 0).samples) {
    const stepped = part.step(state, sample)
    state = stepped.state
    found.push(...stepped.done)
  }
  return [...found, ...part.goingOn(state)]
}
