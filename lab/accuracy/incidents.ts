import { type ParameterValue, RULE_KINDS, type RuleKindName } from '../../src/catalogue/rule-kinds/index.ts'
import type { IncidentItem } from '../../src/derive/incidents/detector.ts'
import { type IncidentsState, incidentsPart } from '../../src/derive/incidents/incidents-fold.ts'
import type { RuleBook, RuleVersion } from '../../src/derive/rules/rule-book.ts'
import type { WeeklyHours } from '../../src/derive/rules/weekly-hours.ts'
import { byClock } from '../../src/model/dongle-clock.ts'
import type { DeviceId } from '../../src/model/sample.ts'
import { DISTURBANCES } from '../simulation/disturbances/all-disturbances.ts'
import { disturb } from '../simulation/disturbances/disturbance.ts'
import { DAY_MS } from '../simulation/fleet/car-day.ts'
import { disturbedDay, dongleDays } from '../simulation/fleet/dongle-day.ts'
import type { VirtualCar, VirtualDongle } from '../simulation/fleet/virtual-fleet.ts'
import type { KindOfDongle } from '../simulation/kinds-of-dongles.ts'
import { randomRecording } from '../simulation/random-recording.ts'
import { type Recording, samplesOf } from '../simulation/recording.ts'
import { drainedIn, happenings, withDrained } from '../simulation/scenarios.ts'
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

/** An incident that a rule found; without an end it goes on. */
interface FoundIncident {
  readonly kind: string
  readonly startMs: number
  readonly endMs: number | null
}

/** What happened to one device against what was found, of one kind. */
interface IncidentComparison<Found extends FoundIncident = FoundIncident> {
  /** Those that the records show clearly, and how many of them were found. */
  readonly sure: number
  readonly matched: number
  /** All that were found, and how many of them happened. */
  readonly found: number
  readonly right: number
  readonly missed: readonly TrueIncident[]
  readonly invented: readonly Found[]
}

/** Both ends of what was found may be off by this much, or by one interval if that is longer. */
const TOLERANCE_MS = 60_000

/**
 * Found is what overlaps what happened, nearly at least; what the records do not show clearly need not be found, and may be.
 * @param everyMs from one record of the device to the next
 */
export function compareIncidents<Found extends FoundIncident>(
  kind: string,
  truth: readonly TrueIncident[],
  found: readonly Found[],
  everyMs: number,
): IncidentComparison<Found> {
  const slackMs = Math.max(TOLERANCE_MS, everyMs)
  const ofTruth = truth.filter(each => each.kind === kind)
  const ofFound = found.filter(each => each.kind === kind)
  const sure = ofTruth.filter(({ isSure }) => isSure)
  const missed = sure.filter(each => !ofFound.some(item => overlaps(each, item, slackMs)))
  const invented = ofFound.filter(item => !ofTruth.some(each => overlaps(each, item, slackMs)))
  return {
    sure: sure.length,
    matched: sure.length - missed.length,
    found: ofFound.length,
    right: ofFound.length - invented.length,
    missed,
    invented,
  }
}

function overlaps(truth: TrueIncident, { startMs, endMs }: FoundIncident, slackMs: number): boolean {
  return startMs <= truth.toMs + slackMs && (endMs ?? Number.POSITIVE_INFINITY) >= truth.fromMs - slackMs
}

/** A rule for which it is known what it should find. */
export interface ComparedRule {
  readonly kind: RuleKindName
  /** Parameters that differ from the defaults of the kind. */
  readonly parameters: Readonly<Record<string, ParameterValue>>
  /** Hours of each day, UTC, at which use is permitted; null where it does not matter. */
  readonly permittedHours: Asked['permittedHours'] | null
}

const COMPARED = [
  'SPEEDING',
  'AREA_ENTERED',
  'AREA_LEFT',
  'AREA_STAYED',
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

/** Whether a kind is about areas. */
export function namesAreas(kind: RuleKindName): boolean {
  return RULE_KINDS.some(({ name, parameters }) => name === kind && parameters.some(({ type }) => type === 'areas'))
}

/** A rule of each kind for which the truth is known; kinds about areas only if areas are given. */
export function comparedRules({ limitKmh, areas, permittedHours }: Asked): readonly ComparedRule[] {
  return COMPARED.filter(kind => !namesAreas(kind) || areas.length > 0).map(kind => ({
    kind,
    parameters: kind === 'SPEEDING' ? { limitKmh } : {},
    permittedHours: RULE_KINDS.find(({ name }) => name === kind)?.hours === 'permitted' ? permittedHours : null,
  }))
}

/** Values that take long to compute for thousands of cars. */
const MOST_AREAS = 4
const AREA_RADIUS_M = 350

/** What rules ask for of a virtual fleet: visits are those of the homes of some of its drivers. */
export function askedOfFleet(fleet: readonly VirtualDongle[]): Asked {
  const homes = fleet.slice(0, MOST_AREAS).map(({ cars: [car] }) => car.home)
  return {
    limitKmh: 110,
    areas: homes.map(center => ({ center, radiusM: AREA_RADIUS_M })),
    permittedHours: [6, 18],
  }
}

interface FleetIncident extends TrueIncident {
  readonly vin: string
}

interface SentTime {
  /** The dongle sends nothing from before this. */
  readonly fromMs: number
  /** It has sent everything up to this instant. */
  readonly toMs: number
}

/** Samples this long after an incident may still be needed to show it. */
const SHOWN_WITHIN_MS = 12 * 3_600_000

/** Up to when the incidents of a dongle are known that has sent everything up to `toMs`: the end of a day of its car. */
export function incidentsKnownUntilMs(dongle: VirtualDongle, fromMs: number, toMs: number): number {
  let untilMs = fromMs
  for (const { plan } of dongleDays(dongle, Math.max(fromMs, toMs - 3 * DAY_MS), toMs))
    if (plan.toMs <= toMs - SHOWN_WITHIN_MS) untilMs = Math.max(untilMs, plan.toMs)
  return untilMs
}

/**
 * What rules should find in what a dongle sent, of the incidents that ended after `afterMs` up to `untilMs`. Those that begin before
 * the dongle does, or still go on when it ends, need not be found.
 */
export function fleetIncidents(
  dongle: VirtualDongle,
  asked: Asked,
  sent: SentTime,
  afterMs: number,
  untilMs: number,
): FleetIncident[] {
  return staysBetween(dongle, Math.max(sent.fromMs, afterMs - DAY_MS), sent.toMs).flatMap(({ car, days }) => {
    const isSent = ({ takenMs }: { takenMs: number }) => sent.fromMs < takenMs && takenMs <= sent.toMs
    const whole = joined(days.map(({ recording }) => recording))
    const undisturbed = joined(days.map(day => day.undisturbed))
    const recording = { ...whole, readings: whole.readings.filter(isSent) }
    return trueIncidents(recording, undisturbed, asked)
      .map(each => ({ ...each, toMs: Math.min(each.toMs, sent.toMs), isCut: each.toMs > sent.toMs }))
      .filter(({ fromMs, toMs }) => fromMs < sent.toMs && afterMs < toMs && toMs <= untilMs)
      .map(({ kind, fromMs, toMs, isSure, isCut }) => ({
        kind,
        fromMs,
        toMs,
        isSure: isSure && !isCut && fromMs > sent.fromMs,
        vin: car.car.vin,
      }))
  })
}

interface Stay {
  readonly car: VirtualCar
  readonly days: { readonly recording: Recording; readonly undisturbed: Recording }[]
}

/** Days of a dongle in the same car. */
function staysBetween(dongle: VirtualDongle, fromMs: number, toMs: number): Stay[] {
  const stays: Stay[] = []
  for (const day of dongleDays(dongle, fromMs, toMs)) {
    const last = stays.at(-1)
    const worked = disturbedDay(dongle, day)
    if (last && !day.isFirst) last.days.push(worked)
    else stays.push({ car: day.virtualCar, days: [worked] })
  }
  return stays
}

function joined(recordings: readonly Recording[]): Recording {
  const [first] = recordings
  if (!first) throw new Error('a stay has at least a day')
  return {
    dongle: first.dongle,
    readings: recordings.flatMap(({ readings }) => readings),
    truth: {
      trips: recordings.flatMap(({ truth }) => truth.trips),
      stints: recordings.flatMap(({ truth }) => truth.stints),
      tows: recordings.flatMap(({ truth }) => truth.tows ?? []),
      happened: recordings.flatMap(({ truth }) => truth.happened ?? []),
    },
  }
}
