import type { Pool, PoolClient } from 'pg'
import { Semaphore } from '../lib/semaphore.ts'
import { unavailable } from '../model/errors.ts'
import type { Connection } from './database.ts'
import { rowsOf } from './rows.ts'
import type { Layouts } from './samples/layouts.ts'

/** What is read for: requests that somebody waits for, or streams, which read again and again. */
export type ReadingUse = 'requests' | 'streams'

export interface ReadingTerms {
  readonly use?: ReadingUse
  /** Aborts when nobody wants the answer any more: what is read then is cut off, and PostgreSQL ends it within a second. */
  readonly signal?: AbortSignal | undefined
}

/** Reads for one account, in its turn among the others. */
export interface AccountReads extends Connection {
  readonly layouts: Layouts
  /**
   * Hands `work` a connection for several queries. Nothing else may be read with these reads meanwhile: many who hold a
   * connection and wait for another one would wait for ever.
   * @throws ClientError 503 when too much is read for this account already; the reason of the signal when it aborts.
   */
  hold<T>(work: (client: PoolClient) => Promise<T>): Promise<T>
}

/** How many connections there are for each use. */
export type ReadingPlaces = Readonly<Record<ReadingUse, number>>

/** More than a page of a console and its whole company ask for at once. */
const MOST_WAITING = 256
const LONGEST_WAIT_MS = 5_000

/**
 * Shares the connections for reading out among the accounts, so that however much one of them asks for, there is always
 * one for the next; those of streams apart from those of requests.
 * @param pool has a connection for each place
 */
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

/** An account wants more of the database than its share, and for longer than it can wait. */
export function tooManyReads() {
  return unavailable('Too many requests of this account wait for the database.', 2)
}

/** A client that failed, or was cut off in the middle of a query, is not used again. */
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
    // Whoever cut it off knows why it broke.
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', cut)
  }
}
