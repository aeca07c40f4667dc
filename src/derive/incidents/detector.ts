import type { EventTypeId } from '../../catalogue/event-types.ts'
import type { RuleKindName, Severity } from '../../catalogue/rule-kinds/index.ts'
import type { AreaIndex, NearbyArea } from '../../model/areas/area-index.ts'
import { type Sample, SampleLayout } from '../../model/sample.ts'
import type { Json } from '../fold-part.ts'
import type { AreaVersion, RuleVersion } from '../rules/rule-book.ts'
import { type Motion, type Reading, readingOf } from '../trips/reading.ts'
import { LONGEST_SILENCE_MS } from '../trips/rules.ts'
import { type CarState, carStateAfter } from './car-state.ts'

/** Finds what one rule asks for. Pure: a step depends on state and sample alone. States are plain JSON, stored as they
 * are: equal ones must have their fields in the same order. */
export interface Detector<State extends Json> {
  /** Only samples with one of these types begin something; undefined: any. Besides
   * `CAR_STATE_TYPES` it reads no others. */
  readonly types: readonly EventTypeId[] | undefined
  /** Anything that goes on ends with the last sample before a longer silence. */
  readonly longestGapMs: number
  /** It also looks at samples of a dongle out of its socket. */
  readonly isOfDongle?: boolean
  /** What goes on does not end when the dongle is pulled out. */
  readonly outlastsSocket?: boolean
  step(state: State | null, observation: Observation): Stepped<State>
  /** Findings that later samples may change. */
  goingOn(state: State): readonly Finding[]
  /** The findings of a state that ends with the last sample. */
  end(state: State, last: CarState): readonly Finding[]
  /** Findings if nothing came until an instant; only of kinds about silence. */
  silent?(state: State, nowMs: number): readonly Finding[]
}

/** A kind of rule makes a detector of each rule. */
export type KindOfRule = (rule: RuleVersion) => Detector<Json>

/** A detector that steps only through states that it made itself. */
export function detector<State extends Json>(of: Detector<State>): Detector<Json> {
  return of
}

/** The result of a step: null while nothing is going on, and findings that later samples cannot change. */
export interface Stepped<State extends Json> {
  readonly state: State | null
  readonly done: readonly Finding[]
}

/** Nothing is going on, and nothing was found. */
export const NOTHING: Stepped<never> = { state: null, done: [] }

export function goesOn<State extends Json>(state: State): Stepped<State> {
  return { state, done: NOTHING.done }
}

/** An interval that a rule found. A rule has at most one of the same start, area and detail. */
export type Finding = {
  readonly startMs: number
  /** null while it goes on; equal to `startMs` where it was an instant. */
  readonly endMs: number | null
  /** The greatest value, or the least of what was too low, in the unit of the kind; null where there is none. */
  readonly peak: number | null
  readonly peakMs: number | null
  /** Where the car was believed to be, in degrees; null where nobody knows. */
  readonly startLongitude: number | null
  readonly startLatitude: number | null
  readonly endLongitude: number | null
  readonly endLatitude: number | null
  readonly areaId: number | null
  /** Distinguishes it from others of the same start: a trouble code, for example. */
  readonly detail: string | null
}

/** A finding that goes on, of which nothing but its start is known yet. */
export const UNKNOWN_FINDING: Omit<Finding, 'startMs'> = {
  endMs: null,
  peak: null,
  peakMs: null,
  startLongitude: null,
  startLatitude: null,
  endLongitude: null,
  endLatitude: null,
  areaId: null,
  detail: null,
}

/** A finding, and the rule that found it: it becomes an incident. */
export type IncidentItem = Finding & {
  readonly ruleId: number
  readonly ruleVersion: number
  readonly kind: RuleKindName
  readonly severity: Severity
  /** The dongle knew the odometer of the car: of two dongles that report one event, it measures better. */
  readonly hasOdometer: boolean
}

/** Distinguishes an incident from others of its dongle within a fold: a car has at most one dongle of that id. */
export function incidentKey({
  ruleId,
  startMs,
  areaId,
  detail,
}: Pick<IncidentItem, 'ruleId' | 'startMs' | 'areaId' | 'detail'>): string {
  return `${ruleId} ${startMs} ${areaId ?? 0} ${detail ?? ''}`
}

const MINUTE_MS = 60_000

/** Dongles that report every five minutes lose a record at times; after three times that nobody knows what the driver did. */
export const LONGEST_DRIVING_GAP_MS = 15 * MINUTE_MS
/** A car may be believed to stand as it did for as long as trips believe that it drives. */
export const LONGEST_STANDING_GAP_MS = LONGEST_SILENCE_MS
/** A parked dongle sleeps, and reports once a day at least. */
export const LONGEST_PARKED_GAP_MS = 36 * 60 * MINUTE_MS
/** Over a longer silence nobody compares levels: cars stand through holidays, and a clock that is wrong is wrong by months. */
export const LONGEST_UNUSED_GAP_MS = 30 * 24 * 60 * MINUTE_MS
/** A value that the car itself reports holds until it reports another one, however long nobody asks. */
export const ANY_GAP_MS = Number.MAX_SAFE_INTEGER

/** A sample in its context, worked out once for all rules. */
export interface Observation {
  readonly timeMs: number
  readonly sample: Sample
  readonly layout: SampleLayout
  readonly reading: Reading
  /** The state of the car before; null at the first sample under any rule, or in another car. */
  readonly before: CarState | null
  readonly now: CarState
  readonly motion: Motion
  /** The sample has a fix, and it is believed: `now.place`. */
  readonly isFixBelieved: boolean
  /** Areas that some rule names and that contain the believed fix, or nearly so; empty without such a fix. */
  readonly near: readonly NearbyArea<AreaVersion>[]
}

/** @param areas undefined if no rule names any */
export function observe(
  before: CarState | null,
  sample: Sample,
  areas: AreaIndex<AreaVersion> | undefined,
): Observation {
  const { timeMs } = sample
  const layout = SampleLayout.of(sample.types)
  const reading = readingOf(sample)
  const { car: now, motion } = carStateAfter(before, { sample, layout, reading })
  const { place } = now
  const isFixBelieved = reading.position !== undefined && place !== null && place.timeMs === timeMs
  const near = areas && isFixBelieved ? areas.near(place.lon, place.lat) : NOWHERE
  return { timeMs, sample, layout, reading, before, now, motion, isFixBelieved, near }
}

const NOWHERE: Observation['near'] = []

/** The time since the sample before; undefined at the first one. */
export function sinceBeforeMs({ before, timeMs }: Observation): number | undefined {
  return before ? timeMs - before.lastMs : undefined
}

/** Ignition and engine are off, and the control units say nothing of a car that drives: if it moves, nobody drives it. */
export function isAsleep({ now, reading }: Observation): boolean {
  if (now.isIgnitionOn === true || now.isEngineOn === true) return false
  if (now.isIgnitionOn === null && now.isEngineOn === null) return false
  return reading.vehicleSpeedKmh === undefined || reading.vehicleSpeedKmh === 0
}
