import { METER_TYPES, type Reading } from './reading.ts'
import type { Meters } from './trip.ts'

/** First and last reading of each of METER_TYPES, in that order; undefined where there is none. */
export type MeterReadings = readonly (readonly [first: number, last: number] | undefined)[]

export const NO_METERS: MeterReadings = METER_TYPES.map(() => undefined)

/** The readings with those of one more sample; the very object `before` when it tells nothing new. */
export function metersAfter(before: MeterReadings, reading: Reading): MeterReadings {
  if (!reading.hasMeters) return before
  let changed: (readonly [number, number] | undefined)[] | undefined
  for (let i = 0; i < reading.meterPlaces.length; i++) {
    const value = reading.numbers[reading.meterPlaces[i] ?? -1]
    const known = before[i]
    if (value === undefined || known?.[1] === value) continue
    changed ??= before.slice()
    changed[i] = [known ? known[0] : value, value]
  }
  return changed ?? before
}

/** The readings at both ends of a trip, without the meters that were never read. */
export function metersOf(readings: MeterReadings): Meters {
  const meters: Record<string, { start: number; end: number }> = {}
  METER_TYPES.forEach(({ id }, i) => {
    const known = readings[i]
    if (known) meters[id] = { start: known[0], end: known[1] }
  })
  return meters
}
