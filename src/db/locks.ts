import type { Database } from './database.ts'
import { type Connection, rowsOf, sql } from './sql.ts'

/** Runs work on one process at a time, under a lock of a connection of its own, with which the work reads.
 * @returns false when another process is doing it */
export function whenAlone(
  database: Database,
  lock: (typeof LOCKS)[keyof typeof LOCKS],
  work: (connection: Connection) => Promise<void>,
): Promise<boolean> {
  return whenAloneWith(database, LOCK_KIND, lock, work)
}

/** The same for one of many pieces of work of a kind, each with a number, so that nodes share them. */
export async function whenAloneWith(
  database: Database,
  kind: number,
  piece: number,
  work: (connection: Connection) => Promise<void>,
): Promise<boolean> {
  const client = await database.readers.connect()
  const connection: Connection = { rows: (statement, options) => rowsOf(client, statement, options) }
  // A failed connection may still hold the lock, so it is not reused.
  let isBroken = true
  try {
    const [row] = await connection.rows<{ mine: boolean }>(sql`select pg_try_advisory_lock(${kind}, ${piece}) as mine`)
    if (row?.mine) {
      await work(connection)
      await connection.rows(sql`select pg_advisory_unlock(${kind}, ${piece})`)
    }
    isBroken = false
    return row?.mine ?? false
  } finally {
    client.release(isBroken)
  }
}

/* Every advisory lock of the service: the first key is the kind, the second the lock or shard. Of the first kind,
 * `take_revisions` in the migrations uses 0, and the embedded database 100 (embedded/claim.ts). */

export const LOCK_KIND = 7411
export const DEVICE_SHARD_LOCK_KIND = 7412
export const CONCLUDING_LOCK_KIND = 7413
export const SHARED_VEHICLE_LOCK_KIND = 7415
export const SEALING_LOCK_KIND = 7416

export const LOCKS = {
  revisions: 0,
  migrations: 1,
  partitions: 2,
  retention: 3,
  firstAccount: 4,
  onlineSweep: 5,
  accountDays: 6,
  keptSince: 7,
  histories: 8,
} as const
