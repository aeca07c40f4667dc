import type { FastifyReply } from 'fastify'
import { tooManyReads } from '../../../db/account-reads.ts'
import { type InTurn, type Leave, Semaphore } from '../../../lib/semaphore.ts'
import { endSignal } from '../../../server/http/reply.ts'

/** Lists of more events take some ten milliseconds of CPU time to read, and the same again to render. */
const LONG_LIST_EVENTS = 1000

/**
 * Long lists, and chunks of thinned ones, that are read at the same time: two of an account while it is the only one,
 * so that most connections and most of the CPU stay free for others. A request for a year waits for many turns.
 */
const PLACES = { places: 4, mostWaiting: 256, longestWaitMs: 30_000, refusal: tooManyReads }

/**
 * Turns of accounts at long lists of events. Hundreds that are asked for at once would all be read first, in competition
 * with everybody else, and wait in memory to be rendered.
 */
export class LongLists {
  readonly #places = new Semaphore<number>(PLACES)

  /**
   * Waits until a list may be read. The turn ends with the reply, or before by the function that is returned.
   * @param limit events in the list at most; shorter lists do not wait
   * @throws ClientError 503 when too many wait already; the reason of the signal when the client has gone.
   */
  async enter(reply: FastifyReply, accountId: number, limit: number): Promise<Leave> {
    if (limit <= LONG_LIST_EVENTS) return () => undefined
    const ended = endSignal(reply)
    const leave = await this.#places.enter(accountId, ended)
    ended.addEventListener('abort', leave, { once: true })
    if (ended.aborted) leave()
    return leave
  }

  /** The turns at chunks of a thinned list. */
  chunksOf(accountId: number): InTurn {
    return work => this.#places.run(accountId, work)
  }
}
