import { useState } from 'react'
import {
  CAR_GROUPINGS,
  CAR_ORDERS,
  type Car,
  type CarGrouping,
  type CarGroupName,
  type CarOrder,
  carGroups,
} from '../fleet/car.ts'
import { formatNumber } from '../language/format.ts'
import type { Language, Texts } from '../language/language.ts'

/** How the person wants the list of cars arranged. */
interface Arrangement {
  readonly order: CarOrder
  readonly grouping: CarGrouping
}

const STORED_AS = 'tacho.arrangement'

/** What was chosen last in this browser: it is a habit of the person, and not of the link that somebody sent. */
export function useArrangement(): readonly [Arrangement, (changed: Partial<Arrangement>) => void] {
  const [arrangement, setArrangement] = useState(storedArrangement)
  const change = (changed: Partial<Arrangement>) => {
    const next = { ...arrangement, ...changed }
    setArrangement(next)
    localStorage.setItem(STORED_AS, JSON.stringify(next))
  }
  return [arrangement, change]
}

function storedArrangement(): Arrangement {
  return readArrangement(localStorage.getItem(STORED_AS))
}

/** What is not understood, such as a word of another version, is as if it had not been chosen. */
export function readArrangement(stored: string | null): Arrangement {
  const { order, grouping } = objectIn(stored)
  return {
    order: CAR_ORDERS.find(known => known === order) ?? 'urgency',
    grouping: CAR_GROUPINGS.find(known => known === grouping) ?? 'none',
  }
}

function objectIn(stored: string | null): { readonly order?: unknown; readonly grouping?: unknown } {
  try {
    const read: unknown = JSON.parse(stored ?? '{}')
    return typeof read === 'object' && read !== null ? read : {}
  } catch {
    return {}
  }
}

/** The cars as the list shows them. */
interface Arranged {
  readonly cars: readonly Car[]
  /** The heading above a car, by its index: the group that begins with it. */
  readonly headings: ReadonlyMap<number, string>
}

const NO_HEADINGS: ReadonlyMap<number, string> = new Map()

/** A group, and of how many cars it is. */
interface NamedGroup {
  readonly name: CarGroupName
  readonly count: number
}

/** @param sorted the cars in the order that they have within a group */
export function arranged(
  sorted: readonly Car[],
  grouping: CarGrouping,
  textOf: (group: NamedGroup) => string,
): Arranged {
  if (grouping === 'none') return { cars: sorted, headings: NO_HEADINGS }
  const cars: Car[] = []
  const headings = new Map<number, string>()
  for (const group of carGroups(sorted, grouping)) {
    headings.set(cars.length, textOf({ name: group.name, count: group.cars.length }))
    for (const car of group.cars) cars.push(car)
  }
  return { cars, headings }
}

/** The name of a group in words, with how many cars are in it. */
export function groupText(
  { name, count }: NamedGroup,
  texts: Texts<'map'>,
  states: Texts<'carState'>,
  language: Language,
): string {
  return texts.groupOf(nameText(name, texts, states), formatNumber(count, language, 0))
}

function nameText(name: CarGroupName, texts: Texts<'map'>, states: Texts<'carState'>): string {
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
