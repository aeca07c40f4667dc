import type { Pool, types } from 'pg'
import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'
import { type AccountReads, type ReadingTerms, shareReads } from './account-reads.ts'
import { type ChangeHeard, ChangeListener, ChangeNotifier } from './change-notifications.ts'
import { Layouts } from './layouts.ts'
import { GrowingPool } from './pool.ts'
import { Replica, type ReplicaFault } from './replica.ts'
import { type Connection, rowsOf } from './sql.ts'
import { parserOf } from './values.ts'

/** The application name by which *Sync* (decisions.md) finds the connections of writing transactions: see `low-watermark.ts`. */
export const WRITER_NAME = 'tacho writer'
const READER_NAME = 'tacho reader'
const REPLICA_READER_NAME = 'tacho replica reader'
const CHECKER_NAME = 'tacho checker'
const NOTIFIER_NAME = 'tacho notifier'
const LISTENER_NAME = 'tacho listener'
const HURRIED_LISTENER_NAME = 'tacho hurried listener'

interface Checks extends Connection {
  readonly pool: Pool
}

/** Connections to one PostgreSQL database; readers and writers have separate pools, so that neither can starve the other. */
export interface Database extends Connection {
  /** For reads that belong to no account; requests of an account use `readsOf`. */
  readonly readers: Pool
  /** For short queries that must work however busy the others are: authentication and readiness. */
  readonly checks: Checks
  /** Reads for an account, taking turns with other accounts. */
  readonly readsOf: (accountId: number, terms?: ReadingTerms) => AccountReads
  /** Reads that may be some seconds old, but have everything that the account's clients wrote here: from the replica
   * where possible. Never for sync, whose low watermark would be ahead of what a replica shows. */
  readonly historyOf: (accountId: number, terms?: ReadingTerms) => AccountReads
  readonly replica: Replica | undefined
  readonly writers: Pool
  readonly layouts: Layouts
  readonly changes: ChangeNotifier
  /** Calls back after commits of any node: within a fifth of a second for `each` change, else within four seconds. */
  listen(heard: ChangeHeard, to?: 'each' | 'some'): ChangeListener
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** `postgresql://…`; a socket folder as `?host=/folder`. */
  readonly url: string
  readonly replicaUrl?: string | undefined
  readonly readerCount?: number
  readonly writerCount?: number
  readonly readTimeoutMs?: number
  readonly clock?: Clock
  /** By which other nodes see this process; commands and tests are none of the service's. */
  readonly processName?: string
  readonly onIdleError?: (error: Error) => void
  /** Called when the replica becomes unusable, with the reason, and with undefined when it is usable again. */
  readonly onReplicaFault?: (fault: ReplicaFault | undefined, error?: unknown) => void
}

/** Connects lazily, so that a service can start before its database. */
export function openDatabase({
  url,
  replicaUrl,
  readerCount = 10,
  writerCount = 4,
  readTimeoutMs = STATEMENT_TIMEOUT_MS,
  clock = SYSTEM_CLOCK,
  processName = CHECKER_NAME,
  onIdleError,
  onReplicaFault,
}: DatabaseOptions): Database {
  const configOf = (name: string, address = url) => ({
    connectionString: withoutOverrides(address),
    application_name: name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  })
  const pool = (name: string, max: number, timeoutMs: number, address = url) => {
    const created = new GrowingPool({
      ...configOf(name, address),
      max,
      min: 1,
      idleTimeoutMillis: 60_000,
      statement_timeout: timeoutMs,
      options:
        '-c timezone=UTC -c datestyle=ISO -c extra_float_digits=1 -c client_connection_check_interval=1000 -c random_page_cost=1.1',
      types: { getTypeParser: parserOf as typeof types.getTypeParser },
    })
    // Without a listener, a lost database connection would end the process.
    created.on('error', error => onIdleError?.(error))
    return created
  }
  const places = { requests: readerCount, streams: STREAM_READERS }
  const readers = pool(READER_NAME, places.requests + places.streams, readTimeoutMs)
  const writers = pool(WRITER_NAME, writerCount, STATEMENT_TIMEOUT_MS)
  const checkers = pool(processName, CHECKERS, CHECK_TIMEOUT_MS)
  const layouts = new Layouts(over(readers), { clock })
  const changes = new ChangeNotifier(
    configOf(NOTIFIER_NAME),
    { writerName: WRITER_NAME, hurriedName: HURRIED_LISTENER_NAME },
    clock,
  )
  const replica =
    replicaUrl === undefined
      ? undefined
      : new Replica({
          primary: over(checkers),
          pool: pool(REPLICA_READER_NAME, places.requests, readTimeoutMs, replicaUrl),
          clock,
          onFault: onReplicaFault,
        })
  const readsOf = shareReads(readers, layouts, places)
  const replicaReadsOf = replica && shareReads(replica.pool, layouts, places)
  return {
    readers,
    checks: { pool: checkers, ...over(checkers) },
    readsOf,
    historyOf: (accountId, terms) =>
      replicaReadsOf && replica.has(accountId) ? replicaReadsOf(accountId, terms) : readsOf(accountId, terms),
    replica,
    writers,
    layouts,
    changes,
    listen: (heard, to = 'each') =>
      new ChangeListener(configOf(to === 'each' ? HURRIED_LISTENER_NAME : LISTENER_NAME), {
        heard,
        isHurried: to === 'each',
        onHurry: () => changes.hurry(),
      }),
    ...over(readers),
    async close() {
      await replica?.close()
      await Promise.all([readers.end(), checkers.end(), writers.end()])
      await changes.close()
    },
  }
}

function over(pool: Pool): Connection {
  return { rows: (statement, options) => rowsOf(pool, statement, options) }
}

/** In the driver, parameters of the URL take precedence; *Sync* and the time zone depend on these two. */
function withoutOverrides(url: string): string {
  return url.replace(/(?<=[?&])(application_name|options)=[^&]*&?/g, '')
}

const CONNECT_TIMEOUT_MS = 5_000
const STATEMENT_TIMEOUT_MS = 60_000
const CHECKERS = 2
const CHECK_TIMEOUT_MS = 5_000
/** Reads of streams can wait for a moment; the other connections for reading are for requests. */
const STREAM_READERS = 4
