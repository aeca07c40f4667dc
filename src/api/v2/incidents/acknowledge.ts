import { sql } from '../../../db/sql.ts'
import type { Transaction } from '../../../db/transaction.ts'

interface Acknowledgement {
  /** By name. */
  readonly by: string
  readonly note: string
}

/**
 * Keeps who acknowledged an incident, or takes that back. Nothing that follows from samples changes, so its device need not be held.
 * @returns false when the account has no such incident, or its device was deleted
 */
export async function acknowledge(
  transaction: Transaction,
  { accountId, incidentId }: { readonly accountId: number; readonly incidentId: number },
  given: Acknowledgement | undefined,
): Promise<boolean> {
  const [found] = await transaction.rows(sql`
    select from incidents where id = ${incidentId} and account_id = ${accountId} and not is_erased for no key update`)
  if (!found) return false
  await transaction.rows(sql`
    update incidents set
      acknowledged = ${given ? sql`clock_timestamp()` : sql`null`}, acknowledged_by = ${given?.by ?? null},
      note = ${given?.note ?? null}, modified = ${await transaction.takeRevisions(1)}::timestamptz
    where id = ${incidentId} and account_id = ${accountId}`)
  return true
}
