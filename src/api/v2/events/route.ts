import { hiddenEventTypes } from '../../../catalogue/permissions.ts'
import { callerOf } from '../../../server/http/access.ts'
import { DEFAULT_MAX_RESULTS } from '../../../server/http/parameters.ts'
import { sendJsonList } from '../../../server/http/reply.ts'
import type { Resource } from '../../context.ts'
import { linkNext } from '../../paging.ts'
import { historyReads, requestReads } from '../../request-reads.ts'
import { errorReplies, languageHeader } from '../../schemas.ts'
import { havePositions, notePositions } from '../../security-lines.ts'
import { LongLists } from './long-lists.ts'
import { EventList, EventListQuery } from './schema.ts'
import { selectTypes } from './selection.ts'
import { readStoredPage } from './stored-page.ts'
import { readThinnedList } from './thinned-list.ts'
import { readThinnedQuery } from './thinned-request.ts'
import { readTimePage } from './time-page.ts'

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
