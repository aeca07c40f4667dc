import type { DongleTruth } from './known-truth.ts'
import { type ExpectedTrip, matchesOf, type Score, scoreOf } from './trip-score.ts'

/** A trip that the API tells of. */
export interface ToldTrip extends ExpectedTrip {
  readonly vehicleId: string
}

/** Driven and told metres of one car. */
export interface CarMetres {
  readonly vin: string
  readonly drivenM: number
  readonly toldM: number
}

export interface DriveScore extends Score {
  /** Of the matched ones: how many are in the car that was driven. */
  readonly inRightCar: number
  readonly cars: readonly CarMetres[]
}

/** A trip that ended so shortly before the sending did may still be open. */
const STILL_OPEN_MS = 10 * 60_000

/** Compares the trips of several devices. @param toleranceMs how far both ends of a trip may be off */
export function scoreDrives(
  devices: readonly { readonly truth: DongleTruth; readonly told: readonly ToldTrip[] }[],
  toleranceMs: number,
): DriveScore {
  const metres = new Map<string, { drivenM: number; toldM: number }>()
  const metresOf = (vin: string) => {
    const car = metres.get(vin) ?? { drivenM: 0, toldM: 0 }
    metres.set(vin, car)
    return car
  }
  let inRightCar = 0
  const scores = devices.map(({ truth, told }) => {
    const expected = truth.trips.map(trip => ({
      vin: trip.vin,
      startMs: Date.parse(trip.start),
      endMs: Date.parse(trip.end),
      distanceM: trip.metres,
    }))
    const matches = matchesOf(expected, told, toleranceMs)
    const matched = new Map(
      matches.map(match => [match.found as ToldTrip, match.expected as (typeof expected)[number]]),
    )
    const counted = told.filter(trip => matched.has(trip) || trip.endMs < truth.passedMs - STILL_OPEN_MS)
    for (const { vin, distanceM } of expected) metresOf(vin).drivenM += distanceM
    for (const trip of counted) metresOf(trip.vehicleId.replace(/^VIN/, '')).toldM += trip.distanceM
    for (const [trip, { vin }] of matched) if (trip.vehicleId === `VIN${vin}`) inRightCar++
    return { expected: expected.length, found: counted.length, matches }
  })
  return {
    ...scoreOf(scores),
    inRightCar,
    cars: [...metres].map(([vin, { drivenM, toldM }]) => ({ vin, drivenM, toldM })),
  }
}
