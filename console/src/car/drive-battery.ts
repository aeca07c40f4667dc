import type { LastEvent } from '../api/types.ts'

/** What a car reports of the battery that drives it, by event type. */
export type DriveBattery = ReadonlyMap<string, LastEvent>

/** @returns undefined for a car without one, and for a hybrid, whose starter battery decides whether it starts */
export function driveBatteryOf(lastEvents: readonly LastEvent[]): DriveBattery | undefined {
  const latest = new Map(lastEvents.map(event => [event.eventType, event]))
  const hasTank = latest.has('FUEL_LEVEL') || latest.has('FUEL_LEVEL_PERCENT')
  return latest.has('HV_BATTERY_SOC') && !hasTank ? latest : undefined
}

/** Of several that mean the same, the first one that the car reports. */
export function firstOf(battery: DriveBattery, ...eventTypes: readonly string[]): LastEvent | undefined {
  return eventTypes.map(eventType => battery.get(eventType)).find(event => event !== undefined)
}
