import type { LastEvent } from '../api/types.ts'
import { newestMsOf } from '../fleet/dongle-state.ts'

/** A value this much older than the newest one of its car is not of now any more. */
const STALE_MS = 24 * 3_600_000

/** Shown apart, or of no use as a text. */
const LEFT_OUT = new Set(['BATTERY_STATE'])

export interface LatestValue extends LastEvent {
  readonly measuredMs: number
  readonly isStale: boolean
}

export function latestValues(lastEvents: readonly LastEvent[]): readonly LatestValue[] {
  const timed = lastEvents
    .filter(event => !LEFT_OUT.has(event.eventType))
    .map(event => ({ ...event, measuredMs: Date.parse(event.recordedTimestamp) }))
  const newestMs = newestMsOf(lastEvents) ?? 0
  return timed.map(event => ({ ...event, isStale: newestMs - event.measuredMs > STALE_MS }))
}
