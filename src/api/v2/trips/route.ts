import type { FastifyRequest } from 'fastify'
import { notFound } from '../../../model/errors.ts'
import { callerOf } from '../../../server/http/access.ts'
import type { Resource } from '../../context.ts'
import { sendSyncPage } from '../../lists.ts'
import { languageOf } from '../../replies.ts'
import { requestReads } from '../../request-reads.ts'
import { ErrorBody, errorReplies, languageHeader } from '../../schemas.ts'
import { notePositions } from '../../security-lines.ts'
import { findTrip, listTrips, type TripView, tripOf } from './query.ts'
import { Trip, TripList, TripListQuery, TripPath, TripQuery } from './schema.ts'

/** GET /trips, /trips/{tripId} and /trip/{tripId}: the journeys of the caller's account. */
export const trips: Resource = (server, { database }) => {
  server.get(
    '/trips',
    {
      config: { access: 'trips' },
      schema: {
        tags: ['Trips'],
        summary: 'List trips',
        description:
          'By tripStartTimestamp; by modifyTimestamp with filterTimestamp. Without fromTimestamp and filterTimestamp, the newest ones.\n\n' +
          'A trip in progress is listed as far as it is known. Measurements that arrive late change trips: one that is merged into another, or turns out to be none, gets a deleteTimestamp. So does the worse measured one where two devices in one vehicle record the same drive. Why a trip is as it is: /trips/{tripId}/explain.',
        headers: languageHeader,
        querystring: TripListQuery,
        response: { 200: TripList, ...errorReplies },
      },
    },
    async (request, reply) => {
      const reads = requestReads(database, request, reply)
      const page = await listTrips(reads, callerOf(request).accountId, request.query)
      const view = viewOf(request, request.query.positions)
      if (view.maySeePositions) notePositions(request, request.query)
      return sendSyncPage(request, reply, 'trips', page, row => tripOf(row, view))
    },
  )
  // The contract has one path in its heading and the other in its sample command.
  for (const path of ['/trips/:tripId', '/trip/:tripId'])
    server.get(
      path,
      {
        config: { access: 'trips', etag: true },
        schema: {
          tags: ['Trips'],
          summary: 'Get one trip',
          headers: languageHeader,
          params: TripPath,
          querystring: TripQuery,
          response: { 200: Trip, ...errorReplies, 404: ErrorBody },
        },
      },
      async (request, reply) => {
        const { tripId } = request.params
        const reads = requestReads(database, request, reply)
        const row = await findTrip(reads, callerOf(request).accountId, tripId)
        if (!row) throw notFound(`The trip ${tripId}`)
        notePositions(request, row)
        return tripOf(row, viewOf(request))
      },
    )
}

/** @param positions whether the caller wants to see any */
function viewOf(request: FastifyRequest, positions = true): TripView {
  return {
    language: languageOf(request.headers['accept-language']),
    maySeePositions: positions && callerOf(request).permissions.has('positions'),
  }
}
