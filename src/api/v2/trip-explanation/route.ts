import { orNotFound, type Resource, routesOf } from '../../context.ts'
import { notePositions } from '../../security-lines.ts'
import { TripPath } from '../trips.ts'
import { deletedExplanation, explanationOf, explanationViewOf } from './explanation.ts'
import { findStoredTrip, retraceTrip, tripsCovering } from './query.ts'
import { TripExplanation } from './schema.ts'

/** GET /trips/{tripId}/explain and /trip/{tripId}/explain: why a trip is as it is, beyond the original document. */
export const tripExplanation: Resource = (server, context) => {
  const route = routesOf(server, context, { access: 'trips', tag: 'Trips' })
  for (const path of ['/trips/:tripId/explain', '/trip/:tripId/explain'])
    route(`GET ${path}`, {
      summary: 'Explain a trip',
      description:
        'Why a trip began, ended and is as long as it is, worked out again from its measurements (beyond the original document).',
      params: TripPath,
      reply: TripExplanation,
      fails: [404],
      answer: async asked => {
        const { tripId } = asked.params
        const { accountId, reads } = asked
        const trip = orNotFound(await findStoredTrip(reads, accountId, tripId), `The trip ${tripId}`)
        notePositions(asked.request, { tripId })
        const view = explanationViewOf(asked)
        if (trip.isDeleted) return deletedExplanation(trip, await tripsCovering(reads, accountId, trip), view)
        return explanationOf(trip, await retraceTrip(reads, trip), view)
      },
    })
}
