import {
  type ColumnDef,
  createSortedRowModel,
  rowSelectionFeature,
  rowSortingFeature,
  tableFeatures,
} from '@tanstack/react-table'
import { compareTexts, type Language } from '../language/language.ts'
import type { Column } from './column.ts'

export const features = tableFeatures({
  rowSortingFeature,
  rowSelectionFeature,
  sortedRowModel: createSortedRowModel(),
})

/** How the table library puts rows in order: texts as the language does, numbers by value; equal ones stay as they were. */
export function sortableColumns<Row extends object>(
  columns: readonly Column<Row>[],
  language: Language,
): ColumnDef<typeof features, Row>[] {
  return columns.map(({ id, order }) => ({
    id,
    accessorFn: order ?? (() => undefined),
    enableSorting: order !== undefined,
    sortDescFirst: false,
    sortUndefined: 'last',
    sortFn: (left, right) => {
      const [a, b] = [left.getValue<string | number>(id), right.getValue<string | number>(id)]
      return typeof a === 'number' && typeof b === 'number' ? a - b : compareTexts(String(a), String(b), language)
    },
  }))
}
