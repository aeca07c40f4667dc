import { compareTexts } from '../language/language.ts'
import { type Car, needsAttention } from './car.ts'
import type { MovementKind } from './car-state.ts'
import { MOVEMENTS } from './movement-colors.ts'
import { isFound } from './search.ts'

const RANKS = Object.fromEntries(MOVEMENTS.map((movement, rank) => [movement, rank])) as Record<MovementKind, number>

export const CAR_ORDERS = ['urgency', 'name', 'silence', 'energy'] as const
export type CarOrder = (typeof CAR_ORDERS)[number]

/** What cars are compared by before their names: the less, the further in front. */
const KEYS: Readonly<Record<CarOrder, (car: Car) => number>> = {
  urgency: car => (needsAttention(car) ? 0 : MOVEMENTS.length) + RANKS[car.state.movement.kind],
  name: () => 0,
  silence: ({ state }) => state.newestMs ?? Number.NEGATIVE_INFINITY,
  // Litres of a tank of unknown size say less than a share; what is not known comes last.
  energy: ({ state: { energy } }) =>
    energy === undefined ? Number.MAX_VALUE : energy.unit === '%' ? energy.value : 100 + energy.value,
}

/** By urgency, those first that need attention, then by what they do, then by name. */
export function inOrder(cars: readonly Car[], order: CarOrder = 'urgency'): readonly Car[] {
  const keyOf = KEYS[order]
  return [...cars].sort((a, b) => {
    const [one, other] = [keyOf(a), keyOf(b)]
    return one === other ? compareTexts(a.name, b.name) : one - other
  })
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
