import { useLocalStorage } from '@mantine/hooks'
import {
  CAR_GROUPINGS,
  CAR_ORDERS,
  type Car,
  type CarGrouping,
  type CarGroupName,
  type CarOrder,
  carGroups,
} from '../fleet/car.ts'
import type { Texts } from '../language/language.ts'

/** How the person wants the list of cars arranged. */
interface Arrangement {
  readonly order: CarOrder
  readonly grouping: CarGrouping
}

/** What was chosen last in this browser: it is a habit of the person, and not of the link that somebody sent. */
export function useArrangement(): readonly [Arrangement, (changed: Partial<Arrangement>) => void] {
  const [arrangement, store] = useLocalStorage({
    key: 'tacho.arrangement',
    defaultValue: readArrangement('{}'),
    getInitialValueInEffect: false,
    deserialize: readArrangement,
  })
  return [arrangement, changed => store({ ...arrangement, ...changed })]
}

/** What is not understood, such as a word of another version, is as if it had not been chosen. */
export function readArrangement(stored: string | null | undefined): Arrangement {
  const words = stored ?? ''
  return {
    order: CAR_ORDERS.find(known => words.includes(`"order":"${known}"`)) ?? 'urgency',
    grouping: CAR_GROUPINGS.find(known => words.includes(`"grouping":"${known}"`)) ?? 'none',
  }
}

/** The cars as the list shows them. */
interface Arranged {
  readonly cars: readonly Car[]
  /** The heading above a car, by its index: the group that begins with it. */
  readonly headings: ReadonlyMap<number, string>
}

/** @param sorted the cars in the order that they have within a group */
export function arranged(
  sorted: readonly Car[],
  grouping: CarGrouping,
  headingOf: (name: CarGroupName, count: number) => string,
): Arranged {
  if (grouping === 'none') return { cars: sorted, headings: new Map() }
  const cars: Car[] = []
  const headings = new Map<number, string>()
  for (const group of carGroups(sorted, grouping)) {
    headings.set(cars.length, headingOf(group.name, group.cars.length))
    for (const car of group.cars) cars.push(car)
  }
  return { cars, headings }
}

/** The name of a group in words. */
export function groupText(name: CarGroupName, texts: Texts<'map'>, states: Texts<'carState'>): string {
  switch (name.by) {
    case 'movement':
      return states.movements[name.movement]
    case 'health':
      return name.health === 'attention' ? states.needsAttention : states.healths[name.health]
    case 'model':
      return name.text || texts.noModel
    case 'group':
      return name.text || texts.noGroup
  }
}
