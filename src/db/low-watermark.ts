import { OperatorError } from '../model/errors.ts'
import { WRITER_NAME } from './database.ts'
import { connectionsNamed } from './pool.ts'
import { type Connection, sql } from './sql.ts'

/** The newest revision up to which no change can appear later (decisions.md, *Sync*). Read it before the data. */
export async function readLowWatermark(connection: Connection): Promise<string> {
  const [row] = await connection.rows<{ safe: string }>(sql`select low_watermark(${WRITER_NAME}) as safe`, {
    prepareAs: 'low-watermark',
  })
  if (!row) throw new Error('the low watermark query returned nothing')
  return row.safe
}

/** Call this before concluding from missing samples: workers of Citus may lag behind (docs/adr/0040).
 * @throws the database's error for a busy one while they do */
export async function requireDecided(connection: Connection): Promise<void> {
  await connection.rows(sql`select require_decided()`, { prepareAs: 'require-decided' })
}

/** The start of the oldest open writing transaction; 'infinity' without any. Later ones know all that was committed
 * before. */
export async function readOldestWriter(connection: Connection): Promise<string> {
  const [row] = await connection.rows<{ oldest: string }>(
    sql`
      select coalesce(min(xact_start), 'infinity') as oldest from ${connectionsNamed(WRITER_NAME)}`,
    { prepareAs: 'oldest-writer' },
  )
  if (!row) throw new Error('the oldest writer query returned nothing')
  return row.oldest
}

/** @throws OperatorError when PostgreSQL hides when writers began, on which the low watermark depends */
export async function requireVisibleWriters(connection: Connection): Promise<void> {
  const [row] = await connection.rows<{ track_activities: string }>(sql`show track_activities`)
  if (row?.track_activities !== 'on')
    throw new OperatorError(
      'The database hides when transactions begin, and syncing clients would miss changes: set track_activities = on.',
    )
}
