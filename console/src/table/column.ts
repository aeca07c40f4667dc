import type { ReactNode } from 'react'

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

/** A column of texts in their order; empty ones come last. */
export function textColumn<Row>(id: string, title: string, textOf: (row: Row) => string): Column<Row> {
  return { id, title, order: row => textOf(row) || undefined, cell: textOf }
}

/** A column of numbers in their order; a row without one has a dash. */
export function numberColumn<Row>(
  id: string,
  title: string,
  numberOf: (row: Row) => number | undefined,
  format: (value: number) => ReactNode,
): Column<Row> {
  const cell = (row: Row) => {
    const value = numberOf(row)
    return value === undefined ? '–' : format(value)
  }
  return { id, title, order: numberOf, cell, isNumeric: true }
}

export interface Ordering {
  readonly columnId: string
  readonly isDescending: boolean
}

/** An ordering in the address of a page: `plate`, or `-plate` for a descending one. */
export function orderingOf(sort: string): Ordering {
  return { columnId: sort.replace(/^-/, ''), isDescending: sort.startsWith('-') }
}

export function sortOf({ columnId, isDescending }: Ordering): string {
  return `${isDescending ? '-' : ''}${columnId}`
}

/** Reads a text of a page's address; undefined for an empty one. The router reads `?search=102` as a number. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) || undefined : undefined
}
