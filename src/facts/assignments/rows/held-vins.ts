import { sql } from '../../../db/sql.ts'
import type { Transaction } from '../../../db/transaction.ts'

/**
 * Accounts whose VINs a transaction has locked: until it ends, nobody else decides to which of their vehicles a VIN belongs.
 * Only taking the locks makes one, here.
 */
class HeldVins {
  readonly #transaction: Transaction
  readonly #accountIds: ReadonlySet<number>

  constructor(transaction: Transaction, accountIds: readonly number[]) {
    this.#transaction = transaction
    this.#accountIds = new Set(accountIds)
  }

  /** To name vehicles of that account with. @throws Error unless its VINs are locked */
  transactionFor(accountId: number): Transaction {
    if (!this.#accountIds.has(accountId)) throw new Error(`the transaction does not hold the VINs of ${accountId}`)
    return this.#transaction
  }
}

export type { HeldVins }

/**
 * Waits until this transaction is the only one that gives or takes VINs of these accounts: which vehicle a VIN belongs to
 * must not change between reading and writing. Shards are locked before, rows of vehicles after it; accounts in ascending
 * order, so that two transactions can not wait for each other.
 */
export async function lockVins(transaction: Transaction, accountIds: Iterable<number>): Promise<HeldVins> {
  const wanted = [...new Set(accountIds)]
  await transaction.rows(
    sql`select id from accounts where id = any(${wanted}::integer[]) order by id for no key update`,
  )
  return new HeldVins(transaction, wanted)
}
