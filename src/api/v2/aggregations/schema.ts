import { type Static, Type } from 'typebox'
import {
  idParameter,
  rangeParameters,
  timeZoneParameter,
  wordParameter,
  wordsParameter,
} from '../../../server/http/parameters.ts'

export const SUBJECTS = ['DRIVEN_DISTANCE', 'TRIP_DURATION'] as const
export type Subject = (typeof SUBJECTS)[number]

export const AGGREGATION_TYPES = ['MIN', 'MAX', 'AVG', 'SUM', 'START', 'END', 'DIFFERENCE'] as const
export type AggregationType = (typeof AGGREGATION_TYPES)[number]

export const BIN_SIZES = ['DAY', 'WEEK', 'MONTH', 'YEAR'] as const
export type BinSize = (typeof BIN_SIZES)[number]

/** Stands for the whole fleet where a vehicle id would stand. */
export const ALL = 'ALL'

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

export const AggregationQuery = Type.Object({
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
export type AggregationQuery = Static<typeof AggregationQuery>
