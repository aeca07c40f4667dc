import { sql } from '../../../db/sql.ts'
import type { Transaction } from '../../../db/transaction.ts'

/**
 * Accounts whose VINs a transaction has locked: until it ends, nobody else decides to which of their vehicles a VIN belongs.
 * Only `lockVins` makes one.
 */
class HeldVins {
  readonly #transaction: Transaction
  readonly #accountIds: ReadonlySet<number>

  constructor(transaction: Transaction, accountIds: readonly number[]) {
    this.#transaction = transaction
    this.#accountIds = new Set(accountIds)
  }

  /** The right to give VINs to vehicles of that account. @throws Error unless its VINs are locked */
  transactionFor(accountId: number): Transaction {
    if (!this.#accountIds.has(accountId)) throw new Error(`the transaction does not hold the VINs of ${accountId}`)
    return this.#transaction
  }
}

export type { HeldVins }

/**
 * Waits until this transaction is the only one that gives or takes VINs of these accounts: which vehicle a VIN belongs to
 * must not change between reading and writing. To avoid deadlocks, shards are locked before the VINs, rows of vehicles after
 * them, and accounts in ascending order.
 */
export async function lockVins(transaction: Transaction, accountIds: Iterable<number>): Promise<HeldVins> {
  const wanted = [...new Set(accountIds)]
  await transaction.rows(
    sql`select id from accounts where id = any(${wanted}::integer[]) order by id for no key update`,
  )
  return new HeldVins(transaction, wanted)
}
