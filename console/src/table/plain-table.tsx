import { Stack, Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { Column } from './column.ts'
import { DataCard } from './data-cards.tsx'

interface PlainTableProps<Row> {
  /** What the table contains, for screen readers. */
  readonly label: string
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string | number
}

/** A table of few rows, which may be higher than a line, in the order in which they come. On a phone each row is a card. */
export function PlainTable<Row>({ label, rows, columns, keyOf }: PlainTableProps<Row>) {
  const isPhone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  if (isPhone)
    return (
      <Stack gap="xs" role="list" aria-label={label}>
        {rows.map(row => (
          <div key={keyOf(row)} role="listitem">
            <DataCard row={row} columns={columns} />
          </div>
        ))}
      </Stack>
    )
  return (
    <Table.ScrollContainer minWidth={720}>
      <Table highlightOnHover aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ id, title, isNumeric }) => (
              <Table.Th key={id} ta={isNumeric ? 'right' : 'left'}>
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(row => (
            <Table.Tr key={keyOf(row)}>
              {columns.map(({ id, cell, isNumeric, isWide }) => (
                <Table.Td
                  key={id}
                  ta={isNumeric ? 'right' : 'left'}
                  style={isWide ? { overflowWrap: 'anywhere' } : undefined}
                >
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
