import { Type } from 'typebox'
import { callerOf } from '../../../server/http/access.ts'
import { sendJsonList } from '../../../server/http/reply.ts'
import type { Resource } from '../../context.ts'
import { historyReads } from '../../request-reads.ts'
import { errorReplies, languageHeader } from '../../schemas.ts'
import { readBins } from './query.ts'
import { AGGREGATION_TYPES, Aggregation, AggregationQuery, type AggregationType, ALL, SUBJECTS } from './schema.ts'
import { statisticsOf } from './statistics.ts'

const RUNNING_TOTALS: readonly AggregationType[] = ['START', 'END', 'DIFFERENCE']

/** GET /aggregations: statistics of the trips of the caller's account, in bins of equal size. */
export const aggregations: Resource = (server, { database }) => {
  server.get(
    '/aggregations',
    {
      config: { access: 'aggregations' },
      schema: {
        tags: ['Aggregations'],
        summary: 'Statistics of trips by bins of time',
        description:
          'By bin, vehicle id, event type and aggregation type. A trip belongs to the bin in which it starts.',
        headers: languageHeader,
        querystring: AggregationQuery,
        response: { 200: Type.Array(Aggregation), ...errorReplies },
      },
    },
    async (request, reply) => {
      const { query } = request
      const vehicleId = query.vehicleId?.trim().toUpperCase() === ALL ? undefined : query.vehicleId
      const bin = query.bin ?? (vehicleId === undefined ? 'FLEET' : 'VEHICLE')
      const types = query.aggregationType ?? AGGREGATION_TYPES
      const rows = await readBins(historyReads(database, request, reply), callerOf(request).accountId, {
        vehicleId,
        perVehicle: bin === 'VEHICLE',
        withTotals: types.some(type => RUNNING_TOTALS.includes(type)),
        binSize: query.binSize ?? 'DAY',
        timeZone: query.timeZone ?? 'UTC',
        fromTimestamp: query.fromTimestamp,
        toTimestamp: query.toTimestamp,
      })
      const statistics = statisticsOf(rows, query.aggregation ?? SUBJECTS, types)
      return sendJsonList(reply, '[', rendered(statistics), ']')
    },
  )
}

function* rendered(statistics: Iterable<Aggregation>): Generator<string> {
  for (const statistic of statistics) yield JSON.stringify(statistic)
}
