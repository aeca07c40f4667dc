import type { FastifyReply } from 'fastify'
import { hiddenEventTypes } from '../../../catalogue/permissions.ts'
import { tooManyReads } from '../../../db/account-reads.ts'
import { type InTurn, type Leave, Semaphore } from '../../../lib/semaphore.ts'
import { callerOf } from '../../../server/http/access.ts'
import { DEFAULT_MAX_RESULTS } from '../../../server/http/parameters.ts'
import { endSignal, sendJsonList } from '../../../server/http/reply.ts'
import type { Resource } from '../../context.ts'
import { linkNext } from '../../lists.ts'
import { historyReads, requestReads } from '../../request-reads.ts'
import { errorReplies, languageHeader } from '../../schemas.ts'
import { havePositions, notePositions } from '../../security-lines.ts'
import { selectTypes } from './query.ts'
import { readStoredPage, readTimePage } from './read-pages.ts'
import { EventList, EventListQuery } from './schema.ts'
import { readThinnedList, readThinnedQuery } from './thinned.ts'

/** GET /events: measurements of a device, a vehicle, a trip or the fleet. */
export const events: Resource = (server, { database }) => {
  const longLists = new LongLists()
  server.get(
    '/events',
    {
      config: { access: 'events' },
      schema: {
        tags: ['Events'],
        summary: 'List events',
        description:
          'By recordedTimestamp, then event type. Without fromTimestamp the newest ones, still in ascending order. ' +
          'With filterTimestamp in the order in which they were stored, late ones included; what was stored together ' +
          'can be longer than a page, so follow the Link headers to the end: X-Modify-Timestamp of the last page is ' +
          'the filterTimestamp of the next request (beyond the original document).',
        headers: languageHeader,
        querystring: EventListQuery,
        response: { 200: EventList, ...errorReplies },
      },
    },
    async (request, reply) => {
      const { accountId, permissions } = callerOf(request)
      const { query } = request
      const selection = selectTypes(query.eventType, hiddenEventTypes(permissions))
      if (havePositions(query.eventType)) notePositions(request, query)
      const eventRequest = {
        scope: {
          accountId,
          deviceId: query.deviceId,
          vehicleId: selection.sampleTypes?.length === 0 ? NO_VEHICLE : query.vehicleId,
          tripId: query.tripId,
        },
        selection,
        query,
        limit: query.maxResults ?? DEFAULT_MAX_RESULTS,
      }
      if (query.maxPoints !== undefined) {
        const thinned = readThinnedQuery(query, query.maxPoints)
        const reads = historyReads(database, request, reply)
        const texts = await readThinnedList(reads, longLists.chunksOf(accountId), { ...eventRequest, thinned })
        return sendJsonList(reply, '[', texts, ']', 'bytes')
      }
      const leave = await longLists.enter(reply, accountId, eventRequest.limit)
      if (query.filterTimestamp === undefined) {
        const { page, next } = await readTimePage(historyReads(database, request, reply), eventRequest)
        if (next) linkNext(request, reply, next)
        return sendJsonList(reply, '[', page.texts(), ']', 'bytes', leave)
      }
      const reads = requestReads(database, request, reply)
      const { page, next, modifyTimestamp } = await readStoredPage(reads, query.filterTimestamp, eventRequest)
      if (next) linkNext(request, reply, next)
      void reply.header('x-modify-timestamp', modifyTimestamp)
      return sendJsonList(reply, '[', page.texts(), ']', 'bytes', leave)
    },
  )
}

/** No vehicle has this public id. */
const NO_VEHICLE = ''

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
