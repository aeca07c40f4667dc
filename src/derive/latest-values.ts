import type { EventTypeId } from '../catalogue/event-types.ts'
import { type EventValue, eventsOf, type Sample } from '../intake/sample.ts'

export interface LatestValue {
  readonly timeMs: number
  readonly value: EventValue
}

/** The newest value of every event type that a dongle measured in a vehicle. */
export type LatestValues = ReadonlyMap<EventTypeId, LatestValue>

/**
 * The newest values after a sample, whatever order samples come in: the greater time wins, and at the same time the
 * sample itself, because what is stored for an instant is already merged.
 * @returns the very object `latest` when nothing changed.
 */
export function withSample(latest: LatestValues, sample: Sample): LatestValues {
  let changed: Map<EventTypeId, LatestValue> | undefined
  for (const [type, value] of eventsOf(sample)) {
    const before = latest.get(type)
    if (
      before &&
      (before.timeMs > sample.timeMs || (before.timeMs === sample.timeMs && sameValue(before.value, value)))
    )
      continue
    changed ??= new Map(latest)
    changed.set(type, { timeMs: sample.timeMs, value })
  }
  return changed ?? latest
}

function sameValue(a: EventValue, b: EventValue): boolean {
  if (typeof a === 'object' && typeof b === 'object') return a.lon === b.lon && a.lat === b.lat
  return a === b
}
