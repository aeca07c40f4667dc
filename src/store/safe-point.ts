import { type Connection, WRITER_NAME } from './database.ts'
import { sql } from './sql.ts'

/**
 * The newest instant up to which nothing can still change unseen (decisions.md, *Sync*). Must be read before the
 * data it is to cover.
 */
export async function readSafePoint(connection: Connection): Promise<string> {
  const [row] = await connection.rows<{ safe: string }>(sql`select safe_point(${WRITER_NAME}) as safe`, {
    prepareAs: 'safe-point',
  })
  if (!row) throw new Error('the safe point query returned nothing')
  return row.safe
}
