import { Type } from 'typebox'
import { callerOf } from '../../../server/http/access.ts'
import type { Resource } from '../../context.ts'
import { historyReads } from '../../request-reads.ts'
import { errorReplies, languageHeader } from '../../schemas.ts'
import { readDrivingHours } from './query.ts'
import { DrivingHour, DrivingHoursQuery } from './schema.ts'

/** GET /aggregations/hours: in which hours of the week the cars of the caller's account drive. */
export const drivingHours: Resource = (server, { database }) => {
  server.get(
    '/aggregations/hours',
    {
      config: { access: 'aggregations' },
      schema: {
        tags: ['Aggregations'],
        summary: 'Driving time by hour of the week',
        description:
          'Beyond the original document. By weekday and hour; hours without driving are left out. Of the trips that start in the range, each counts in every hour for as long as it lasted in it.',
        headers: languageHeader,
        querystring: DrivingHoursQuery,
        response: { 200: Type.Array(DrivingHour), ...errorReplies },
      },
    },
    async (request, reply) => {
      const reads = historyReads(database, request, reply)
      return [...(await readDrivingHours(reads, callerOf(request).accountId, request.query))]
    },
  )
}
