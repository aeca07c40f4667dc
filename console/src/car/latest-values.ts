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

/** Fault codes by name; how many there are, everybody may know. */
const FAULT_CODES = new Set(['OBD_DTC_PERMANENT', 'OBD_DTC_SPORADIC'])

/** @param mayReadCodes whether the person may see fault codes */
export function latestValues(lastEvents: readonly LastEvent[], mayReadCodes: boolean): readonly LatestValue[] {
  const timed = lastEvents
    .filter(({ eventType }) => !LEFT_OUT.has(eventType) && (mayReadCodes || !FAULT_CODES.has(eventType)))
    .map(event => ({ ...event, measuredMs: Date.parse(event.recordedTimestamp) }))
  const newestMs = newestMsOf(lastEvents) ?? 0
  return timed.map(event => ({ ...event, isStale: newestMs - event.measuredMs > STALE_MS }))
}
