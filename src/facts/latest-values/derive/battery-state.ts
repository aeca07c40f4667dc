import { type EventTypeId, eventTypeById, requiredEventType } from '../../../catalogue/event-types.ts'
import type { Sample } from '../../../model/sample.ts'

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
  const { deviceId, timeMs, types, numbers, texts } = sample
  if (!types.includes(BATTERY_VOLTAGE.id) || types.includes(BATTERY_STATE.id)) return sample
  const place = placeOf(types, BATTERY_VOLTAGE.id)
  const voltageV = numbers[place.numbers]
  const state = voltageV === undefined ? undefined : batteryStateOf(voltageV)
  if (state === undefined) return sample
  const at = placeOf(types, BATTERY_STATE.id)
  return {
    deviceId,
    timeMs,
    types: [...types.slice(0, at.types), BATTERY_STATE.id, ...types.slice(at.types)],
    numbers,
    texts: [...texts.slice(0, at.texts), state, ...texts.slice(at.texts)],
  }
}

/** How many types, numbers and texts a sample has of types with smaller ids. */
function placeOf(types: readonly EventTypeId[], id: EventTypeId) {
  const place = { types: 0, numbers: 0, texts: 0 }
  for (const type of types) {
    if (type >= id) break
    const { dataType } = eventTypeById(type)
    place.types++
    if (dataType === 'STRING') place.texts++
    else place.numbers += dataType === 'GEO' ? 2 : 1
  }
  return place
}
