import { expect, it } from 'vitest'
import { comparedRules, compareIncidents } from '../lab/accuracy/incidents.ts'
import { type Asked, trueIncidents } from '../lab/accuracy/true-incidents.ts'
import { DISTURBANCES } from '../lab/simulation/disturbances/all-disturbances.ts'
import { disturb } from '../lab/simulation/disturbances/disturbance.ts'
import { type KindOfDongle, kindNamed } from '../lab/simulation/kinds-of-dongles.ts'
import { randomRecording } from '../lab/simulation/random-recording.ts'
import { type Recording, samplesOf } from '../lab/simulation/recording.ts'
import { drainedIn, happenings, withDrained } from '../lab/simulation/scenarios.ts'
import type { RuleKindName } from '../src/catalogue/rule-kinds/index.ts'
import type { IncidentItem } from '../src/derive/incidents/detector.ts'
import { type IncidentsState, incidentsPart } from '../src/derive/incidents/incidents-fold.ts'
import type { RuleBook, RuleVersion } from '../src/derive/rules/rule-book.ts'
import type { WeeklyHours } from '../src/derive/rules/weekly-hours.ts'
import { byClock } from '../src/model/dongle-clock.ts'
import type { DeviceId } from '../src/model/sample.ts'
import { deep } from './deep.ts'

const DEVICES = deep(5)

/** Of so few, one more or less is more than the share. */
const isHeld = (right: number, all: number, share: number) =>
  all - right <= Math.max(share === CLEAN ? 0 : 1, (1 - share) * all)

const CLEAN = 0.99
const DISTURBED = 0.95

it.each([
  ['everything', 10, false, 1],
  ['everything', 10, true, 1],
  ['everything', 10, true, 2],
  ['everything', 60, true, 1],
  ['ignition-positions', 60, false, 1],
] as const)(
  'incidents of simulated cars are found, and no others: %s every %i s, disturbed %s, drives %i',
  (name, cadenceS, isDisturbed, seed) => {
    const share = isDisturbed ? DISTURBED : CLEAN
    const scores = measureIncidents({ kind: kindNamed(name), cadenceS, isDisturbed, devices: DEVICES, seed })
    const figures = [...scores].map(([kind, counts]) => ({ kind, ...counts }))
    const broken = figures.filter(
      ({ sure, matched, found, right }) => !isHeld(matched, sure, share) || !isHeld(right, found, share),
    )
    expect(broken).toEqual([])
    expect(figures.reduce((sum, { sure }) => sum + sure, 0)).toBeGreaterThan(DEVICES * 15)
  },
)

/** Which drives are measured. */
interface MeasuredDrives {
  readonly kind: KindOfDongle
  /** Seconds between two records. */
  readonly cadenceS: number
  readonly isDisturbed: boolean
  readonly devices: number
  readonly seed: number
}

/** How many incidents of a kind were certain, and were found; and how many of all that were found did happen. */
type Counts = Record<'sure' | 'matched' | 'found' | 'right', number>

const START_MS = Date.UTC(2026, 2, 2, 5)
const FIRST_IMEI = 357_302_081_000_000
const DRIVES = 14
const RADIUS_M = 350
const ALWAYS = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

/** Folds what dongles record with a rule of each kind for which the truth is known, and compares. */
function measureIncidents(drives: MeasuredDrives): ReadonlyMap<RuleKindName, Counts> {
  const scores = new Map<RuleKindName, Counts>()
  for (let device = 0; device < drives.devices; device++) {
    const { recording, undisturbed } = recordingOf(drives, device)
    const asked = askedOf(undisturbed)
    const truth = trueIncidents(recording, undisturbed, asked)
    const found = foundIn(recording, bookOf(asked))
    for (const { kind } of comparedRules(asked)) {
      const counts = compareIncidents(kind, truth, found, drives.cadenceS * 1000)
      const before = scores.get(kind) ?? { sure: 0, matched: 0, found: 0, right: 0 }
      scores.set(kind, {
        sure: before.sure + counts.sure,
        matched: before.matched + counts.matched,
        found: before.found + counts.found,
        right: before.right + counts.right,
      })
    }
  }
  return scores
}

function recordingOf({ kind, cadenceS, isDisturbed, seed }: MeasuredDrives, device: number) {
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
