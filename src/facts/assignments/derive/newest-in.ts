import type { EventTypeId } from '../../../catalogue/event-types.ts'
import type { TimeRange } from '../../../model/time-range.ts'
import type { LatestValue, LatestValues } from '../../latest-values/derive/latest-values.ts'

/** What is known of a vehicle's latest values from those of a dongle in all its vehicles. */
interface KnownNewest {
  readonly known: LatestValues
  /** Types that the dongle measured after some of the spans: their newest value in these must be looked up. */
  readonly unknown: readonly EventTypeId[]
}

/**
 * The newest values within some spans as far as the newest values of all times tell them: one that lies within the
 * last span that begins before it is the newest there, and a type that was not measured since the spans began has none.
 * @param newest of a dongle, in whatever vehicle
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

/** Of every type the newest of several latest values. */
export function newestOf(all: readonly LatestValues[]): Map<EventTypeId, LatestValue> {
  const newest = new Map<EventTypeId, LatestValue>()
  for (const type of new Set(all.flatMap(values => [...values.keys()]))) {
    const value = newestOfType(all, type)
    if (value) newest.set(type, value)
  }
  return newest
}

/** Of one type the newest of several latest values; of equal times the first. */
export function newestOfType(all: Iterable<LatestValues>, type: EventTypeId): LatestValue | undefined {
  let newest: LatestValue | undefined
  for (const values of all) {
    const value = values.get(type)
    if (value && (!newest || value.timeMs > newest.timeMs)) newest = value
  }
  return newest
}
