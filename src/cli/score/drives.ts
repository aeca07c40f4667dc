import type { Cars } from './cars.ts'
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

export interface DriveLimits {
  /** How far both ends of a trip may be off. */
  readonly toleranceMs: number
  /** When the fleet began: a drive that had begun before is not in the truth. */
  readonly fromMs: number
}

/** A trip that begins so shortly after the fleet did was under way before. */
const UNDER_WAY_MS = 10 * 60_000

/** Compares the trips of several devices, each a drive as far as its dongle could know. */
export function scoreDrives(
  devices: readonly { readonly truth: DongleTruth; readonly told: readonly ToldTrip[] }[],
  cars: Cars,
  { toleranceMs, fromMs }: DriveLimits,
): DriveScore {
  const metres = new Map<string, { drivenM: number; toldM: number }>()
  const metresOf = (vin: string) => {
    const car = metres.get(vin) ?? { drivenM: 0, toldM: 0 }
    metres.set(vin, car)
    return car
  }
  let inRightCar = 0
  const scores = devices.map(({ truth, told }) => {
    const vins = new Map<ExpectedTrip, string>()
    for (const { start, end, metres: distanceM, vin } of truth.trips)
      vins.set({ startMs: Date.parse(start), endMs: Date.parse(end), distanceM }, vin)
    const expected = [...vins.keys()]
    const matches = matchesOf(expected, told, toleranceMs)
    const driven = new Map<ExpectedTrip, ExpectedTrip>(matches.map(match => [match.found, match.expected]))
    const counted = told.filter(
      trip => driven.has(trip) || (trip.endMs < truth.allToldMs && trip.startMs > fromMs + UNDER_WAY_MS),
    )
    for (const [{ distanceM }, vin] of vins) metresOf(vin).drivenM += distanceM
    for (const trip of counted) {
      const vin = cars.vinOf(trip.vehicleId)
      const drive = driven.get(trip)
      if (vin !== undefined) metresOf(vin).toldM += trip.distanceM
      if (vin !== undefined && drive && vin === vins.get(drive)) inRightCar++
    }
    return { expected: expected.length, found: counted.length, matches }
  })
  return {
    ...scoreOf(scores),
    inRightCar,
    cars: [...metres].map(([vin, { drivenM, toldM }]) => ({ vin, drivenM, toldM })),
  }
}
