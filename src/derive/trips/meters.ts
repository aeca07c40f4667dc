import { METER_TYPES, type Reading } from './reading.ts'
import type { Meters } from './trip.ts'

/**
 * First and last reading of each of METER_TYPES, in that order; undefined where there is none. Changed in place by each
 * sample.
 */
export type MeterReadings = ([first: number, last: number] | undefined)[]

export function noMeters(): MeterReadings {
  return METER_TYPES.map(() => undefined)
}

/** Adds the readings of one more sample. */
export function readMeters(meters: MeterReadings, { numbers, meterPlaces, hasMeters }: Reading): void {
  if (!hasMeters) return
  for (let i = 0; i < meterPlaces.length; i++) {
    const place = meterPlaces[i] ?? -1
    const value = place < 0 ? undefined : numbers[place]
    if (value === undefined) continue
    const known = meters[i]
    if (known) known[1] = value
    else meters[i] = [value, value]
  }
}

/** The readings at both ends of a trip, without the meters that were never read. */
export function metersOf(readings: Readonly<MeterReadings>): Meters {
  const meters: Record<string, { start: number; end: number }> = {}
  METER_TYPES.forEach(({ id }, i) => {
    const known = readings[i]
    if (known) meters[id] = { start: known[0], end: known[1] }
  })
  return meters
}
