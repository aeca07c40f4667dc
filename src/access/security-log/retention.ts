import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import { instantOfMs } from '../../db/values.ts'

const MOST_AT_ONCE = 10_000

/**
 * Deletes some of the lines written before an instant; call it again until none are left. The table allows no other
 * deletion, and none of the last seven days.
 * @returns how many there were.
 */
export async function dropSecurityLinesBefore(transaction: Transaction, beforeMs: number): Promise<number> {
  await transaction.rows(sql`set local tacho.retention = 'security_log'`)
  const rows = await transaction.rows(sql`
    delete from security_log where id = any(array(
      select id from security_log where time < ${instantOfMs(beforeMs)}::timestamptz order by time limit ${MOST_AT_ONCE}))
    returning id`)
  return rows.length
}
