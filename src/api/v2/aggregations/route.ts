import { Type } from 'typebox'
import { requiredEventType } from '../../../catalogue/event-types.ts'
import { callerOf } from '../../../server/http/access.ts'
import { sendJsonList } from '../../../server/http/reply.ts'
import { millisecondText } from '../../../server/http/timestamps.ts'
import type { Resource } from '../../context.ts'
import { historyReads } from '../../request-reads.ts'
import { errorReplies, languageHeader } from '../../schemas.ts'
import { type BinRow, readBins } from './query.ts'
import {
  AGGREGATION_TYPES,
  Aggregation,
  AggregationQuery,
  type AggregationType,
  ALL,
  SUBJECTS,
  type Subject,
} from './schema.ts'

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

/** What is counted, in integers so that sums are exact, and how many of them make one unit. */
interface Counted {
  readonly perUnit: number
  readonly count: (row: BinRow) => Readonly<Record<AggregationType, number | null>>
}

const COUNTED: Readonly<Record<Subject, Counted>> = {
  DRIVEN_DISTANCE: {
    perUnit: 1000,
    count: row => ({
      MIN: row.metresMin,
      MAX: row.metresMax,
      AVG: row.metresSum / row.trips,
      SUM: row.metresSum,
      START: row.metresBefore,
      END: row.metresAfter,
      DIFFERENCE: row.metresGrown,
    }),
  },
  TRIP_DURATION: {
    perUnit: 1,
    count: row => ({
      MIN: row.secondsMin,
      MAX: row.secondsMax,
      AVG: row.secondsSum / row.trips,
      SUM: row.secondsSum,
      START: row.secondsBefore,
      END: row.secondsAfter,
      DIFFERENCE: difference(row.secondsBefore, row.secondsAfter),
    }),
  },
}

function difference(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : after - before
}

/** The statistics of each bin that exist, by event type and aggregation type (decisions.md, *Replies*, order). */
function* statisticsOf(
  rows: readonly BinRow[],
  subjects: readonly Subject[],
  types: readonly AggregationType[],
): Generator<Aggregation> {
  const sorted = [...subjects].sort().map(subject => ({ ...requiredEventType(subject), ...COUNTED[subject], subject }))
  const sortedTypes = [...types].sort()
  for (const row of rows) {
    for (const { subject, unitId, unit, perUnit, count } of sorted) {
      const counts = count(row)
      for (const aggregationType of sortedTypes) {
        const counted = counts[aggregationType]
        if (counted === null) continue
        yield {
          vehicleId: row.vehicleId,
          eventType: subject,
          dataType: 'NUMBER',
          aggregationType,
          value: counted / perUnit,
          unitId,
          unit,
          bin: millisecondText(row.bin),
        }
      }
    }
  }
}
