import type { Car } from './car.ts'
import { CAR_STATES } from './car-state-colors.ts'
import { isFound } from './search.ts'

const RANKS = Object.fromEntries(CAR_STATES.map((state, rank) => [state, rank])) as Record<Car['state'], number>

/** Digits by value, so that B-TX 9 comes before B-TX 10. */
const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** By state, those first that need a look, then by name. */
export function inOrder(cars: readonly Car[]): readonly Car[] {
  return [...cars].sort((a, b) => RANKS[a.state] - RANKS[b.state] || names.compare(a.name, b.name))
}

export interface CarFilter {
  readonly search: string
  readonly state: Car['state'] | undefined
}

/**
 * The cars that a search finds and how many of them are in each state, whatever the state that is filtered by.
 *
 * @returns in the order in which `cars` come
 */
export function filtered(cars: readonly Car[], { search, state }: CarFilter) {
  const found = cars.filter(car => isFound(car, search))
  const counts: Record<Car['state'], number> = { warning: 0, driving: 0, parked: 0, offline: 0 }
  for (const car of found) counts[car.state] += 1
  return { shown: state === undefined ? found : found.filter(car => car.state === state), found: found.length, counts }
}
