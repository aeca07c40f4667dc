import type { EventTypeId } from '../../../catalogue/event-types.ts'
import type { TimeRange } from '../../../model/time-range.ts'
import type { LatestValue, LatestValues } from '../../latest-values/derive/latest-values.ts'

/** What the latest values of a dongle, in all of its vehicles, say about those in one of them. */
interface KnownNewest {
  readonly known: LatestValues
  /** Types that the dongle measured again after one of the spans: their newest values within the spans must be looked up. */
  readonly unknown: readonly EventTypeId[]
}

/**
 * The newest values within some spans, as far as they follow from the newest values overall. A newest value that lies within the
 * last span that begins before it is also the newest of the spans. A type that was not measured since the spans began has none.
 * @param newest of a dongle, in any vehicle
 */
export function newestIn(newest: LatestValues, spans: readonly TimeRange[]): KnownNewest {
  const known = new Map<EventTypeId, LatestValue>()
  const unknown: EventTypeId[] = []
  for (const [type, value] of newest) {
    const begun = spans.filter(({ fromMs }) => fromMs <= value.timeMs)
    if (begun.some(({ toMs }) => value.timeMs < toMs)) known.set(type, value)
    else if (begun.length > 0) unknown.push(type)
  }
  return { known, unknown }
}

/** The newest of several latest values, for every type. */
export function newestOf(all: readonly LatestValues[]): Map<EventTypeId, LatestValue> {
  const newest = new Map<EventTypeId, LatestValue>()
  for (const type of new Set(all.flatMap(values => [...values.keys()]))) {
    const value = newestOfType(all, type)
    if (value) newest.set(type, value)
  }
  return newest
}

/** The newest of several latest values of one type; of equal times, the first. */
export function newestOfType(all: Iterable<LatestValues>, type: EventTypeId): LatestValue | undefined {
  let newest: LatestValue | undefined
  for (const values of all) {
    const value = values.get(type)
    if (value && (!newest || value.timeMs > newest.timeMs)) newest = value
  }
  return newest
}
