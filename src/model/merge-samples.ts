import type { EventTypeId } from '../catalogue/event-types.ts'
import { type EventValue, eventsOf, type Position, type Sample, sampleOf } from './sample.ts'

interface Merge {
  /** The union of both; the object `known` itself when `received` brought nothing new. */
  readonly sample: Sample
  /** Events of `received` that changed something. */
  readonly accepted: number
  /** Events of `received` that were known already, or smaller than the known value. */
  readonly duplicates: number
  /** Events measured twice with different values (decisions.md, *Vehicles and devices*). */
  readonly conflicts: number
}

/** A sample is the union of everything received for its device and instant (design, decision 7). Of two values for one
 * event type the greater stays, so the order of arrival does not matter. */
export function mergeSamples(known: Sample, received: Sample): Merge {
  const events = eventsOf(known)
  let accepted = 0
  let conflicts = 0
  for (const [type, value] of eventsOf(received)) {
    const put = putGreater(events, type, value)
    if (put === 'new' || put === 'replaced') accepted++
    if (put === 'replaced' || put === 'lost') conflicts++
  }
  return {
    sample: accepted === 0 ? known : sampleOf(known.deviceId, known.timeMs, events),
    accepted,
    duplicates: received.types.length - accepted,
    conflicts,
  }
}

/** Adds a value to the events of one instant; if its type has one already, the greater of both stays. */
export function putGreater(
  events: Map<EventTypeId, EventValue>,
  type: EventTypeId,
  value: EventValue,
): 'new' | 'same' | 'replaced' | 'lost' {
  const before = events.get(type)
  const order = before === undefined ? 1 : compareValues(value, before)
  if (order > 0) events.set(type, value)
  if (before === undefined) return 'new'
  if (order === 0) return 'same'
  return order > 0 ? 'replaced' : 'lost'
}

/** Orders values of one event type: numbers by size, false before true, texts by code unit, positions by longitude, then latitude. */
export function compareValues(a: EventValue, b: EventValue): number {
  if (isPosition(a) && isPosition(b)) return compareValues(a.lon, b.lon) || compareValues(a.lat, b.lat)
  if (a === b) return 0
  return a > b ? 1 : -1
}

function isPosition(value: EventValue): value is Position {
  return typeof value === 'object'
}
