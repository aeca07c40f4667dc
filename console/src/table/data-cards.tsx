import { ActionIcon, Card, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { IconSortAscending, IconSortDescending } from '@tabler/icons-react'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState } from 'react'
import { useTexts } from '../language/language.ts'
import type { Column, Ordering } from './column.ts'

/** Most cards are about as high; each is measured when it is drawn. */
const USUAL_CARD_PX = 180

interface DataCardsProps<Row> {
  readonly label: string
  /** In order. */
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string | number
  readonly ordering: Ordering
  readonly onOrder: (ordering: Ordering) => void
}

/** A table on a phone: a card a row, with the titles of the columns beside the values; nothing is cut. */
export function DataCards<Row>({ label, rows, columns, keyOf, ordering, onOrder }: DataCardsProps<Row>) {
  const texts = useTexts('table')
  const list = useRef<HTMLDivElement>(null)
  const [abovePx, setAbovePx] = useState(0)
  useLayoutEffect(() => {
    setAbovePx((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY)
  }, [])
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => USUAL_CARD_PX,
    overscan: 6,
    scrollMargin: abovePx,
  })
  const orderable = columns.filter(({ order }) => order)
  const Direction = ordering.isDescending ? IconSortDescending : IconSortAscending
  return (
    <Stack gap="sm">
      {orderable.length > 1 && (
        <Group gap="xs" wrap="nowrap" align="end">
          <NativeSelect
            label={texts.sortBy}
            data={orderable.map(({ id, title }) => ({ value: id, label: title }))}
            value={ordering.columnId}
            onChange={event => onOrder({ ...ordering, columnId: event.currentTarget.value })}
            flex={1}
          />
          <ActionIcon
            variant="default"
            size={36}
            aria-label={ordering.isDescending ? texts.descending : texts.ascending}
            onClick={() => onOrder({ ...ordering, isDescending: !ordering.isDescending })}
          >
            <Direction size={18} aria-hidden />
          </ActionIcon>
        </Group>
      )}
      <div
        ref={list}
        role="list"
        aria-label={label}
        style={{ position: 'relative', height: virtual.getTotalSize(), minHeight: 1 }}
      >
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]
          if (row === undefined) return null
          return (
            <div
              key={keyOf(row)}
              ref={virtual.measureElement}
              data-index={index}
              role="listitem"
              aria-setsize={rows.length}
              aria-posinset={index + 1}
              style={{
                position: 'absolute',
                insetInline: 0,
                top: 0,
                paddingBottom: 8,
                transform: `translateY(${start - abovePx}px)`,
              }}
            >
              <DataCard row={row} columns={columns} />
            </div>
          )
        })}
      </div>
    </Stack>
  )
}

/** A row with the titles of its columns beside the values. */
export function DataCard<Row>({ row, columns }: { readonly row: Row; readonly columns: readonly Column<Row>[] }) {
  const [first, ...others] = columns
  return (
    <Card withBorder p="sm" className="data-card">
      <Text component="div" fw={600} mb={6}>
        {first?.cell(row)}
      </Text>
      <Stack component="dl" gap={4} m={0}>
        {others.map(({ id, title, cell, isWide }) => {
          const value = cell(row)
          if (value === '' || value === null || value === undefined) return null
          return isWide ? (
            <div key={id}>
              <Text component="dt" fz="sm" c="dimmed">
                {title}
              </Text>
              <Text component="dd" fz="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
                {value}
              </Text>
            </div>
          ) : (
            <Group key={id} justify="space-between" gap="sm" wrap="nowrap" align="start">
              <Text component="dt" fz="sm" c="dimmed" style={{ flexShrink: 0 }}>
                {title}
              </Text>
              <Text component="dd" fz="sm" m={0} ta="right" miw={0} style={{ overflowWrap: 'anywhere' }}>
                {value}
              </Text>
            </Group>
          )
        })}
      </Stack>
    </Card>
  )
}
