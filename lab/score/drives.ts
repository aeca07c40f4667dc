import type { Cars } from './cars.ts'
import { compareDongle, type DriveLimits, ownerOf } from './compared-dongle.ts'
import { type GroupScore, groupsByDongle, groupsByFault, groupsOfSharedCars } from './groups.ts'
import { type SharedCar, sharedCars, type TwoSides } from './shared-cars.ts'
import { type Score, scoreOf } from './trip-score.ts'

export type { ToldTrip } from './compared-dongle.ts'

/** Driven and told metres of one car. */
interface CarMetres {
  readonly vin: string
  readonly drivenM: number
  readonly toldM: number
}

export interface DriveScore extends Score {
  /** Of the matched ones: how many are in the car that was driven. */
  readonly inRightCar: number
  readonly cars: readonly CarMetres[]
  /** Apart by what the dongle is, and by what went wrong, as far as the truth says it; cars with two dongles have groups of their own. */
  readonly byDongle: readonly GroupScore[]
  readonly byTwoDongles: readonly GroupScore[]
  readonly byFault: readonly GroupScore[]
  /** Dongles that the service does not know to be in the car of another one. */
  readonly strays: SharedCar['strays']
}

/** Compares the trips of several devices, each a drive as far as its dongle could know, and those of cars with two of them once. */
export function scoreDrives(devices: readonly TwoSides[], cars: Cars, limits: DriveLimits): DriveScore {
  const { shared, alone } = sharedCars(devices, cars, limits)
  const dongles = alone.map(({ truth, told }) => compareDongle(truth, told, limits))
  const metres = new Map<string, { drivenM: number; toldM: number }>()
  const metresOf = (vin: string) => {
    const car = metres.get(vin) ?? { drivenM: 0, toldM: 0 }
    metres.set(vin, car)
    return car
  }
  let inRightCar = 0
  for (const { drives, told, comparison } of dongles) {
    for (const { vin, distanceM } of drives) metresOf(vin).drivenM += distanceM
    for (const { vehicleId, distanceM } of told) {
      const vin = cars.vinOf(vehicleId)
      if (vin !== undefined) metresOf(vin).toldM += distanceM
    }
    for (const { expected, found } of comparison.matches) {
      const vin = cars.vinOf(found.vehicleId)
      if (vin !== undefined && vin === ownerOf(expected, drives)?.vin) inRightCar++
    }
  }
  for (const { vin, comparison } of shared) {
    metresOf(vin).drivenM += comparison.metres.mostM
    metresOf(vin).toldM += comparison.metres.foundM
    inRightCar += comparison.matches.filter(({ found }) => cars.vinOf(found.vehicleId) === vin).length
  }
  return {
    ...scoreOf([...dongles, ...shared].map(({ comparison }) => comparison)),
    inRightCar,
    byDongle: groupsByDongle(dongles),
    byTwoDongles: groupsOfSharedCars(shared),
    byFault: groupsByFault(dongles),
    strays: shared.flatMap(({ strays }) => strays),
    cars: [...metres].map(([vin, { drivenM, toldM }]) => ({ vin, drivenM, toldM })),
  }
}
