import type { ClientBase } from 'pg'
import type { Database } from '../database.ts'
import type { Statement } from '../sql.ts'
import type { Shapes } from './shapes.ts'

/** A row as texts, just as PostgreSQL writes them: nothing is parsed that only goes on into another text. */
export type RawRow = readonly (string | null)[]

const raw = { getTypeParser: () => (value: string) => value }

/** A connection held for several raw queries. */
export interface RawConnection {
  readonly shapes: Shapes
  query(statement: Statement): Promise<RawRow[]>
}

/**
 * Hands `work` a connection for raw queries. When `signal` aborts, because whoever asked went away, the connection is
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
    return await work({ shapes: database.shapes, query: statement => rawQuery(client, statement) })
  } catch (error) {
    release(true)
    throw error
  } finally {
    signal?.removeEventListener('abort', cut)
    release(false)
  }
}

async function rawQuery(client: ClientBase, statement: Statement): Promise<RawRow[]> {
  const { rows } = await client.query<(string | null)[]>({
    text: statement.text,
    values: [...statement.values],
    rowMode: 'array',
    types: raw,
  })
  return rows
}
