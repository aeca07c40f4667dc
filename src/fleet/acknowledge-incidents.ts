import { revised, unnestOf } from '../db/bulk-rows.ts'
import { type Statement, sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'

export interface Acknowledgement {
  /** By name. */
  readonly by: string
  readonly note: string
}

/** Says who saw incidents, or undefined that nobody did. Nothing that follows from samples changes, so no device need be held.
 * @param which a condition that no incident of another account meets @returns the ids of those that were changed */
export async function acknowledgeIncidents(
  transaction: Transaction,
  which: Statement,
  given: Acknowledgement | undefined,
): Promise<readonly number[]> {
  // In order of their ids, so that two who do so at once do not wait for each other.
  const changing = await transaction.rows<{ readonly id: number }>(
    sql`select id from incidents where ${which} order by id for no key update`,
  )
  await transaction.rows(sql`
    update incidents i set
      acknowledged = ${given ? sql`statement_timestamp()` : sql`null`}, acknowledged_by = ${given?.by ?? null},
      note = ${given?.note ?? null}, modified = u.modified
    from ${unnestOf({ id: 'bigint', modified: 'timestamptz' }, await revised(transaction, changing))} where i.id = u.id`)
  return changing.map(({ id }) => id)
}
