import type pg from 'pg'
import { ClientError } from '../model/errors.ts'
import type { Database } from './database.ts'
import { isDeadlock } from './faults.ts'
import type { Layouts } from './layouts.ts'
import { revisionAfter } from './revisions.ts'
import { type Connection, rowsOf, sql } from './sql.ts'

/** A writing transaction: everything in it is committed or nothing. */
export interface Transaction extends Connection {
  readonly layouts: Layouts
  /** The driver's client, for COPY. */
  readonly client: pg.ClientBase
  /** Reserves revisions (decisions.md, *Sync*): the first of `wanted`, the others follow microsecond by microsecond. */
  takeRevisions(wanted: number): Promise<string>
  /** Takes revisions in advance, so that `takeRevisions` need not ask for a few each time. A row that another transaction
   * changed meanwhile may get an earlier revision by it, which no client misses: none syncs beyond the start of an open
   * writing transaction. Not where revisions are compared with each other, as those of rules. */
  reserveRevisions(wanted: number): Promise<void>
  /** Defers work to the end of the transaction, where it runs once for everything deferred. */
  leave<Item>(work: LastWork<Item>, items: readonly Item[]): void
  /** Runs deferred work now, because what comes next relies on it. */
  doWhatIsLeft(): Promise<void>
  /** Calls `work` once this is committed, and never if it is not. */
  afterCommit(work: () => void): void
}

/** Work at the end of a transaction, once for everything that was deferred to it. */
export interface LastWork<Item> {
  run(transaction: Transaction, items: readonly Item[]): Promise<void>
}

/** Runs `work` in a transaction, again after a deadlock: it must have no other effects.
 * @throws the error of `work`, after rolling back; the database's errors when it cannot commit */
export async function writeTransaction<T>(
  database: Database,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptTransaction(database, work)
    } catch (error) {
      if (attempt === DEADLOCK_ATTEMPTS || !isDeadlock(error)) throw error
    }
  }
}

const DEADLOCK_ATTEMPTS = 5

async function attemptTransaction<T>(database: Database, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  const client = await database.writers.connect()
  let broken = true
  const left = new Map<LastWork<unknown>, unknown[]>()
  const afterCommit: (() => void)[] = []
  const reserved = { first: '', count: 0 }
  const transaction: Transaction = {
    client,
    layouts: database.layouts,
    rows: (statement, options) => rowsOf(client, statement, options),
    async takeRevisions(wanted) {
      if (wanted > reserved.count) return takeRevisions(client, wanted)
      const { first } = reserved
      reserved.first = revisionAfter(first, wanted)
      reserved.count -= wanted
      return first
    },
    async reserveRevisions(wanted) {
      reserved.first = await takeRevisions(client, wanted)
      reserved.count = wanted
    },
    leave(lastWork, items) {
      if (items.length === 0) return
      const all = left.get(lastWork) ?? []
      for (const item of items) all.push(item)
      left.set(lastWork, all)
    },
    async doWhatIsLeft() {
      for (const [lastWork, items] of left) {
        left.delete(lastWork)
        await lastWork.run(transaction, items)
      }
    },
    afterCommit(last) {
      afterCommit.push(last)
    },
  }
  try {
    await client.query('begin')
    const result = await work(transaction)
    await transaction.doWhatIsLeft()
    // PostgreSQL answers the commit of a failed transaction with a rollback, and no error.
    const { command } = await client.query('commit')
    if (command !== 'COMMIT') throw new Error('a transaction was rolled back, because an error in it was passed over')
    broken = false
    for (const each of afterCommit) each()
    database.changes.committed()
    return result
  } catch (error) {
    if (error instanceof ClientError) {
      await client.query('rollback')
      broken = false
    }
    throw error
  } finally {
    // After an unexpected error the connection may be broken, in the middle of COPY, or hold a session lock: a new one is cheap.
    client.release(broken)
  }
}

async function takeRevisions(client: pg.ClientBase, wanted: number): Promise<string> {
  const [row] = await rowsOf<{ revision: string }>(client, sql`select take_revisions(${wanted}) as revision`, {
    prepareAs: 'take-revisions',
  })
  if (!row) throw new Error('take_revisions returned nothing')
  return row.revision
}
