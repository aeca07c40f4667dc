import { OperatorError } from '../model/errors.ts'
import { type Connection, WRITER_NAME } from './database.ts'
import { sql } from './sql.ts'

/**
 * The newest instant up to which nothing can still change unseen (decisions.md, *Sync*). Must be read before the
 * data it is to cover.
 */
export async function readLowWatermark(connection: Connection): Promise<string> {
  const [row] = await connection.rows<{ safe: string }>(sql`select low_watermark(${WRITER_NAME}) as safe`, {
    prepareAs: 'low-watermark',
  })
  if (!row) throw new Error('the low watermark query returned nothing')
  return row.safe
}

/**
 * Makes sure that PostgreSQL shows when the transactions of writers began, which the low watermark rests on.
 * @throws OperatorError when it was told not to.
 */
export async function requireVisibleWriters(connection: Connection): Promise<void> {
  const [row] = await connection.rows<{ track_activities: string }>(sql`show track_activities`)
  if (row?.track_activities !== 'on')
    throw new OperatorError(
      'The database hides when transactions begin, and syncing clients would miss changes: set track_activities = on.',
    )
}
