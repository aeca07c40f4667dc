import type { LastEvent } from '../api/types.ts'

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
  const newestMs = newestOf(lastEvents) ?? 0
  return timed.map(event => ({ ...event, isStale: newestMs - event.measuredMs > STALE_MS }))
}

/** Set by people in the settings, independent of the dongle. */
const SETTING = 'ALARM_SYSTEM'

/** When the car was heard last. */
export function newestOf(lastEvents: readonly LastEvent[]): number | undefined {
  let newestMs: number | undefined
  for (const { eventType, recordedTimestamp } of lastEvents) {
    if (eventType === SETTING) continue
    const measuredMs = Date.parse(recordedTimestamp)
    if (newestMs === undefined || measuredMs > newestMs) newestMs = measuredMs
  }
  return newestMs
}
