import type { Vehicle } from '../api/types.ts'
import { type CarFacts, type CarState, carStateOf } from './car-state.ts'

/** A car as lists and the map show it. */
export interface Car {
  readonly id: string
  /** What people call it: the plate, else make and model, else VIN or IMEI. */
  readonly name: string
  readonly plate: string
  readonly vin: string
  readonly deviceId: number | null
  readonly makeAndModel: string
  /** As people have entered it; empty if nobody did. */
  readonly color: string
  /** Its group of cars, as people have entered it; empty if nobody did. */
  readonly group: string
  readonly state: CarState
  readonly headingDeg: number | undefined
  readonly tripId: string
  readonly isHidden: boolean
}

/**
 * Puts together what the service says of one car.
 *
 * @param name what it is called among the others (`own-names.ts`)
 */
export function carOf(facts: CarFacts, name = nameOf(facts.vehicle)): Car {
  const { vehicle } = facts
  const heading = vehicle.lastEvents.find(({ eventType }) => eventType === 'GPS_COURSE')?.value
  return {
    id: vehicle.id,
    name,
    plate: vehicle.licensePlate,
    vin: vehicle.vin,
    deviceId: vehicle.deviceId,
    makeAndModel: [vehicle.make, vehicle.model].filter(Boolean).join(' '),
    color: vehicle.color ?? '',
    group: vehicle.group ?? '',
    state: carStateOf(facts),
    headingDeg: typeof heading === 'number' ? heading : undefined,
    tripId: vehicle.tripId,
    isHidden: vehicle.deleteTimestamp !== null,
  }
}

export function nameOf({ licensePlate, make, model, vin, id }: Vehicle): string {
  const makeAndModel = [make, model].filter(Boolean).join(' ')
  return licensePlate || makeAndModel || vin || numberOfCar(id)
}

/** The VIN or IMEI of an id: what a car is called of which nothing else is known. */
export function numberOfCar(vehicleId: string): string {
  return vehicleId.replace(/^(VIN|IMEI_)/, '')
}

/** What people call a car; the VIN or IMEI of its id where the cars that are known do not have it. */
export function nameOfCar(cars: ReadonlyMap<string, Pick<Car, 'name'>>, vehicleId: string): string {
  return cars.get(vehicleId)?.name ?? numberOfCar(vehicleId)
}

export function needsAttention({ state }: Pick<Car, 'state'>): boolean {
  return state.health.kind === 'attention'
}
