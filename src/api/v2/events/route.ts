import { hiddenEventTypes } from '../../../catalogue/event-type-permissions.ts'
import { tooManyReads } from '../../../db/account-reads.ts'
import { Semaphore } from '../../../lib/semaphore.ts'
import { callerOf } from '../../../server/http/access.ts'
import { sendJsonList } from '../../../server/http/json-stream.ts'
import { DEFAULT_MAX_RESULTS } from '../../../server/http/parameters.ts'
import type { Resource } from '../../context.ts'
import { linkNext } from '../../paging.ts'
import { requestReads } from '../../request-reads.ts'
import { errorReplies, languageHeader } from '../../schemas.ts'
import { havePositions, notePositions } from '../../security-lines.ts'
import { EventList, EventListQuery } from './schema.ts'
import { selectTypes } from './selection.ts'
import { readStoredPage } from './stored-page.ts'
import { readThinnedList } from './thinned-list.ts'
import { readThinnedQuery } from './thinned-request.ts'
import { readTimePage } from './time-page.ts'

/** GET /events: measurements of a device, a vehicle, a trip or the fleet. */
export const events: Resource = (server, { database }) => {
  const thinning = new Semaphore<number>(THINNING)
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
      const reads = requestReads(database, request, reply)
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
        const inTurn = <T>(work: () => Promise<T>) => thinning.run(accountId, work)
        const texts = await readThinnedList(reads, inTurn, { ...eventRequest, thinned })
        return sendJsonList(reply, '[', texts, ']', 'bytes')
      }
      if (query.filterTimestamp === undefined) {
        const { page, next } = await readTimePage(reads, eventRequest)
        if (next) linkNext(request, reply, next)
        return sendJsonList(reply, '[', page.texts(), ']', 'bytes')
      }
      const { page, next, modifyTimestamp } = await readStoredPage(reads, query.filterTimestamp, eventRequest)
      if (next) linkNext(request, reply, next)
      void reply.header('x-modify-timestamp', modifyTimestamp)
      return sendJsonList(reply, '[', page.texts(), ']', 'bytes')
    },
  )
}

/**
 * Chunks of thinned lists that are read at the same time: two of an account while it is the only one, so that most
 * connections and most of the CPU stay free for others. A request for a year waits for many turns.
 */
const THINNING = { places: 4, mostWaiting: 256, longestWaitMs: 30_000, refusal: tooManyReads }

/** No vehicle has this public id. */
const NO_VEHICLE = ''
