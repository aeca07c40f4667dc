import { requiredEventType } from '../../catalogue/event-types.ts'
import { fuelTypeText } from '../../catalogue/fuel-types.ts'
import { type Hardware, hardwareOf } from '../../catalogue/hardware.ts'
import type { LatestValue, LatestValues } from '../latest-values.ts'
import { newestOfType } from './newest-in.ts'

export const FIRMWARE_VERSION = requiredEventType('FIRMWARE_VERSION')
export const FUEL_TYPE = requiredEventType('FUEL_TYPE')
export const PLUGGED_IN = requiredEventType('IS_DONGLE_PLUGGED_IN')

/** What a dongle says of itself; a field is empty where it says nothing. */
export interface DeviceIdentity extends Hardware {
  readonly firmwareVersion: string
}

/** @param latest the latest values of the dongle in each of its vehicles */
export function deviceIdentity(latest: Iterable<LatestValues>): DeviceIdentity {
  const reported = textOf(newestOfType(latest, FIRMWARE_VERSION.id))
  return { firmwareVersion: reported, ...hardwareOf(reported) }
}

/**
 * The fuel type of a vehicle as it was reported last, in words.
 * @param latest the latest values of each dongle in the vehicle
 */
export function vehicleFuelType(latest: Iterable<LatestValues>): string {
  return fuelTypeText(textOf(newestOfType(latest, FUEL_TYPE.id)))
}

/**
 * Whether the dongle is plugged in by its own last word; undefined when it never said.
 * @param latest the latest values of the dongle in each of its vehicles
 */
export function lastPluggedIn(latest: Iterable<LatestValues>): boolean | undefined {
  const value = newestOfType(latest, PLUGGED_IN.id)?.value
  return typeof value === 'boolean' ? value : undefined
}

function textOf(latest: LatestValue | undefined): string {
  return typeof latest?.value === 'string' ? latest.value.trim() : ''
}
