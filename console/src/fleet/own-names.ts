import type { Vehicle } from '../api/types.ts'
import { nameOf } from './car.ts'

/** How many characters of a VIN or IMEI distinguish cars of the same name. */
const TOLD_APART_BY = 5

/** What each car is called among these: its name, with the end of its id where several have the same. */
export function ownNames(vehicles: Iterable<Vehicle>): (vehicle: Vehicle) => string {
  const counts = new Map<string, number>()
  for (const vehicle of vehicles) {
    const name = nameOf(vehicle)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return vehicle => {
    const name = nameOf(vehicle)
    return (counts.get(name) ?? 0) > 1 ? `${name} …${vehicle.id.slice(-TOLD_APART_BY)}` : name
  }
}
