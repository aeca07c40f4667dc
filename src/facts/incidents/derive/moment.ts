import type { Sample } from '../../../model/sample.ts'
import type { Motion } from '../../trips/derive/evidence.ts'
import { type Reading, readingOf } from '../../trips/derive/reading.ts'
import { type Situation, situationAfter } from './situation.ts'

/** A sample in its context: worked out once and shared by all rules. */
export interface Moment {
  readonly timeMs: number
  /** With the events of its own. */
  readonly sample: Sample
  readonly reading: Reading
  /** What was known before; null at the first sample under any rule, or in another car. */
  readonly before: Situation | null
  readonly now: Situation
  readonly motion: Motion
  /** The sample has a fix, and it is believed: `now.place`. */
  readonly isFixBelieved: boolean
}

export function momentOf(before: Situation | null, sample: Sample): Moment {
  const reading = readingOf(sample)
  const { situation: now, motion, isFixBelieved } = situationAfter(before, sample, reading)
  return { timeMs: sample.timeMs, sample, reading, before, now, motion, isFixBelieved }
}

/** The time since the sample before; undefined at the first one. */
export function sinceBeforeMs({ before, timeMs }: Moment): number | undefined {
  return before ? timeMs - before.lastMs : undefined
}
