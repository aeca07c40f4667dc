import { type ParameterValue, RULE_KINDS, type RuleKindName } from '../../catalogue/rule-kinds/index.ts'
import type { IncidentItem } from '../../facts/incidents/derive/finding.ts'
import { incidentsPart } from '../../facts/incidents/derive/incidents-part.ts'
import type { RuleBook, RuleVersion } from '../../facts/incidents/derive/rule-book.ts'
import type { DeviceId } from '../../model/sample.ts'
import { DISTURBANCES } from '../simulation/disturbances/all-disturbances.ts'
import { disturb } from '../simulation/disturbances/disturbance.ts'
import { HAPPENINGS } from '../simulation/happenings/all-happenings.ts'
import { drainedIn, withDrained } from '../simulation/happenings/drained.ts'
import type { KindOfDongle } from '../simulation/kinds-of-dongles.ts'
import { randomRecording } from '../simulation/random-recording.ts'
import { type Recording, samplesOf } from '../simulation/recording.ts'
import { type Asked, type TrueIncident, trueIncidents } from './true-incidents.ts'

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
interface IncidentScore {
  /** Those that the records show clearly, and how many of them were found. */
  readonly sure: number
  readonly matched: number
  /** All that were found, and how many of them happened. */
  readonly found: number
  readonly right: number
  /** For whoever looks for the reason: the number of the device, and when. */
  readonly missed: readonly (readonly [device: number, TrueIncident])[]
  readonly invented: readonly (readonly [device: number, IncidentItem])[]
}

const START_MS = Date.UTC(2026, 2, 2, 5)
const FIRST_IMEI = 357_302_081_000_000
const DRIVES = 14
const RADIUS_M = 350
/** Both ends of what was found may be off by so much, or by an interval if that is longer. */
const TOLERANCE_MS = 60_000
const ALWAYS = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

/** Folds what dongles record with a rule of each kind of which the truth is known, and compares. */
export function measureIncidents(wishes: IncidentWishes): ReadonlyMap<RuleKindName, IncidentScore> {
  const scores = new Map<RuleKindName, IncidentScore>()
  for (let device = 0; device < wishes.devices; device++) {
    const { recording, undisturbed } = recordingOf(wishes, device)
    const asked = askedOf(undisturbed)
    const truth = trueIncidents(recording, undisturbed, asked)
    const found = foundIn(recording, bookOf(asked))
    const slackMs = Math.max(TOLERANCE_MS, wishes.cadenceS * 1000)
    for (const kind of COMPARED) {
      const ofTruth = truth.filter(each => each.kind === kind)
      const ofFound = found.filter(each => each.kind === kind)
      const sure = ofTruth.filter(({ isSure }) => isSure)
      const missed = sure.filter(each => !ofFound.some(item => overlaps(each, item, slackMs)))
      const invented = ofFound.filter(item => !ofTruth.some(each => overlaps(each, item, slackMs)))
      const before = scores.get(kind) ?? { sure: 0, matched: 0, found: 0, right: 0, missed: [], invented: [] }
      scores.set(kind, {
        sure: before.sure + sure.length,
        matched: before.matched + sure.length - missed.length,
        found: before.found + ofFound.length,
        right: before.right + ofFound.length - invented.length,
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
  const happened = disturb(plain, HAPPENINGS, seed * 77 + device)
  const drained = drainedIn(happened, seed * 79 + device)
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

const COMPARED = [
  'SPEEDING',
  'AREA_ENTERED',
  'USED_OUTSIDE_HOURS',
  'IDLING',
  'TOWED',
  'REFUELLED',
  'FUEL_LOST',
  'CHARGED',
  'LOW_BATTERY',
  'ENGINE_HOT',
  'TROUBLE_CODE',
  'CRASH',
  'HARSH_BRAKING',
] as const satisfies readonly RuleKindName[]

function bookOf({ limitKmh, areas, permittedHours: [fromHour, toHour] }: Asked): RuleBook {
  const parameters: Readonly<Record<string, Readonly<Record<string, ParameterValue>>>> = { SPEEDING: { limitKmh } }
  const day = [{ fromMinute: fromHour * 60, toMinute: toHour * 60 }]
  const hours = { timeZone: 'UTC', days: Array.from({ length: 7 }, () => day) }
  const rules = COMPARED.map(
    (kind, index): RuleVersion => ({
      ...ALWAYS,
      ruleId: index + 1,
      version: 1,
      kind,
      parameters: parameters[kind] ?? {},
      severity: 'warning',
      vehicleIds: null,
      hours: RULE_KINDS.find(({ name }) => name === kind)?.hours === 'permitted' ? hours : null,
    }),
  )
  return {
    rules,
    areas: areas.map(({ center: { lon, lat }, radiusM }, index) => ({
      ...ALWAYS,
      areaId: index + 1,
      version: 1,
      shape: { type: 'circle', center: [lon, lat], radiusM },
    })),
  }
}

function foundIn(recording: Recording, book: RuleBook): IncidentItem[] {
  const part = incidentsPart({ assignments: [{ ...ALWAYS, vehicleId: 1, book }] })
  let state = part.begin()
  const found: IncidentItem[] = []
  for (const sample of samplesOf(recording)) {
    const stepped = part.step(state, sample)
    state = stepped.state
    found.push(...stepped.done)
  }
  return [...found, ...part.goingOn(state)]
}

function overlaps(truth: TrueIncident, { startMs, endMs }: IncidentItem, slackMs: number): boolean {
  return startMs <= truth.toMs + slackMs && (endMs ?? Number.POSITIVE_INFINITY) >= truth.fromMs - slackMs
}
