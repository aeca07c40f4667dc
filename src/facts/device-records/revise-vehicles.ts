import { revisionAfter } from '../../db/revisions.ts'
import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'

/** Gives vehicles new revisions, because clients see something else of them (decisions.md, *Sync*). Each is named once. */
export async function reviseVehicles(transaction: Transaction, vehicleIds: readonly number[]): Promise<void> {
  if (vehicleIds.length === 0) return
  const first = await transaction.takeRevisions(vehicleIds.length)
  await transaction.rows(sql`
    update vehicles v set modified = u.modified
    from unnest(${vehicleIds}::bigint[], ${vehicleIds.map((_, index) => revisionAfter(first, index))}::timestamptz[])
      as u (id, modified)
    where v.id = u.id`)
}
