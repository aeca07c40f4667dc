import { createHash } from 'node:crypto'
import { sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'

/** Tables in which a row counts failures of a `subject` until they are all `forgiven`. */
const TABLES = { failed_logins: sql`failed_logins`, login_guesses: sql`login_guesses` } as const

/** What failures are counted by: a digest, so that the table reveals no address and rows have the same size. */
export function subjectOf(name: string): Buffer {
  return createHash('sha256').update(name).digest()
}

/** Removes some of the rows whose failures are all forgiven, skipping locked ones. */
export async function sweepForgiven(transaction: Transaction, table: keyof typeof TABLES): Promise<void> {
  const rows = TABLES[table]
  await transaction.rows(
    sql`
      delete from ${rows} where subject = any(array(
        select subject from ${rows} where forgiven < clock_timestamp() order by forgiven limit ${SWEEP_ROWS}
        for update skip locked))`,
    { prepareAs: `sweep-${table}` },
  )
}

const SWEEP_ROWS = 100
