import type { Connection } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { spanOfTable } from '../../store/table-spans.ts'

/** A table of samples and the room that it takes with its indexes. */
interface TableSize {
  readonly name: string
  readonly bytes: number
}

export function readTableSizes(connection: Connection): Promise<TableSize[]> {
  return connection.rows<TableSize>(sql`
    select c.relname as name, table_bytes(c.oid)::float8 as bytes
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass('samples')`)
}

const DAY_MS = 24 * 3600 * 1000
const WEEKS = 4

/**
 * How much the measurements of the last four full weeks take a day, those of this week where there is no full one.
 * @returns undefined when there are none
 */
export function growthBytesPerDay(tables: readonly TableSize[], nowMs: number): number | undefined {
  const weeks = tables.flatMap(({ name, bytes }) => {
    const span = spanOfTable(name)
    return span && span.toMs - span.fromMs === 7 * DAY_MS ? [{ ...span, bytes }] : []
  })
  const full = weeks.filter(({ toMs }) => toMs <= nowMs && toMs > nowMs - WEEKS * 7 * DAY_MS)
  const counted = full.length > 0 ? full : weeks.filter(({ fromMs, toMs }) => fromMs <= nowMs - DAY_MS && toMs > nowMs)
  const days = counted.reduce((sum, { fromMs, toMs }) => sum + (Math.min(toMs, nowMs) - fromMs) / DAY_MS, 0)
  const bytes = counted.reduce((sum, table) => sum + table.bytes, 0)
  return bytes > 0 && days > 0 ? bytes / days : undefined
}
