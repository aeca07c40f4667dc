import { ActionIcon, Checkbox, Group, NativeSelect, Stack, Table, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowsSort, IconArrowUp, IconSortAscending, IconSortDescending } from '@tabler/icons-react'
import { useSelector } from '@tanstack/react-store'
import {
  type ColumnDef,
  createSortedRowModel,
  rowSelectionFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useVirtualizer, useWindowVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { compareTexts, formatNumber, useLanguage, useTexts } from '../language/language.ts'
import { printing } from '../shell/printing.ts'
import { type Column, type Ordering, orderingOf, sortOf } from './column.ts'
import { DataCard, useIsPhone } from './plain-table.tsx'

interface DataTableProps<Row, Key> {
  /** What the table contains, for screen readers. */
  readonly label: string
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => Key
  /** Without it the rows stay as they come until somebody chooses a column. */
  readonly firstOrdering?: Ordering
  /** The ordering that the page's address has, such as `-until`; with `onSort`, else the table keeps it. */
  readonly sort?: string | undefined
  /** Puts an ordering into the address; undefined is the first one. */
  readonly onSort?: (sort: string | undefined) => void
  /** Rows can be chosen: by click, with shift from the last one on, by space and by shift with an arrow key. */
  readonly selection?: Selection<Key> | undefined
  /** Of a row that is a heading of those below it: what it says over all columns. */
  readonly renderHeading?: (row: Row) => ReactNode
  /** For clicks beside the links of a row. */
  readonly onOpen?: (row: Row) => void
  /** What a phone shows of a row; otherwise the titles of the columns beside the values. */
  readonly renderCard?: (row: Row) => ReactNode
  /** How much of the page's height it may take; it scrolls inside. */
  readonly height?: string
}

interface Selection<Key> {
  readonly selected: ReadonlySet<Key>
  /** Keys of rows that are in the table, no others. */
  readonly onChange: (selected: ReadonlySet<Key>) => void
}

/** Every row is as high, so that what is not drawn has a known height. */
const ROW_PX = 45

/** Most cards are about as high; each is measured when it is drawn. */
const USUAL_CARD_PX = 180

/** Wide cells share the room that the others leave; their text is cut only when there is none left. */
const wideCell = (count: number) =>
  ({ width: `${100 / count}%`, minWidth: 150, maxWidth: 0, whiteSpace: 'nowrap' }) as const

/**
 * A table that is put in order by its heads and draws only the rows in view, so that ten thousand are no burden. On a
 * phone each row is a card.
 */
export function DataTable<Row extends object, Key extends string | number>(props: DataTableProps<Row, Key>) {
  const { label, rows, columns, keyOf, firstOrdering, sort, onSort, selection, onOpen, height } = props
  const texts = useTexts('table')
  const language = useLanguage()
  const isPhone = useIsPhone()
  const id = useId()
  const [own, setOwn] = useState(firstOrdering)
  const asked = sort === undefined ? undefined : orderingOf(sort)
  const isKnown = columns.some(column => column.order && column.id === asked?.columnId)
  const ordering = onSort ? (isKnown ? asked : firstOrdering) : own
  const order = (wanted: Ordering) => {
    if (!onSort) setOwn(wanted)
    else onSort(firstOrdering && sortOf(wanted) === sortOf(firstOrdering) ? undefined : sortOf(wanted))
  }
  const chosen = useMemo(
    () => Object.fromEntries([...(selection?.selected ?? [])].map(key => [String(key), true as const])),
    [selection?.selected],
  )
  const table = useTable({
    features,
    ...useMemo(
      // Rows remember what they are put in order by, and that changes with the columns too: so both are new together.
      () => ({ columns: sortableColumns(columns), data: [...rows] }),
      // oxlint-disable-next-line react/exhaustive-deps -- texts are in the order of the language
      [columns, language, rows],
    ),
    getRowId: row => String(keyOf(row)),
    state: {
      sorting: ordering ? [{ id: ordering.columnId, desc: ordering.isDescending }] : [],
      rowSelection: chosen,
    },
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
  const span = columns.length + (selection ? 1 : 0)
  const wide = wideCell(columns.filter(({ isWide }) => isWide).length)
  const renderRow = (index: number) => {
    const row = ordered[index]
    if (!row) return null
    const title = props.renderHeading?.(row.original)
    if (title)
      return (
        <Table.Tr key={row.id} aria-rowindex={index + 2} h={ROW_PX} bg="var(--mantine-color-default-hover)">
          <Table.Th colSpan={span} scope="rowgroup" fw="normal">
            {title}
          </Table.Th>
        </Table.Tr>
      )
    return (
      <Table.Tr
        key={row.id}
        aria-rowindex={index + 2}
        h={ROW_PX}
        {...(row.getIsSelected() ? { bg: 'var(--mantine-primary-color-light)' } : {})}
        {...(onOpen ? { onClick: () => onOpen(row.original), style: { cursor: 'pointer' } } : {})}
      >
        {selection && <Table.Td>{boxOf(index)}</Table.Td>}
        {columns.map(({ id: columnId, cell, isNumeric, isWide }, column) => (
          <Table.Td
            key={columnId}
            {...(selection && column === 0 ? { id: `${id}${index}` } : {})}
            ta={isNumeric ? 'right' : 'left'}
            style={isWide ? wide : { whiteSpace: 'nowrap' }}
          >
            {cell(row.original)}
          </Table.Td>
        ))}
      </Table.Tr>
    )
  }
  const renderCard = (index: number) => {
    const row = ordered[index]?.original
    if (!row) return null
    const drawn = props.renderHeading?.(row) || props.renderCard?.(row)
    return drawn || <DataCard row={row} columns={columns} titleId={`${id}${index}`} box={boxOf(index)} />
  }
  const keys = ordered.map(row => row.id)
  return (
    <div ref={view}>
      {selection && (
        <VisuallyHidden>
          <span id={`${id}select`}>{texts.select}</span>
          <span role="status">
            {texts.selected(formatNumber(Object.keys(chosen).length), formatNumber(rows.length))}
          </span>
        </VisuallyHidden>
      )}
      {isPhone ? (
        <Stack gap="sm">
          <Sorting columns={columns} ordering={ordering} onOrder={order} />
          {allBox}
          <Cards label={label} keys={keys} renderCard={renderCard} />
        </Stack>
      ) : (
        <Lines label={label} height={height} count={keys.length} span={span} renderRow={renderRow}>
          {selection && <Table.Th w={1}>{allBox}</Table.Th>}
          {columns.map(column => (
            <Head key={column.id} column={column} ordering={ordering} onOrder={order} />
          ))}
        </Lines>
      )}
    </div>
  )
}

interface LinesProps {
  readonly label: string
  readonly height: string | undefined
  readonly count: number
  readonly span: number
  readonly renderRow: (index: number) => ReactNode
  /** The cells of the head. */
  readonly children: ReactNode
}

/** A table that scrolls inside and draws only the rows in view. */
function Lines({ label, height = 'calc(100dvh - 190px)', count, span, renderRow, children }: LinesProps) {
  const container = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => container.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  })
  const isPrinting = useSelector(printing)
  // All rows are drawn for paper, which does not scroll.
  const inView = isPrinting ? [] : virtual.getVirtualItems()
  const spacer = (heightPx: number) =>
    heightPx > 0 && (
      <tr aria-hidden style={{ height: heightPx }}>
        <td colSpan={span} />
      </tr>
    )
  return (
    <section
      ref={container}
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
      tabIndex={0}
      style={{ overflow: 'auto', maxHeight: height }}
    >
      <Table highlightOnHover stickyHeader aria-label={label} aria-rowcount={count + 1}>
        <Table.Thead>
          <Table.Tr aria-rowindex={1}>{children}</Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {spacer(inView[0]?.start ?? 0)}
          {isPrinting && Array.from({ length: count }, (_, index) => renderRow(index))}
          {inView.map(({ index }) => renderRow(index))}
          {!isPrinting && spacer(virtual.getTotalSize() - (inView.at(-1)?.end ?? 0))}
        </Table.Tbody>
      </Table>
    </section>
  )
}

interface SortingProps {
  readonly ordering: Ordering | undefined
  readonly onOrder: (ordering: Ordering) => void
}

function Head<Row>({
  column: { id, title, order, isNumeric },
  ordering,
  onOrder,
}: SortingProps & { readonly column: Column<Row> }) {
  const isDescending = ordering?.columnId === id ? ordering.isDescending : undefined
  const Arrow = isDescending === undefined ? IconArrowsSort : isDescending ? IconArrowDown : IconArrowUp
  return (
    <Table.Th
      ta={isNumeric ? 'right' : 'left'}
      style={{ whiteSpace: 'nowrap' }}
      aria-sort={isDescending === undefined ? undefined : isDescending ? 'descending' : 'ascending'}
    >
      {order ? (
        <UnstyledButton
          fz="inherit"
          fw="inherit"
          onClick={() => onOrder({ columnId: id, isDescending: isDescending === false })}
        >
          <Group gap={4} wrap="nowrap" justify={isNumeric ? 'flex-end' : 'flex-start'}>
            {title}
            <Arrow size={14} stroke={1.6} aria-hidden opacity={isDescending === undefined ? 0.35 : 1} />
          </Group>
        </UnstyledButton>
      ) : (
        title
      )}
    </Table.Th>
  )
}

/** What the heads of a table do, where there are none. */
function Sorting<Row>({ columns, ordering, onOrder }: SortingProps & Pick<DataTableProps<Row, never>, 'columns'>) {
  const texts = useTexts('table')
  const orderable = columns.filter(({ order }) => order)
  if (orderable.length < 2 || !ordering) return null
  const Direction = ordering.isDescending ? IconSortDescending : IconSortAscending
  return (
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
  )
}

interface CardsProps {
  readonly label: string
  readonly keys: readonly string[]
  readonly renderCard: (index: number) => ReactNode
}

/** A table on a phone: a card a row, of which only those in view are drawn; nothing is cut. */
function Cards({ label, keys, renderCard }: CardsProps) {
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
  return (
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
  )
}

export const features = tableFeatures({
  rowSortingFeature,
  rowSelectionFeature,
  sortedRowModel: createSortedRowModel(),
})

/** How the table library puts rows in order: texts as the language does, numbers by value; equal ones stay as they were. */
export function sortableColumns<Row extends object>(
  columns: readonly Column<Row>[],
): ColumnDef<typeof features, Row>[] {
  return columns.map(({ id, order }) => ({
    id,
    accessorFn: order ?? (() => undefined),
    enableSorting: order !== undefined,
    sortDescFirst: false,
    sortUndefined: 'last',
    sortFn: (left, right) => {
      const [a, b] = [left.getValue<string | number>(id), right.getValue<string | number>(id)]
      return typeof a === 'number' && typeof b === 'number' ? a - b : compareTexts(String(a), String(b))
    },
  }))
}
