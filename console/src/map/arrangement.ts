import { useState } from 'react'
import { CAR_GROUPINGS, type CarGrouping } from '../fleet/car-groups.ts'
import { CAR_ORDERS, type CarOrder } from '../fleet/in-order.ts'

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
