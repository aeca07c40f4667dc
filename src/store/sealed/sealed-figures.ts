import type { Connection } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

/** How much history is sealed and how much is not. */
export interface SealedFigures {
  readonly days: number
  /** Of them, without a rollup yet. */
  readonly daysWithoutRollup: number
  readonly samples: number
  readonly values: number
  /** With indexes and everything. */
  readonly bytes: number
  /** The first and the last of them; null without any. */
  readonly firstDay: string | null
  readonly lastDay: string | null
  /** Samples in rows, as PostgreSQL estimates them, and what their tables take. */
  readonly rowSamples: number
  readonly rowBytes: number
  readonly rowTables: number
}

/** Counts what is sealed; what is not is estimated by PostgreSQL. */
export async function readSealedFigures(connection: Connection): Promise<SealedFigures> {
  const [row] = await connection.rows<{
    days: number
    without_rollup: number
    samples: number
    values_count: number
    bytes: number
    first_day: string | null
    last_day: string | null
    row_samples: number
    row_bytes: number
    row_tables: number
  }>(sql`
    select d.*, table_bytes('sealed_days') as bytes, t.*
    from (
      select count(*) as days, count(*) filter (where rollup is null) as without_rollup, coalesce(sum(samples_count), 0)::bigint as samples,
        coalesce(sum(values_count), 0)::bigint as values_count, min(day)::text as first_day, max(day)::text as last_day
      from sealed_days
    ) d, (
      select count(*) as row_tables, coalesce(sum(table_bytes(c.oid)), 0)::bigint as row_bytes,
        coalesce(sum(table_rows(c.oid)), 0)::bigint as row_samples
      from pg_inherits join pg_class c on c.oid = inhrelid where inhparent = 'samples'::regclass
    ) t`)
  return {
    days: row?.days ?? 0,
    daysWithoutRollup: row?.without_rollup ?? 0,
    samples: row?.samples ?? 0,
    values: row?.values_count ?? 0,
    bytes: row?.bytes ?? 0,
    firstDay: row?.first_day ?? null,
    lastDay: row?.last_day ?? null,
    rowSamples: row?.row_samples ?? 0,
    rowBytes: row?.row_bytes ?? 0,
    rowTables: row?.row_tables ?? 0,
  }
}
