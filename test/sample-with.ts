import { type EventTypeId, type EventTypeName, requiredEventType } from '../src/catalogue/event-types.ts'
import { type DeviceId, type EventValue, type Sample, sampleOf } from '../src/model/sample.ts'

/** What a dongle measured at one instant, by the names of the event types. */
export type Values = Readonly<Partial<Record<EventTypeName, EventValue>>>

/** These values as a sample; what is undefined was not measured. */
export function sampleWith(deviceId: number, timeMs: number, values: Values): Sample {
  const events = new Map<EventTypeId, EventValue>()
  for (const [name, value] of Object.entries(values) as [EventTypeName, EventValue | undefined][])
    if (value !== undefined) events.set(requiredEventType(name).id, value)
  return sampleOf(deviceId as DeviceId, timeMs, events)
}
