import { useTable } from '@tanstack/react-table'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { type Column, orderingOf, sortOf } from './column.ts'
import { features, sortableColumns } from './data-table.tsx'

const columns: readonly Column<{ readonly plate: string; readonly km?: number }>[] = [
  { id: 'plate', title: 'Plate', cell: car => car.plate, order: car => car.plate },
  { id: 'km', title: 'Distance', cell: car => car.km, order: car => car.km },
  { id: 'make', title: 'Make', cell: () => 'VW' },
]
const data = [{ plate: 'M-Z 10', km: 5 }, { plate: 'M-Z 9' }, { plate: 'M-Ä 1', km: 20 }]

test.each([
  ['plate', ['M-Ä 1', 'M-Z 9', 'M-Z 10']],
  ['-plate', ['M-Z 10', 'M-Z 9', 'M-Ä 1']],
  // What has no value comes last in both directions.
  ['km', ['M-Z 10', 'M-Ä 1', 'M-Z 9']],
  ['-km', ['M-Ä 1', 'M-Z 10', 'M-Z 9']],
  // A column without an order leaves rows as they are, and so does one that does not exist.
  ['make', ['M-Z 10', 'M-Z 9', 'M-Ä 1']],
  ['other', ['M-Z 10', 'M-Z 9', 'M-Ä 1']],
])('the order %s, which an address keeps, is %j', (sort, plates) => {
  const { columnId, isDescending } = orderingOf(sort)
  expect(sortOf({ columnId, isDescending })).toBe(sort)
  const state = { sorting: [{ id: columnId, desc: isDescending }] }
  let shown: readonly string[] = []
  const Shown = () => {
    const table = useTable({ features, columns: sortableColumns(columns), data, state })
    shown = table.getRowModel().rows.map(({ original }) => original.plate)
    return null
  }
  renderToStaticMarkup(createElement(Shown))
  expect(shown).toEqual(plates)
})
