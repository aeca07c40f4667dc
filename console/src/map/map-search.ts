import type { Car } from '../fleet/car.ts'
import { CAR_STATES } from '../fleet/car-state-colors.ts'

/** What the address of the map holds, so that a link shows what its sender saw. */
interface MapSearch {
  /** Id of the chosen vehicle. */
  readonly car?: string
  readonly search?: string
  readonly state?: Car['state']
}

/** Reads the address; what is not understood is left out. */
export function mapSearch(given: Readonly<Record<string, unknown>>): MapSearch {
  const car = textOf(given.car)
  const search = textOf(given.search)
  const state = CAR_STATES.find(known => known === given.state)
  return {
    ...(car === '' ? {} : { car }),
    ...(search === '' ? {} : { search }),
    ...(state === undefined ? {} : { state }),
  }
}

/** The router reads `?search=102` as a number. */
function textOf(given: unknown): string {
  return typeof given === 'string' || typeof given === 'number' ? String(given) : ''
}
