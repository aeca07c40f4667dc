import type { Caller } from '../../../access/callers.ts'
import { hiddenEventTypes } from '../../../catalogue/permissions.ts'
import { notFound } from '../../../model/errors.ts'
import { callerOf } from '../../../server/http/access.ts'
import type { Resource } from '../../context.ts'
import { languageOf } from '../../replies.ts'
import { requestReads } from '../../request-reads.ts'
import { ErrorBody, errorReplies, languageHeader } from '../../schemas.ts'
import { notePositions } from '../../security-lines.ts'
import { selectTypes } from '../events/query.ts'
import { TripPath } from '../trips/schema.ts'
import { deletedExplanation, type ExplanationView, explanationOf } from './explanation.ts'
import { findStoredTrip, retraceTrip, tripsCovering } from './query.ts'
import { TripExplanation } from './schema.ts'

/** GET /trips/{tripId}/explain and /trip/{tripId}/explain: why a trip is as it is, beyond the original document. */
export const tripExplanation: Resource = (server, { database }) => {
  for (const path of ['/trips/:tripId/explain', '/trip/:tripId/explain'])
    server.get(
      path,
      {
        config: { access: 'trips' },
        schema: {
          tags: ['Trips'],
          summary: 'Explain a trip',
          description:
            'Why a trip began, ended and is as long as it is, worked out again from its measurements (beyond the original document).',
          headers: languageHeader,
          params: TripPath,
          response: { 200: TripExplanation, ...errorReplies, 404: ErrorBody },
        },
      },
      async (request, reply) => {
        const { tripId } = request.params
        const { accountId, permissions } = callerOf(request)
        const reads = requestReads(database, request, reply)
        const trip = await findStoredTrip(reads, accountId, tripId)
        if (!trip) throw notFound(`The trip ${tripId}`)
        notePositions(request, { tripId })
        const view = viewOf(permissions, request.headers['accept-language'])
        if (trip.isDeleted) return deletedExplanation(trip, await tripsCovering(reads, accountId, trip), view)
        return explanationOf(trip, await retraceTrip(reads, trip), view)
      },
    )
}

function viewOf(permissions: Caller['permissions'], acceptLanguage: string | undefined): ExplanationView {
  const { accept } = selectTypes(undefined, hiddenEventTypes(permissions))
  return {
    language: languageOf(acceptLanguage),
    accept: type => permissions.has('events') && accept(type),
  }
}
