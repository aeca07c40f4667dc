import { type Car, needsAttention } from './car.ts'
import type { MovementKind } from './car-state.ts'
import { MOVEMENTS } from './movement-colors.ts'
import { isFound } from './search.ts'

const RANKS = Object.fromEntries(MOVEMENTS.map((movement, rank) => [movement, rank])) as Record<MovementKind, number>

/** Digits by value, so that B-TX 9 comes before B-TX 10. */
const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Those first that need attention, then by what they do, then by name. */
export function inOrder(cars: readonly Car[]): readonly Car[] {
  const rankOf = (car: Car) => (needsAttention(car) ? 0 : MOVEMENTS.length) + RANKS[car.state.movement.kind]
  return [...cars].sort((a, b) => rankOf(a) - rankOf(b) || names.compare(a.name, b.name))
}

export interface CarFilter {
  readonly search: string
  readonly movement: MovementKind | undefined
  /** Only cars that need attention. */
  readonly isAttention: boolean
}

/** How many cars a filter would show, if it was the only one beside the search and the other kind of filter. */
export interface FilterCounts {
  readonly movements: Readonly<Record<MovementKind, number>>
  /** Of every movement. */
  readonly all: number
  readonly attention: number
}

/**
 * The cars that the search and the filters show, on the map as in the list.
 *
 * @returns in the order in which `cars` come
 */
export function filtered(cars: readonly Car[], { search, movement, isAttention }: CarFilter) {
  const found = cars.filter(car => isFound(car, search))
  const urgent = isAttention ? found.filter(needsAttention) : found
  const moving = (of: readonly Car[]) =>
    movement === undefined ? of : of.filter(car => car.state.movement.kind === movement)
  const movements = Object.fromEntries(MOVEMENTS.map(kind => [kind, 0])) as Record<MovementKind, number>
  for (const car of urgent) movements[car.state.movement.kind] += 1
  const counts: FilterCounts = { movements, all: urgent.length, attention: moving(found).filter(needsAttention).length }
  return { shown: moving(urgent), counts }
}
