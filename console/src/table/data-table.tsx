import { Group, Table, UnstyledButton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { useLanguage } from '../language/language.ts'
import { type Column, inOrder, type Ordering } from './column.ts'
import { DataCards } from './data-cards.tsx'
import { ROW_PX, VirtualTable } from './virtual-table.tsx'
import { WIDE_CELL } from './wide-cell.ts'

interface DataTableProps<Row> {
  /** What the table contains, for screen readers. */
  readonly label: string
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string | number
  readonly firstOrdering: Ordering
  /** How much of the page's height it may take; it scrolls inside. */
  readonly height?: string
}

/**
 * A table that is put in order by its heads and draws only the rows in view, so that ten thousand are no burden. On a
 * phone each row is a card.
 */
export function DataTable<Row>({ label, rows, columns, keyOf, firstOrdering, height }: DataTableProps<Row>) {
  const language = useLanguage()
  const [ordering, setOrdering] = useState(firstOrdering)
  const ordered = useMemo(() => inOrder(rows, columns, ordering, language), [rows, columns, ordering, language])
  const isPhone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  if (isPhone)
    return (
      <DataCards
        label={label}
        rows={ordered}
        columns={columns}
        keyOf={keyOf}
        ordering={ordering}
        onOrder={setOrdering}
      />
    )
  return (
    <VirtualTable
      label={label}
      height={height}
      rowCount={ordered.length}
      columnCount={columns.length}
      head={columns.map(column => <Head key={column.id} column={column} ordering={ordering} onOrder={setOrdering} />)}
      renderRow={index => {
        const row = ordered[index]
        if (row === undefined) return null
        return (
          <Table.Tr key={keyOf(row)} aria-rowindex={index + 2} h={ROW_PX}>
            {columns.map(({ id, cell, isNumeric, isWide }) => (
              <Table.Td
                key={id}
                ta={isNumeric ? 'right' : 'left'}
                style={isWide ? WIDE_CELL : { whiteSpace: 'nowrap' }}
              >
                {cell(row)}
              </Table.Td>
            ))}
          </Table.Tr>
        )
      }}
    />
  )
}

interface HeadProps<Row> {
  readonly column: Column<Row>
  readonly ordering: Ordering
  readonly onOrder: (ordering: Ordering) => void
}

function Head<Row>({ column: { id, title, order, isNumeric }, ordering, onOrder }: HeadProps<Row>) {
  const isOrdering = ordering.columnId === id
  const Arrow = isOrdering ? (ordering.isDescending ? IconArrowDown : IconArrowUp) : IconArrowsSort
  return (
    <Table.Th
      ta={isNumeric ? 'right' : 'left'}
      style={{ whiteSpace: 'nowrap' }}
      aria-sort={isOrdering ? (ordering.isDescending ? 'descending' : 'ascending') : undefined}
    >
      {order ? (
        <UnstyledButton
          fz="inherit"
          fw="inherit"
          onClick={() => onOrder({ columnId: id, isDescending: isOrdering && !ordering.isDescending })}
        >
          <Group gap={4} wrap="nowrap" justify={isNumeric ? 'flex-end' : 'flex-start'}>
            {title}
            <Arrow size={14} stroke={1.6} aria-hidden opacity={isOrdering ? 1 : 0.35} />
          </Group>
        </UnstyledButton>
      ) : (
        title
      )}
    </Table.Th>
  )
}
