import { type ParameterValue, RULE_KINDS, type RuleKindName } from '../../src/catalogue/rule-kinds/index.ts'
import { DAY_MS } from '../simulation/fleet/car-day.ts'
import { disturbedDay, dongleDays } from '../simulation/fleet/dongle-day.ts'
import type { VirtualCar, VirtualDongle } from '../simulation/fleet/virtual-fleet.ts'
import type { Recording } from '../simulation/recording.ts'
import { type Asked, type TrueIncident, trueIncidents } from './true-incidents.ts'

interface FoundIncident {
  readonly kind: string
  readonly startMs: number
  readonly endMs: number | null
}

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

/** Those that ended after `afterMs` up to `untilMs`; not sure are those cut by the begin or the end of the dongle. */
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
