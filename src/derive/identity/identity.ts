import { requiredEventType } from '../../catalogue/event-types.ts'
import { fuelTypeText, type Hardware, hardwareOf } from '../../catalogue/vehicles-and-dongles.ts'
import { type LatestValue, type LatestValues, newestOfType } from '../latest-values/latest-values.ts'

export const FIRMWARE_VERSION = requiredEventType('FIRMWARE_VERSION')
export const FUEL_TYPE = requiredEventType('FUEL_TYPE')
export const PLUGGED_IN = requiredEventType('IS_DONGLE_PLUGGED_IN')

/** All that a dongle reports about itself; other fields are empty. */
interface DeviceIdentity extends Hardware {
  readonly firmwareVersion: string
}

/** @param latest of the dongle in each of its vehicles
 * @param entered by an operator; counts while the dongle names no model */
export function deviceIdentity(latest: Iterable<LatestValues>, entered = ''): DeviceIdentity {
  const firmwareVersion = textOf(newestOfType(latest, FIRMWARE_VERSION.id))
  const reported = hardwareOf(firmwareVersion)
  return { firmwareVersion, ...(reported.hardwareType === '' ? hardwareEntered(entered) : reported) }
}

export function hardwareEntered(model: string): Hardware {
  return { ...hardwareOf(model), hardwareType: model }
}

/** The fuel type as reported last.
 * @param latest of each dongle in the vehicle @param entered by an operator, which wins */
export function vehicleFuelType(latest: Iterable<LatestValues>, entered = ''): string {
  return entered === '' ? fuelTypeText(textOf(newestOfType(latest, FUEL_TYPE.id))) : entered
}

/** The last report of being plugged in; undefined if there was none.
 * @param latest of the dongle in each of its vehicles */
export function lastPluggedIn(latest: Iterable<LatestValues>): boolean | undefined {
  const value = newestOfType(latest, PLUGGED_IN.id)?.value
  return typeof value === 'boolean' ? value : undefined
}

function textOf(latest: LatestValue | undefined): string {
  return typeof latest?.value === 'string' ? latest.value.trim() : ''
}
