import { type EventTypeId, requiredEventType } from '../../catalogue/event-types.ts'
import { type EventValue, eventsOf, type Sample, sampleOf } from '../../model/sample.ts'

export const BATTERY_VOLTAGE = requiredEventType('BATTERY_VOLTAGE')
export const BATTERY_STATE = requiredEventType('BATTERY_STATE')

/** The battery state of a voltage (fleet-api-v2.md, *States and transitions*); undefined
 * from 11.3 to 13 V: no word for it. */
export function batteryStateOf(voltageV: number): string | undefined {
  if (voltageV >= 15.2) return 'Overvoltage'
  if (voltageV >= 13) return 'Loading'
  if (voltageV <= 6) return 'Empty'
  if (voltageV <= 10) return 'Very Low'
  if (voltageV <= 11.3) return 'Warning'
  return undefined
}

/** The events of a sample with the BATTERY_STATE of its BATTERY_VOLTAGE, unless the dongle reports one. Never stored,
 * so a late value cannot leave it stale. */
export function eventsWithBatteryState(sample: Sample): Map<EventTypeId, EventValue> {
  const events = eventsOf(sample)
  const voltageV = events.has(BATTERY_STATE.id) ? undefined : events.get(BATTERY_VOLTAGE.id)
  const state = typeof voltageV === 'number' ? batteryStateOf(voltageV) : undefined
  return state === undefined ? events : events.set(BATTERY_STATE.id, state)
}

/** The same as a sample; the very object when nothing follows. */
export function withBatteryState(sample: Sample): Sample {
  const events = eventsWithBatteryState(sample)
  return events.size === sample.types.length ? sample : sampleOf(sample.deviceId, sample.timeMs, events)
}
