import { revised, unnestOf } from '../db/bulk-rows.ts'
import { sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import type { DeviceId } from '../model/sample.ts'

const TABLES = { trips: sql`trips`, incidents: sql`incidents` } as const

interface Superseding {
  readonly deviceId: DeviceId
  readonly id: number
  /** The one that counts in its place; undefined when it counts. */
  readonly by: number | undefined
}

/** Writes which trips or incidents count (docs/adr/0017). Clients do not see which counts
 * instead, so that is no change. */
export async function writeSuperseded(
  transaction: Transaction,
  table: keyof typeof TABLES,
  decisions: readonly Superseding[],
): Promise<void> {
  if (decisions.length === 0) return
  const rows = await revised(
    transaction,
    decisions.map(({ deviceId, id, by }) => ({ device_id: deviceId, id, by: by ?? null })),
  )
  await transaction.rows(
    sql`
      update ${TABLES[table]} item set superseded_by = u.by,
        deleted = case when u.by is not null then coalesce(item.deleted, clock_timestamp()) end,
        modified = case when (u.by is null) = (item.superseded_by is null) then item.modified else u.modified end
      from ${unnestOf({ device_id: 'bigint', id: 'bigint', by: 'bigint?', modified: 'timestamptz' }, rows)}
      where item.device_id = u.device_id and item.id = u.id`,
    { prepareAs: `write-superseded-${table}` },
  )
}
