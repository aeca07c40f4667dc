import { type Static, Type } from 'typebox'
import { requiredEventType } from '../../../catalogue/event-types.ts'
import {
  idParameter,
  rangeParameters,
  timeZoneParameter,
  wordParameter,
  wordsParameter,
} from '../../../server/http/parameters.ts'
import { sendJsonList } from '../../../server/http/reply.ts'
import { millisecondText } from '../../../server/http/timestamps.ts'
import { type Resource, routesOf } from '../../context.ts'
import { rendered } from '../../lists.ts'
import { ALL, BIN_SIZES, type BinRow, readBins } from './query.ts'

const RUNNING_TOTALS: readonly AggregationType[] = ['START', 'END', 'DIFFERENCE']

/** GET /aggregations: statistics of the trips of the caller's account, in bins of equal size. */
export const aggregations: Resource = (server, context) => {
  const route = routesOf(server, context, { access: 'aggregations', tag: 'Aggregations' })
  route('GET /aggregations', {
    summary: 'Statistics of trips by bins of time',
    description: 'By bin, vehicle id, event type and aggregation type. A trip belongs to the bin in which it starts.',
    query: AggregationQuery,
    reply: Type.Array(Aggregation),
    answer: async asked => {
      const { query } = asked
      const vehicleId = query.vehicleId?.trim().toUpperCase() === ALL ? undefined : query.vehicleId
      const bin = query.bin ?? (vehicleId === undefined ? 'FLEET' : 'VEHICLE')
      const types = query.aggregationType ?? AGGREGATION_TYPES
      const rows = await readBins(asked.history, asked.accountId, {
        vehicleId,
        perVehicle: bin === 'VEHICLE',
        withTotals: types.some(type => RUNNING_TOTALS.includes(type)),
        binSize: query.binSize ?? 'DAY',
        timeZone: query.timeZone ?? 'UTC',
        fromTimestamp: query.fromTimestamp,
        toTimestamp: query.toTimestamp,
      })
      const statistics = statisticsOf(rows, query.aggregation ?? SUBJECTS, types)
      return sendJsonList(
        asked.reply,
        '[',
        rendered(statistics, same => same),
        ']',
      )
    },
  })
}

/** A subject is counted in integers, so that sums are exact; so many of them make one unit. */
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

const SUBJECTS = ['DRIVEN_DISTANCE', 'TRIP_DURATION'] as const
type Subject = (typeof SUBJECTS)[number]

export const AGGREGATION_TYPES = ['MIN', 'MAX', 'AVG', 'SUM', 'START', 'END', 'DIFFERENCE'] as const
type AggregationType = (typeof AGGREGATION_TYPES)[number]

/** A statistic of the trips of one bin (fleet-api-v2.md, *Aggregation*). */
export const Aggregation = Type.Object(
  {
    vehicleId: Type.String({
      description: 'The vehicle, or ALL where the fleet is one.',
      examples: ['VINWVWZZZ1KZAW000001'],
    }),
    eventType: Type.Enum([...SUBJECTS]),
    dataType: Type.Enum(['NUMBER']),
    aggregationType: Type.Enum([...AGGREGATION_TYPES]),
    value: Type.Number({ examples: [123.456] }),
    unitId: Type.Integer({ examples: [111] }),
    unit: Type.String({ examples: ['km'] }),
    bin: Type.String({
      format: 'date-time',
      description: 'First instant of the bin.',
      examples: ['2020-02-01T00:00:00.000Z'],
    }),
  },
  { title: 'Aggregation', description: 'A statistic of the trips that start in a bin of time.' },
)
export type Aggregation = Static<typeof Aggregation>

const AggregationQuery = Type.Object({
  vehicleId: Type.Optional(
    idParameter('A vehicle, or ALL for the entire fleet, which is also the default.', ['VINWVWZZZ1KZAW000001', ALL]),
  ),
  aggregation: Type.Optional(
    wordsParameter(SUBJECTS, `What is counted, separated by commas: ${SUBJECTS.join(', ')}. Default: both.`),
  ),
  aggregationType: Type.Optional(
    wordsParameter(
      AGGREGATION_TYPES,
      `Statistics, separated by commas: ${AGGREGATION_TYPES.join(', ')}. Default: all. START and END are the running total of a vehicle (its odometer, where there is one) before and after the trips of the bin, DIFFERENCE is what it grew between, without jumps of the odometer (another instrument cluster, a reset); they exist for bin VEHICLE only. What it grew between two bins is in neither.`,
    ),
  ),
  bin: Type.Optional(
    wordParameter(
      ['VEHICLE', 'FLEET'],
      'A row per vehicle, or one for all. Default: VEHICLE with a vehicle id, else FLEET.',
    ),
  ),
  binSize: Type.Optional(
    wordParameter(BIN_SIZES, 'Time span of a bin. Weeks start on Monday (ISO 8601). Default: DAY.'),
  ),
  timeZone: Type.Optional(timeZoneParameter('In which days begin and end (beyond the original document).')),
  ...rangeParameters('the start of the trips'),
})
type AggregationQuery = Static<typeof AggregationQuery>
