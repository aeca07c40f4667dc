import type { EventTypeId } from '../../catalogue/event-types.ts'
import type { EventValue, Sample } from '../../model/sample.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { BATTERY_STATE, BATTERY_VOLTAGE, eventsWithBatteryState } from './battery-state.ts'

export interface LatestValue {
  readonly timeMs: number
  readonly value: EventValue
}

/** The newest value of every event type that a dongle measured in a vehicle. */
export type LatestValues = ReadonlyMap<EventTypeId, LatestValue>

/** The newest values after some samples, in any order, with battery states. At equal times the sample wins, because
 * stored data is already merged. @returns the very object `latest` when nothing changed */
export function withSamples(latest: LatestValues, samples: readonly Sample[]): LatestValues {
  let changed: Map<EventTypeId, LatestValue> | undefined
  const seen = new Set<EventTypeId>()
  // From the newest on: of most samples every type is known already, and nothing of them is unpacked.
  for (const sample of samples.toSorted((a, b) => b.timeMs - a.timeMs)) {
    if (isSeen(sample.types, seen)) continue
    for (const [type, value] of eventsWithBatteryState(sample)) {
      if (seen.has(type)) continue
      seen.add(type)
      const before = latest.get(type)
      if (before && !isNewer(before, sample.timeMs, value)) continue
      changed ??= new Map(latest)
      changed.set(type, { timeMs: sample.timeMs, value })
    }
  }
  return changed ?? latest
}

/** Not every voltage has a state. */
function isSeen(types: readonly EventTypeId[], seen: ReadonlySet<EventTypeId>): boolean {
  return types.every(type => seen.has(type)) && (seen.has(BATTERY_STATE.id) || !types.includes(BATTERY_VOLTAGE.id))
}

function isNewer(before: LatestValue, timeMs: number, value: EventValue): boolean {
  return timeMs > before.timeMs || (timeMs === before.timeMs && !sameValue(before.value, value))
}

function sameValue(a: EventValue, b: EventValue): boolean {
  if (typeof a === 'object' && typeof b === 'object') return a.lon === b.lon && a.lat === b.lat
  return a === b
}

/** The latest values of a dongle in one of its vehicles, as far as they follow from those in all of them. */
interface KnownNewest {
  readonly known: LatestValues
  /** Types that the dongle measured again after one of the spans: their newest values within the spans must be looked up. */
  readonly unknown: readonly EventTypeId[]
}

/** The newest values within spans, as far as known. One within the last span that begins before it is the newest of the
 * spans, too; a type not measured since they began has none. @param newest in any vehicle */
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
