import type { ClientBase } from 'pg'
import { type Connection, type Database, rowsOf } from '../database.ts'
import type { Statement } from '../sql.ts'
import { type ChunkOptions, chunkOf, type RawSample, samplesOfChunk } from './packed-samples.ts'

/** A connection held for several chunks of samples. */
export interface RawConnection {
  /** The samples of a statement that selects `CHUNK_COLUMNS`, in its order. */
  chunk(statement: Statement, options?: ChunkOptions): Promise<RawSample[]>
}

/**
 * Hands `work` a connection to read samples. When `signal` aborts, because whoever asked went away, the connection is
 * cut, and PostgreSQL ends the query within a second (`client_connection_check_interval`).
 */
export async function withRawConnection<T>(
  database: Database,
  signal: AbortSignal | undefined,
  work: (connection: RawConnection) => Promise<T>,
): Promise<T> {
  const client = await database.readers.connect()
  let released = false
  const release = (broken: boolean) => {
    if (!released) client.release(broken)
    released = true
  }
  const cut = () => release(true)
  signal?.addEventListener('abort', cut)
  try {
    signal?.throwIfAborted()
    const { shapes } = database
    const held: Connection = { rows: (statement, options) => rowsOf(client, statement, options) }
    // Over the connection that is held: many who hold a reader and wait for another one would wait for ever.
    const loadShapes = (ids: ReadonlySet<number>) => shapes.load(ids, held)
    return await work({
      chunk: async (statement, options = {}) =>
        samplesOfChunk(await rowOf(client, chunkOf(statement, options)), shapes, loadShapes, options),
    })
  } catch (error) {
    release(true)
    throw error
  } finally {
    signal?.removeEventListener('abort', cut)
    release(false)
  }
}

const asText = { getTypeParser: () => (value: string) => value }

async function rowOf(client: ClientBase, statement: Statement): Promise<(string | null)[]> {
  const { rows } = await client.query<(string | null)[]>({
    text: statement.text,
    values: [...statement.values],
    rowMode: 'array',
    types: asText,
  })
  return rows[0] ?? []
}
