import type { EventTypeId } from '../../catalogue/event-types.ts'
import type { LatestValue, LatestValues } from '../latest-values.ts'

/** A stretch of time in milliseconds, `toMs` exclusive; infinite where open. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** What is known of a vehicle's latest values from those of a dongle in all its vehicles. */
export interface KnownNewest {
  readonly known: LatestValues
  /** Types that the dongle measured after some of the spans: their newest value in these must be looked up. */
  readonly unknown: readonly EventTypeId[]
}

/**
 * The newest values within some spans as far as the newest values of all times tell them: one that lies within the
 * last span that begins before it is the newest there, and a type that was not measured since the spans began has none.
 * @param newest of a dongle, in whatever vehicle
 */
export function newestIn(newest: LatestValues, spans: readonly Span[]): KnownNewest {
  const known = new Map<EventTypeId, LatestValue>()
  const unknown: EventTypeId[] = []
  for (const [type, value] of newest) {
    const begun = spans.filter(({ fromMs }) => fromMs <= value.timeMs)
    if (begun.some(({ toMs }) => value.timeMs < toMs)) known.set(type, value)
    else if (begun.length > 0) unknown.push(type)
  }
  return { known, unknown }
}

/** Of several latest values of every type the newest. */
export function newestOf(all: Iterable<LatestValues>): Map<EventTypeId, LatestValue> {
  const newest = new Map<EventTypeId, LatestValue>()
  for (const values of all)
    for (const [type, value] of values) {
      const other = newest.get(type)
      if (!other || value.timeMs > other.timeMs) newest.set(type, value)
    }
  return newest
}
