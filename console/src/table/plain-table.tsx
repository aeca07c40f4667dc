import { Card, Group, Stack, Table, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { ReactNode } from 'react'
import type { Column } from './column.ts'

interface PlainTableProps<Row> {
  /** What the table contains, for screen readers. */
  readonly label: string
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string | number
}

/** A table of few rows, which may be higher than a line, in the order in which they come. On a phone each row is a card. */
export function PlainTable<Row>({ label, rows, columns, keyOf }: PlainTableProps<Row>) {
  const isPhone = useIsPhone()
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

/** Whether there is room for cards only, not for the columns of a table. */
export function useIsPhone(): boolean {
  return useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
}

/** A text in two lines, which is what a row has room for; what does not fit can be pointed at. */
export function TwoLines({ children, c }: { readonly children: string; readonly c?: string | undefined }) {
  return (
    <Text span fz="sm" lh={1.2} my={-4} lineClamp={2} style={{ whiteSpace: 'normal' }} title={children} c={c}>
      {children}
    </Text>
  )
}

interface DataCardProps<Row> {
  readonly row: Row
  readonly columns: readonly Column<Row>[]
  readonly titleId?: string
  /** With which the row is chosen. */
  readonly box?: ReactNode
}

/** A row with the titles of its columns beside the values. */
export function DataCard<Row>({ row, columns, titleId, box }: DataCardProps<Row>) {
  const [first, ...others] = columns
  return (
    <Card withBorder p="sm" className="data-card">
      <Group gap="sm" wrap="nowrap" mb={6}>
        {box}
        <Text component="div" fw={600} id={titleId} flex={1} miw={0}>
          {first?.cell(row)}
        </Text>
      </Group>
      <Stack component="dl" gap={4} m={0}>
        {others.map(({ id, title, cell, isWide }) => {
          const value = cell(row)
          if (value === '' || value === null || value === undefined) return null
          return (
            <Group
              key={id}
              justify="space-between"
              gap={isWide ? 0 : 'sm'}
              wrap={isWide ? 'wrap' : 'nowrap'}
              align="start"
            >
              <Text component="dt" fz="sm" c="dimmed" w={isWide ? '100%' : undefined} style={{ flexShrink: 0 }}>
                {title}
              </Text>
              <Text
                component="dd"
                fz="sm"
                m={0}
                pb={isWide ? 4 : undefined}
                ta={isWide ? 'left' : 'right'}
                miw={0}
                style={{ overflowWrap: 'anywhere' }}
              >
                {value}
              </Text>
            </Group>
          )
        })}
      </Stack>
    </Card>
  )
}
