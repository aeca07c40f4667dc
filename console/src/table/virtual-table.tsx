import { Table } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type ReactNode, useRef } from 'react'

/** Every row is as high, so that what is not drawn has a known height. */
export const ROW_PX = 45

/** A cell that takes the room that the others leave, and whose text is cut only when there is none left. */
export const WIDE_CELL: CSSProperties = { width: '100%', minWidth: 220, maxWidth: 0, whiteSpace: 'nowrap' }

interface VirtualTableProps {
  /** What the table contains, for screen readers. */
  readonly label: string
  readonly rowCount: number
  readonly columnCount: number
  /** Cells of the head. */
  readonly head: ReactNode
  /** A `Table.Tr` with a key, `aria-rowindex` index + 2 and the height `ROW_PX`. */
  readonly renderRow: (index: number) => ReactNode
  /** How much of the page's height it may take; it scrolls inside. */
  readonly height?: string | undefined
}

/** A table that draws only the rows in view, so that ten thousand are no burden. */
export function VirtualTable({ label, rowCount, columnCount, head, renderRow, height }: VirtualTableProps) {
  const container = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rowCount,
    getScrollElement: () => container.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  })
  const inView = virtual.getVirtualItems()
  const abovePx = inView[0]?.start ?? 0
  const belowPx = virtual.getTotalSize() - (inView.at(-1)?.end ?? 0)
  return (
    <section
      ref={container}
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
      tabIndex={0}
      style={{ overflow: 'auto', maxHeight: height ?? 'calc(100dvh - 190px)' }}
    >
      <Table highlightOnHover stickyHeader aria-label={label} aria-rowcount={rowCount + 1}>
        <Table.Thead>
          <Table.Tr aria-rowindex={1}>{head}</Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {abovePx > 0 && <Spacer heightPx={abovePx} span={columnCount} />}
          {inView.map(({ index }) => renderRow(index))}
          {belowPx > 0 && <Spacer heightPx={belowPx} span={columnCount} />}
        </Table.Tbody>
      </Table>
    </section>
  )
}

function Spacer({ heightPx, span }: { readonly heightPx: number; readonly span: number }) {
  return (
    <tr aria-hidden style={{ height: heightPx }}>
      <td colSpan={span} />
    </tr>
  )
}
