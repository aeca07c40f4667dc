import { OperatorError } from '../model/errors.ts'
import { WRITER_NAME } from './database.ts'
import { connectionsNamed } from './pool.ts'
import { type Connection, sql } from './sql.ts'

/**
 * The newest revision up to which no change can become visible later (decisions.md, *Sync*). Read it before the
 * data that it is for.
 */
export async function readLowWatermark(connection: Connection): Promise<string> {
  const [row] = await connection.rows<{ safe: string }>(sql`select low_watermark(${WRITER_NAME}) as safe`, {
    prepareAs: 'low-watermark',
  })
  if (!row) throw new Error('the low watermark query returned nothing')
  return row.safe
}

/**
 * Makes sure that every sample that was committed can be read: to be called by whoever concludes something from there being no more. Only
 * workers of Citus may lag behind, after one of them was gone at the wrong moment (docs/adr/0040).
 * @throws the database's error for a busy one while that is not so
 */
export async function requireDecided(connection: Connection): Promise<void> {
  await connection.rows(sql`select require_decided()`, { prepareAs: 'require-decided' })
}

/**
 * When the oldest writing transaction began that has not ended yet, also of one that has only read so far; 'infinity' when there is
 * none. Whatever was committed before is known to every later one.
 */
export async function readOldestWriter(connection: Connection): Promise<string> {
  const [row] = await connection.rows<{ oldest: string }>(
    sql`
      select coalesce(min(xact_start), 'infinity') as oldest from ${connectionsNamed(WRITER_NAME)}`,
    { prepareAs: 'oldest-writer' },
  )
  if (!row) throw new Error('the oldest writer query returned nothing')
  return row.oldest
}

/**
 * Makes sure that PostgreSQL shows when transactions of writers began, which the low watermark depends on.
 * @throws OperatorError when this is switched off in PostgreSQL.
 */
export async function requireVisibleWriters(connection: Connection): Promise<void> {
  const [row] = await connection.rows<{ track_activities: string }>(sql`show track_activities`)
  if (row?.track_activities !== 'on')
    throw new OperatorError(
      'The database hides when transactions begin, and syncing clients would miss changes: set track_activities = on.',
    )
}
