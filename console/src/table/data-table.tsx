import { ActionIcon, Checkbox, Group, NativeSelect, Stack, Table, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowsSort, IconArrowUp, IconSortAscending, IconSortDescending } from '@tabler/icons-react'
import { useTable } from '@tanstack/react-table'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { formatNumber } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { type Column, features, type Ordering, orderingOf, sortableColumns, sortOf } from './column.ts'
import { DataCard, useIsPhone } from './plain-table.tsx'
import { ROW_PX, VirtualTable, WIDE_CELL } from './virtual-table.tsx'

interface DataTableProps<Row, Key> {
  /** What the table contains, for screen readers. */
  readonly label: string
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => Key
  readonly firstOrdering: Ordering
  /** The ordering that the page's address has, such as `-until`; with `onSort`, else the table keeps it. */
  readonly sort?: string | undefined
  /** Puts an ordering into the address; undefined is the first one. */
  readonly onSort?: (sort: string | undefined) => void
  /** Rows can be chosen: by click, with shift from the last one on, by space and by shift with an arrow key. */
  readonly selection?: Selection<Key> | undefined
  /** How much of the page's height it may take; it scrolls inside. */
  readonly height?: string
}

export interface Selection<Key> {
  readonly selected: ReadonlySet<Key>
  /** Keys of rows that are in the table, no others. */
  readonly onChange: (selected: ReadonlySet<Key>) => void
}

/**
 * A table that is put in order by its heads and draws only the rows in view, so that ten thousand are no burden. On a
 * phone each row is a card.
 */
export function DataTable<Row extends object, Key extends string | number>(props: DataTableProps<Row, Key>) {
  const { label, rows, columns, keyOf, firstOrdering, sort, onSort, selection, height } = props
  const texts = useTexts('table')
  const language = useLanguage()
  const isPhone = useIsPhone()
  const id = useId()
  const [own, setOwn] = useState(firstOrdering)
  const asked = sort === undefined ? undefined : orderingOf(sort)
  const inAddress =
    asked && columns.some(column => column.order && column.id === asked.columnId) ? asked : firstOrdering
  const ordering = onSort ? inAddress : own
  const order = (wanted: Ordering) => {
    if (onSort) onSort(sortOf(wanted) === sortOf(firstOrdering) ? undefined : sortOf(wanted))
    else setOwn(wanted)
  }
  const chosen = useMemo(
    () => Object.fromEntries([...(selection?.selected ?? [])].map(key => [String(key), true as const])),
    [selection?.selected],
  )
  const table = useTable({
    features,
    ...useMemo(
      // Rows remember what they are put in order by, and that changes with the columns too: so both are new together.
      () => ({ columns: sortableColumns(columns, language), data: [...rows] }),
      [columns, language, rows],
    ),
    getRowId: row => String(keyOf(row)),
    state: { sorting: [{ id: ordering.columnId, desc: ordering.isDescending }], rowSelection: chosen },
    onRowSelectionChange: change => {
      const next = typeof change === 'function' ? change(chosen) : change
      selection?.onChange(new Set(rows.map(keyOf).filter(key => next[String(key)])))
    },
  })
  const ordered = table.getRowModel().rows
  const view = useRef<HTMLDivElement>(null)

  /** The box of a row: named by the row's first cell. */
  const boxOf = (index: number) => {
    const row = ordered[index]
    if (!selection || !row) return null
    const onKeyDown = (event: KeyboardEvent) => {
      const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
      const next = ordered[index + step]
      if (step === 0 || !next) return
      event.preventDefault()
      if (event.shiftKey) table.setRowSelection(before => ({ ...before, [row.id]: true, [next.id]: true }))
      view.current?.querySelector<HTMLElement>(`[data-box="${index + step}"]`)?.focus()
    }
    return (
      <Checkbox
        size="xs"
        data-box={index}
        aria-labelledby={`${id}select ${id}${index}`}
        checked={row.getIsSelected()}
        onChange={row.getToggleSelectedHandler()}
        onKeyDown={onKeyDown}
        // The head of the table covers what is above.
        styles={{ input: { scrollMarginTop: 2 * ROW_PX } }}
      />
    )
  }
  const allBox = selection && (
    <Checkbox
      size="xs"
      {...(isPhone ? { label: texts.selectAll } : { 'aria-label': texts.selectAll })}
      checked={table.getIsAllRowsSelected()}
      indeterminate={table.getIsSomeRowsSelected()}
      onChange={table.getToggleAllRowsSelectedHandler()}
    />
  )
  const rest = { ordering, onOrder: order }
  return (
    <div ref={view}>
      {selection && (
        <VisuallyHidden>
          <span id={`${id}select`}>{texts.select}</span>
          <span role="status">
            {texts.selected(formatNumber(Object.keys(chosen).length, language), formatNumber(rows.length, language))}
          </span>
        </VisuallyHidden>
      )}
      {isPhone ? (
        <DataCards
          {...{ label, columns, ...rest }}
          allBox={allBox}
          keys={ordered.map(row => row.id)}
          renderCard={index => {
            const row = ordered[index]
            return row && <DataCard row={row.original} columns={columns} titleId={`${id}${index}`} box={boxOf(index)} />
          }}
        />
      ) : (
        <VirtualTable
          label={label}
          height={height}
          rowCount={ordered.length}
          columnCount={columns.length + (selection ? 1 : 0)}
          head={
            <>
              {selection && <Table.Th w={1}>{allBox}</Table.Th>}
              {columns.map(column => (
                <Head key={column.id} column={column} {...rest} />
              ))}
            </>
          }
          renderRow={index => {
            const row = ordered[index]
            if (row === undefined) return null
            return (
              <Table.Tr
                key={row.id}
                aria-rowindex={index + 2}
                h={ROW_PX}
                {...(row.getIsSelected() ? { bg: 'var(--mantine-primary-color-light)' } : {})}
              >
                {selection && <Table.Td>{boxOf(index)}</Table.Td>}
                {columns.map(({ id: columnId, cell, isNumeric, isWide }, column) => (
                  <Table.Td
                    key={columnId}
                    {...(selection && column === 0 ? { id: `${id}${index}` } : {})}
                    ta={isNumeric ? 'right' : 'left'}
                    style={isWide ? WIDE_CELL : { whiteSpace: 'nowrap' }}
                  >
                    {cell(row.original)}
                  </Table.Td>
                ))}
              </Table.Tr>
            )
          }}
        />
      )}
    </div>
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

/** Most cards are about as high; each is measured when it is drawn. */
const USUAL_CARD_PX = 180

interface DataCardsProps<Row> extends Omit<HeadProps<Row>, 'column'> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly keys: readonly string[]
  readonly renderCard: (index: number) => ReactNode
  readonly allBox: ReactNode
}

/** A table on a phone: a card a row, with the titles of the columns beside the values; nothing is cut. */
function DataCards<Row>({ label, columns, keys, renderCard, allBox, ordering, onOrder }: DataCardsProps<Row>) {
  const texts = useTexts('table')
  const list = useRef<HTMLDivElement>(null)
  const [abovePx, setAbovePx] = useState(0)
  useLayoutEffect(() => {
    setAbovePx((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY)
  }, [])
  const virtual = useWindowVirtualizer({
    count: keys.length,
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
      {allBox}
      <div
        ref={list}
        role="list"
        aria-label={label}
        style={{ position: 'relative', height: virtual.getTotalSize(), minHeight: 1 }}
      >
        {virtual.getVirtualItems().map(({ index, start }) => (
          <div
            key={keys[index]}
            ref={virtual.measureElement}
            data-index={index}
            role="listitem"
            aria-setsize={keys.length}
            aria-posinset={index + 1}
            style={{
              position: 'absolute',
              insetInline: 0,
              top: 0,
              paddingBottom: 8,
              transform: `translateY(${start - abovePx}px)`,
            }}
          >
            {renderCard(index)}
          </div>
        ))}
      </div>
    </Stack>
  )
}
