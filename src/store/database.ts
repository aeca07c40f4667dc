import { type ClientBase, Pool, type types } from 'pg'
import { type ChangeHeard, ChangeListener } from './changes/listener.ts'
import { ChangeNotifier } from './changes/notifier.ts'
import { KeeperLock } from './fleet/keeper-lock.ts'
import { WaitingSamples } from './fleet/waiting-samples.ts'
import { Shapes } from './samples/shapes.ts'
import type { Statement } from './sql.ts'
import { parameterOf, parserOf } from './values.ts'

/** Under this name the connections of writing transactions are known to *Sync* (decisions.md): see `safe-point.ts`. */
export const WRITER_NAME = 'tacho writer'
const READER_NAME = 'tacho reader'
const KEEPER_NAME = 'tacho keeper'
const NOTIFIER_NAME = 'tacho notifier'
const LISTENER_NAME = 'tacho listener'

/** What a query is handed: it can read, nothing else. */
export interface Connection {
  /** @returns the rows, with values as `values.ts` says. */
  rows<Row extends object>(statement: Statement, options?: { readonly prepareAs?: string }): Promise<Row[]>
}

/** Connections to one PostgreSQL database, readers and writers apart so that a burst of the one never starves the other. */
export interface Database extends Connection {
  readonly readers: Pool
  readonly writers: Pool
  readonly shapes: Shapes
  readonly waiting: WaitingSamples
  readonly keeperLock: KeeperLock
  readonly changes: ChangeNotifier
  /** Calls back whenever any node has committed something. */
  listen(heard: ChangeHeard): ChangeListener
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** `postgresql://…`; a socket folder as `?host=/folder`. */
  readonly url: string
  readonly readerCount?: number
  readonly writerCount?: number
  /** Told of connections that fail while idle; they are replaced. */
  readonly onIdleError?: (error: Error) => void
}

/** Opens nothing yet: connections are made when first needed, so a service can start before its database. */
export function openDatabase({ url, readerCount = 10, writerCount = 4, onIdleError }: DatabaseOptions): Database {
  const configOf = (name: string) => ({
    connectionString: withoutOverrides(url),
    application_name: name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  })
  const pool = (name: string, max: number) => {
    const created = new Pool({
      ...configOf(name),
      max,
      min: 1,
      idleTimeoutMillis: 60_000,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      options:
        '-c timezone=UTC -c datestyle=ISO -c extra_float_digits=1 -c client_connection_check_interval=1000 -c random_page_cost=1.1',
      types: { getTypeParser: parserOf as typeof types.getTypeParser },
    })
    // Without a listener, a database that goes away would end the process.
    created.on('error', error => onIdleError?.(error))
    // The same for a connection in use: whoever uses it learns of its end from the next query.
    created.on('connect', client => client.on('error', () => undefined))
    return created
  }
  const readers = pool(READER_NAME, readerCount)
  const writers = pool(WRITER_NAME, writerCount)
  const keeperLock = new KeeperLock(configOf(KEEPER_NAME))
  const changes = new ChangeNotifier(configOf(NOTIFIER_NAME), WRITER_NAME)
  return {
    readers,
    writers,
    shapes: new Shapes(over(readers)),
    waiting: new WaitingSamples(),
    keeperLock,
    changes,
    listen: heard => new ChangeListener(configOf(LISTENER_NAME), heard),
    ...over(readers),
    async close() {
      await Promise.all([readers.end(), writers.end(), keeperLock.close()])
      await changes.close()
    },
  }
}

function over(pool: Pool): Connection {
  return { rows: (statement, options) => rowsOf(pool, statement, options) }
}

/** The driver lets parameters of the address win; these two are what *Sync* and the time zone rest on. */
function withoutOverrides(url: string): string {
  return url.replace(/(?<=[?&])(application_name|options)=[^&]*&?/g, '')
}

const CONNECT_TIMEOUT_MS = 5_000
const STATEMENT_TIMEOUT_MS = 60_000

export async function rowsOf<Row extends object>(
  client: Pick<Pool, 'query'> | ClientBase,
  statement: Statement,
  options?: { readonly prepareAs?: string },
): Promise<Row[]> {
  const result = await client.query<Row>({
    text: statement.text,
    values: statement.values.map(parameterOf),
    ...(options?.prepareAs === undefined ? {} : { name: options.prepareAs }),
  })
  return result.rows
}
