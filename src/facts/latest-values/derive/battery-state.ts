import { requiredEventType } from '../../../catalogue/event-types.ts'
import { eventsOf, type Sample, sampleOf, valueIn } from '../../../model/sample.ts'

export const BATTERY_VOLTAGE = requiredEventType('BATTERY_VOLTAGE')
export const BATTERY_STATE = requiredEventType('BATTERY_STATE')

/**
 * The state of the starter battery by its voltage (fleet-api-v2.md, *States and transitions*).
 * @returns undefined between 11.3 and 13 V, for which the contract has no word.
 */
export function batteryStateOf(voltageV: number): string | undefined {
  if (voltageV >= 15.2) return 'Overvoltage'
  if (voltageV >= 13) return 'Loading'
  if (voltageV <= 6) return 'Empty'
  if (voltageV <= 10) return 'Very Low'
  if (voltageV <= 11.3) return 'Warning'
  return undefined
}

/**
 * Adds BATTERY_STATE to a sample that has BATTERY_VOLTAGE but no state of the dongle's own. It follows from the one
 * sample, so it is worked out wherever a sample is read and never stored: a late value can not leave it stale.
 */
export function withBatteryState(sample: Sample): Sample {
  const voltageV = sample.types.includes(BATTERY_STATE.id) ? undefined : valueIn(sample, BATTERY_VOLTAGE)
  const state = typeof voltageV === 'number' ? batteryStateOf(voltageV) : undefined
  if (state === undefined) return sample
  return sampleOf(sample.deviceId, sample.timeMs, eventsOf(sample).set(BATTERY_STATE.id, state))
}
