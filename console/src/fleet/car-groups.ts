import { compareTexts } from '../language/language.ts'
import type { Car } from './car.ts'
import type { Health, MovementKind } from './car-state.ts'
import { MOVEMENTS } from './movement-colors.ts'

export const CAR_GROUPINGS = ['none', 'movement', 'health', 'model', 'group'] as const
export type CarGrouping = (typeof CAR_GROUPINGS)[number]

/** What the cars of a group have in common; texts are as people have entered them, and empty if nobody did. */
export type CarGroupName =
  | { readonly by: 'movement'; readonly movement: MovementKind }
  | { readonly by: 'health'; readonly health: Health['kind'] }
  | { readonly by: 'model' | 'group'; readonly text: string }

interface CarGroup {
  readonly name: CarGroupName
  readonly cars: readonly Car[]
}

/** What needs a look comes first. */
const HEALTHS: readonly Health['kind'][] = ['attention', 'unknown', 'forbidden', 'awaited', 'healthy']

const NAMES: Readonly<Record<Exclude<CarGrouping, 'none'>, (car: Car) => CarGroupName>> = {
  movement: ({ state }) => ({ by: 'movement', movement: state.movement.kind }),
  health: ({ state }) => ({ by: 'health', health: state.health.kind }),
  model: ({ makeAndModel }) => ({ by: 'model', text: makeAndModel }),
  group: ({ group }) => ({ by: 'group', text: group }),
}

/**
 * Puts cars together that have something in common. Within a group they keep their order.
 *
 * @returns a group only where a car is in it; those of which nothing is known last
 */
export function carGroups(cars: readonly Car[], by: Exclude<CarGrouping, 'none'>): readonly CarGroup[] {
  const nameOf = NAMES[by]
  const groups = new Map<string, { name: CarGroupName; cars: Car[] }>()
  for (const car of cars) {
    const name = nameOf(car)
    const key = keyOf(name)
    const group = groups.get(key)
    if (group) group.cars.push(car)
    else groups.set(key, { name, cars: [car] })
  }
  return [...groups.values()].sort((one, other) => compare(one.name, other.name))
}

function keyOf(name: CarGroupName): string {
  return name.by === 'movement' ? name.movement : name.by === 'health' ? name.health : name.text
}

function compare(one: CarGroupName, other: CarGroupName): number {
  if ('text' in one && 'text' in other) {
    if (one.text === '' || other.text === '') return one.text === other.text ? 0 : one.text === '' ? 1 : -1
    return compareTexts(one.text, other.text)
  }
  return rankOf(one) - rankOf(other)
}

function rankOf(name: CarGroupName): number {
  if (name.by === 'movement') return MOVEMENTS.indexOf(name.movement)
  return name.by === 'health' ? HEALTHS.indexOf(name.health) : 0
}
