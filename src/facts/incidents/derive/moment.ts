import type { AreaIndex, NearbyArea } from '../../../model/areas/area-index.ts'
import type { Sample } from '../../../model/sample.ts'
import { SampleLayout } from '../../../model/sample-layout.ts'
import type { Motion } from '../../trips/derive/evidence.ts'
import { type Reading, readingOf } from '../../trips/derive/reading.ts'
import type { AreaVersion } from './rule-book.ts'
import { type Situation, situationAfter } from './situation.ts'

/** A sample in its context: worked out once and shared by all rules. */
export interface Moment {
  readonly timeMs: number
  /** With the events of its own. */
  readonly sample: Sample
  readonly layout: SampleLayout
  readonly reading: Reading
  /** What was known before; null at the first sample under any rule, or in another car. */
  readonly before: Situation | null
  readonly now: Situation
  readonly motion: Motion
  /** The sample has a fix, and it is believed: `now.place`. */
  readonly isFixBelieved: boolean
  /** Areas that some rule names and that hold the believed fix, or nearly so; empty without such a fix. */
  readonly near: readonly NearbyArea<AreaVersion>[]
}

const NOWHERE: Moment['near'] = []

/** @param areas undefined if no rule names any */
export function momentOf(before: Situation | null, sample: Sample, areas: AreaIndex<AreaVersion> | undefined): Moment {
  const reading = readingOf(sample)
  const layout = SampleLayout.of(sample.types)
  const { situation: now, motion, isFixBelieved } = situationAfter(before, sample, layout, reading)
  const near = areas && isFixBelieved && now.place ? areas.near(now.place.lon, now.place.lat) : NOWHERE
  return { timeMs: sample.timeMs, sample, layout, reading, before, now, motion, isFixBelieved, near }
}

/** The time since the sample before; undefined at the first one. */
export function sinceBeforeMs({ before, timeMs }: Moment): number | undefined {
  return before ? timeMs - before.lastMs : undefined
}
