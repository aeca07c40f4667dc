import type { ReactNode } from 'react'
import { compareTexts, type Language } from '../language/language.ts'

/** A column of a table of `Row`s. */
export interface Column<Row> {
  /** Unique in its table. */
  readonly id: string
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  /** By what rows are put in order; without it this column cannot order them. Nothing comes last, whatever the direction. */
  readonly order?: (row: Row) => string | number | undefined
  readonly isNumeric?: boolean
  /** Takes the room that the other columns leave. */
  readonly isWide?: boolean
}

export interface Ordering {
  readonly columnId: string
  readonly isDescending: boolean
}

/** A copy of the rows in order of a column; rows of equal value stay as they were. */
export function inOrder<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { columnId, isDescending }: Ordering,
  language: Language,
): readonly Row[] {
  const order = columns.find(({ id }) => id === columnId)?.order
  if (!order) return rows
  const sign = isDescending ? -1 : 1
  return [...rows].sort((left, right) => {
    const [a, b] = [order(left), order(right)]
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
    return (
      sign * (typeof a === 'number' && typeof b === 'number' ? a - b : compareTexts(String(a), String(b), language))
    )
  })
}
