import type { AreaIndex, NearbyArea } from '../../../model/areas/area-index.ts'
import { type Sample, SampleLayout } from '../../../model/sample.ts'
import type { Motion } from '../../trips/derive/evidence.ts'
import { type LiveReading, type Reading, readInto, readingOf } from '../../trips/derive/reading.ts'
import type { AreaVersion } from './rule-book.ts'
import { LiveSituation, type Situation, writeSituation } from './situation.ts'

/** A sample in its context: worked out once and shared by all rules. What it knows is written over with the sample after the next. */
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

type LiveMoment = { -readonly [Field in keyof Moment]: Moment[Field] }

const NOWHERE: Moment['near'] = []

/** The moments of samples, one after the other, in two situations that take turns. */
export class Moments {
  readonly #situations: readonly [LiveSituation, LiveSituation] = [new LiveSituation(), new LiveSituation()]
  #last: LiveMoment | undefined
  #reading: LiveReading | undefined
  #isSecond = false
  #known: Situation | null

  /** @param known before the first sample */
  constructor(known: Situation | null) {
    this.#known = known
  }

  /** What is known after the last sample; it is written over with the one after the next. */
  get known(): Situation | null {
    return this.#known
  }

  /** @param areas undefined if no rule names any */
  next(sample: Sample, areas: AreaIndex<AreaVersion> | undefined): Moment {
    const before = this.#known
    const now = this.#situations[this.#isSecond ? 1 : 0]
    this.#isSecond = !this.#isSecond
    const { timeMs } = sample
    const layout = SampleLayout.of(sample.types)
    const reading = (this.#reading = this.#reading ? readInto(this.#reading, sample, layout) : readingOf(sample))
    const motion = writeSituation(now, before, sample, layout, reading)
    this.#known = now
    const { place } = now
    const isFixBelieved = reading.position !== undefined && place !== null && place.timeMs === timeMs
    const near = areas && isFixBelieved ? areas.near(place.lon, place.lat) : NOWHERE
    const last = this.#last
    if (!last) return (this.#last = { timeMs, sample, layout, reading, before, now, motion, isFixBelieved, near })
    last.timeMs = timeMs
    last.sample = sample
    last.layout = layout
    last.reading = reading
    last.before = before
    last.now = now
    last.motion = motion
    last.isFixBelieved = isFixBelieved
    last.near = near
    return last
  }
}

/** The time since the sample before; undefined at the first one. */
export function sinceBeforeMs({ before, timeMs }: Moment): number | undefined {
  return before ? timeMs - before.lastMs : undefined
}
