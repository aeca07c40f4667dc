import { LOCK_KIND, type LOCKS } from './advisory-locks.ts'
import type { Connection, Database } from './database.ts'
import { rowsOf } from './rows.ts'
import { sql } from './sql.ts'

/**
 * Does something that one process of all nodes does at a time: under a lock of a connection of its own, which the database
 * takes back when the process ends, however it does.
 * @param work is handed that connection, to read with: when it fails, the lock may be another's
 * @returns false when another process is at it
 */
export async function whenAlone(
  database: Database,
  lock: (typeof LOCKS)[keyof typeof LOCKS],
  work: (connection: Connection) => Promise<void>,
): Promise<boolean> {
  const client = await database.readers.connect()
  const connection: Connection = { rows: (statement, options) => rowsOf(client, statement, options) }
  // What failed may hold the lock still: that connection is not used again.
  let isBroken = true
  try {
    const [row] = await connection.rows<{ mine: boolean }>(
      sql`select pg_try_advisory_lock(${LOCK_KIND}, ${lock}) as mine`,
    )
    if (row?.mine) {
      await work(connection)
      await connection.rows(sql`select pg_advisory_unlock(${LOCK_KIND}, ${lock})`)
    }
    isBroken = false
    return row?.mine ?? false
  } finally {
    client.release(isBroken)
  }
}
