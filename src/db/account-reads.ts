import type { Pool, PoolClient } from 'pg'
import { Semaphore } from '../lib/semaphore.ts'
import { unavailable } from '../model/errors.ts'
import type { Layouts } from './layouts.ts'
import { type Connection, rowsOf } from './sql.ts'

/** Reads are for requests, whose clients wait, or for streams, which read continually. */
type ReadingUse = 'requests' | 'streams'

export interface ReadingTerms {
  readonly use?: ReadingUse
  /** Aborts when the result is no longer wanted: running queries are cancelled, and PostgreSQL ends them within a second. */
  readonly signal?: AbortSignal | undefined
}

/** Reads for one account, taking turns with other accounts. */
export interface AccountReads extends Connection {
  readonly layouts: Layouts
  /** Runs `work` with one connection. Do not use these reads for anything else meanwhile: many such callers could wait
   * for ever. @throws ClientError 503 when too much is read for this account; the reason of the signal */
  hold<T>(work: (client: PoolClient) => Promise<T>): Promise<T>
}

/** How many connections there are for each use. */
type ReadingPlaces = Readonly<Record<ReadingUse, number>>

/** More than all users of a company's console request at once. */
const MOST_WAITING = 256
const LONGEST_WAIT_MS = 5_000

/** Shares the connections for reading among accounts: there is always one for the next account. Streams and requests
 * have separate places. @param pool has a connection for each place */
export function shareReads(
  pool: Pool,
  layouts: Layouts,
  places: ReadingPlaces,
): (accountId: number, terms?: ReadingTerms) => AccountReads {
  const turnsOf = (use: ReadingUse) =>
    new Semaphore<number>({
      places: places[use],
      mostWaiting: MOST_WAITING,
      longestWaitMs: LONGEST_WAIT_MS,
      refusal: tooManyReads,
    })
  const turns: Readonly<Record<ReadingUse, Semaphore<number>>> = {
    requests: turnsOf('requests'),
    streams: turnsOf('streams'),
  }
  return (accountId, { use = 'requests', signal } = {}) => {
    const hold: AccountReads['hold'] = async work => {
      const leave = await turns[use].enter(accountId, signal)
      try {
        return await withClient(pool, signal, work)
      } finally {
        leave()
      }
    }
    return {
      layouts,
      hold,
      rows: (statement, options) => hold(client => rowsOf(client, statement, options)),
    }
  }
}

/** The account has used its share of the database for longer than its requests can wait. */
export function tooManyReads() {
  return unavailable('Too many requests of this account wait for the database.', 2)
}

/** A client that failed, or was cancelled during a query, is not reused. */
async function withClient<T>(
  pool: Pool,
  signal: AbortSignal | undefined,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let isReleased = false
  const release = (isBroken: boolean) => {
    if (!isReleased) client.release(isBroken)
    isReleased = true
  }
  const cut = () => release(true)
  signal?.addEventListener('abort', cut)
  try {
    signal?.throwIfAborted()
    const result = await work(client)
    release(false)
    return result
  } catch (error) {
    release(true)
    // The caller that cancelled it knows the reason.
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', cut)
  }
}
