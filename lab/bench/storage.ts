import { sql } from '../../src/db/sql.ts'
import type { BenchResult } from './result.ts'
import type { RunningService } from './running-service.ts'

/** Bytes an event takes on disk as the service stored it, indexes included. */
export async function benchStorage({ database }: RunningService): Promise<BenchResult> {
  const [size] = await database.rows<{ bytes: number }>(sql`
    select sum(table_bytes(inhrelid))::bigint as bytes from pg_inherits where inhparent = 'samples'::regclass`)
  const [count] = await database.rows<{ events: number }>(sql`
    select sum(cardinality(h.types))::bigint as events from samples s join layouts h on h.id = s.layout_id`)
  const events = count?.events ?? 0
  return {
    name: 'Storage',
    measured: `${((size?.bytes ?? 0) / events).toFixed(1)} B an event, ${events} events as they were ingested, indexes included`,
    against: '31 B an event',
    ratio: (size?.bytes ?? 0) / events / 31,
    target: { atMost: 1 },
  }
}
