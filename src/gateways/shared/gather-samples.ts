import type { EventTypeId } from '../../catalogue/event-types.ts'
import { putGreater } from '../../model/merge-samples.ts'
import { type DeviceId, type EventValue, type Sample, sampleOf } from '../../model/sample.ts'

/** What one device measured at one instant, as sent. */
export interface Measurement {
  readonly deviceId: DeviceId
  readonly timeMs: number
  readonly events: ReadonlyMap<EventTypeId, EventValue>
}

/** The samples of a request, each key once, as a submission requires; empty ones are left out. */
export function gatherSamples(measurements: readonly Measurement[]): Sample[] {
  const byKey = new Map<string, Measurement & { readonly events: Map<EventTypeId, EventValue> }>()
  for (const { deviceId, timeMs, events } of measurements) {
    if (events.size === 0) continue
    const key = `${deviceId} ${timeMs}`
    const known = byKey.get(key)
    if (!known) byKey.set(key, { deviceId, timeMs, events: new Map(events) })
    else for (const [type, value] of events) putGreater(known.events, type, value)
  }
  return [...byKey.values()].map(({ deviceId, timeMs, events }) => sampleOf(deviceId, timeMs, events))
}
