import { METER_TYPES, type Reading } from './reading.ts'
import type { Meters } from './trip.ts'

/**
 * First and last reading of each of METER_TYPES, in that order, one behind the other; NaN where there is none. Changed in
 * place by each sample. Numbers only, because this is written to with every meter of every sample.
 */
export type MeterReadings = number[]

/** Its place in METER_TYPES. */
const ODOMETER = METER_TYPES.findIndex(({ name }) => name === 'MILEAGE')

export function noMeters(): MeterReadings {
  return NOTHING_READ.slice()
}

const NOTHING_READ: readonly number[] = METER_TYPES.flatMap(() => [Number.NaN, Number.NaN])

/** Adds the readings of one more sample. */
export function readMeters(meters: MeterReadings, { numbers, meterPlaces, hasMeters }: Reading): void {
  if (!hasMeters) return
  for (let meter = 0; meter < meterPlaces.length; meter++) {
    const place = meterPlaces[meter] ?? -1
    const value = place < 0 ? undefined : numbers[place]
    // An odometer of 0 is one that the car has not told yet.
    if (value === undefined || (value === 0 && meter === ODOMETER)) continue
    if (Number.isNaN(meters[2 * meter])) meters[2 * meter] = value
    meters[2 * meter + 1] = value
  }
}

/** First and last reading of a meter; undefined when it was never read. @param meter its place in METER_TYPES */
export function readingsOf(readings: Readonly<MeterReadings>, meter: number): readonly [number, number] | undefined {
  const [first, last] = [readings[2 * meter], readings[2 * meter + 1]]
  return first === undefined || last === undefined || Number.isNaN(first) ? undefined : [first, last]
}

/** The readings at both ends of a trip, without the meters that were never read. */
export function metersOf(readings: Readonly<MeterReadings>): Meters {
  const meters: Record<string, { start: number; end: number }> = {}
  METER_TYPES.forEach(({ id }, meter) => {
    const known = readingsOf(readings, meter)
    if (known) meters[id] = { start: known[0], end: known[1] }
  })
  return meters
}

/** The odometer as it stood before the first sample of a trip. */
export function readOdometerBefore(meters: MeterReadings, km: number): void {
  meters[2 * ODOMETER] = km
  meters[2 * ODOMETER + 1] = km
}
