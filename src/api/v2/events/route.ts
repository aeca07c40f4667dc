import { callerOf } from '../../../http/access.ts'
import { goneSignal } from '../../../http/gone-signal.ts'
import { sendJsonList } from '../../../http/json-stream.ts'
import { DEFAULT_MAX_RESULTS } from '../../../http/parameters.ts'
import { takingTurns } from '../../../turns.ts'
import type { Resource } from '../../context.ts'
import { linkNext } from '../../paging.ts'
import { errorReplies, languageHeader } from '../../schemas.ts'
import { EventList, EventListQuery } from './schema.ts'
import { selectTypes } from './selection.ts'
import { readStoredPage } from './stored-page.ts'
import { readThinnedList } from './thinned-list.ts'
import { readThinnedQuery } from './thinned-request.ts'
import { readTimePage } from './time-page.ts'

/** GET /events: measurements of a device, a vehicle, a trip or the fleet. */
export const events: Resource = (server, { database }) => {
  const inTurn = takingTurns(THINNED_AT_ONCE)
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
      const selection = selectTypes(query.eventType, !permissions.has('positions'))
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
        signal: goneSignal(reply),
      }
      if (query.maxPoints !== undefined) {
        const thinned = readThinnedQuery(query, query.maxPoints)
        const texts = await readThinnedList(database, inTurn, { ...eventRequest, thinned })
        return sendJsonList(reply, '[', texts, ']', 'bytes')
      }
      if (query.filterTimestamp === undefined) {
        const { page, next } = await readTimePage(database, eventRequest)
        if (next) linkNext(request, reply, next)
        return sendJsonList(reply, '[', page.texts(), ']', 'bytes')
      }
      const { page, next, modifyTimestamp } = await readStoredPage(database, query.filterTimestamp, eventRequest)
      if (next) linkNext(request, reply, next)
      void reply.header('x-modify-timestamp', modifyTimestamp)
      return sendJsonList(reply, '[', page.texts(), ']', 'bytes')
    },
  )
}

/** Chunks of thinned lists that are read at the same time: most connections and most of the processor stay for others. */
const THINNED_AT_ONCE = 2

/** No vehicle has this public id. */
const NO_VEHICLE = ''
