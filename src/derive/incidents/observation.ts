import type { AreaIndex, NearbyArea } from '../../model/areas/area-index.ts'
import type { Sample } from '../../model/sample.ts'
import { SampleLayout } from '../../model/sample.ts'
import type { AreaVersion } from '../rules/rule-book.ts'
import { type Motion, type Reading, readingOf } from '../trips/reading.ts'
import { type CarState, carStateAfter } from './car-state.ts'

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
