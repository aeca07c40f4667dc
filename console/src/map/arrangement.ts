import { useLocalStorage } from '@mantine/hooks'
import { CAR_GROUPINGS, CAR_ORDERS, type Car, type CarGrouping, type CarOrder, carGroups } from '../fleet/car.ts'
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
  headingOf: (key: string, count: number) => string,
): Arranged {
  if (grouping === 'none') return { cars: sorted, headings: new Map() }
  const cars: Car[] = []
  const headings = new Map<number, string>()
  for (const [key, group] of carGroups(sorted, grouping)) {
    headings.set(cars.length, headingOf(key, group.length))
    for (const car of group) cars.push(car)
  }
  return { cars, headings }
}

/** A group in words. @param key of `carGroups` */
export function groupText(grouping: CarGrouping, key: string, texts: Texts<'map'>, states: Texts<'carState'>): string {
  const words: Readonly<Record<string, string>> = {
    ...states.movements,
    ...states.healths,
    attention: states.needsAttention,
  }
  if (grouping === 'movement' || grouping === 'health') return words[key] ?? key
  return key || (grouping === 'model' ? texts.noModel : texts.noGroup)
}
