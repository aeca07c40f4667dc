import { type Static, Type } from 'typebox'
import { idParameter, integerParameter, rangeParameters, wordParameter } from '../../../server/http/parameters.ts'
import { deviceId, instant, timestampIn } from '../../schemas.ts'
import { drawing } from '../areas/schema.ts'

const LONGEST_STAY_S = 7 * 86_400
const MOST_HYSTERESIS_M = 1000

const Visit = Type.Object(
  {
    vehicleId: Type.String({ description: 'The car.', examples: ['VINWVWZZZ1KZAW000001'] }),
    deviceId,
    enterTimestamp: instant('The first fix in the area; what came before the period does not count.'),
    leaveTimestamp: instant('The last fix in the area, so far or in the period.'),
    isOver: Type.Boolean({ description: 'Whether the car was seen outside afterwards, within the period.' }),
    duration: Type.Number({ description: 'From the first fix to the last, in seconds.', examples: [1260] }),
    distance: Type.Number({ description: 'The way driven in the area, in kilometres.', examples: [0.42] }),
  },
  { title: 'AreaVisit', description: 'A car was in an area.' },
)
export type Visit = Static<typeof Visit>

const VisitList = Type.Object(
  { visits: Type.Array(Visit, { description: 'By car, then by time.' }) },
  { title: 'AreaVisitList' },
)

const SHORTEST = 'Shorter stays are none, in seconds; 120 unless given. 0: a single fix inside is one.'
const HYSTERESIS = 'A car has left when a fix is farther outside than so many metres; 30 unless given.'
const FORMAT = 'json, or csv for a table; csv also with `Accept: text/csv`.'

const shared = {
  vehicleId: Type.Optional(idParameter('Only those of this car.', ['VINWVWZZZ1KZAW000001'])),
  shortestStayS: Type.Optional(integerParameter(0, LONGEST_STAY_S, SHORTEST)),
  hysteresisM: Type.Optional(integerParameter(0, MOST_HYSTERESIS_M, HYSTERESIS)),
  format: Type.Optional(wordParameter(['json', 'csv'], FORMAT)),
}

export const AreaVisitQuery = Type.Object({
  ...rangeParameters('the fixes that count: at most a year, the last 30 days unless given'),
  ...shared,
  drawing: Type.Optional(
    wordParameter(
      ['THEN', 'NOW'],
      'THEN, the default: the area as it was drawn at each time. NOW: as it is drawn now, for all the period.',
    ),
  ),
})
export type AreaVisitQuery = Static<typeof AreaVisitQuery>

export const VisitQuery = Type.Object({ format: shared.format })

export const VisitBody = Type.Object(
  {
    ...drawing,
    fromTimestamp: Type.Optional(timestampIn('Start of the period, inclusive; 30 days before its end unless given.')),
    toTimestamp: Type.Optional(timestampIn('End of the period, inclusive; now unless given.')),
    vehicleId: Type.Optional(
      Type.String({ description: 'Only those of this car.', examples: ['VINWVWZZZ1KZAW000001'] }),
    ),
    shortestStayS: Type.Optional(Type.Integer({ minimum: 0, maximum: LONGEST_STAY_S, description: SHORTEST })),
    hysteresisM: Type.Optional(Type.Integer({ minimum: 0, maximum: MOST_HYSTERESIS_M, description: HYSTERESIS })),
  },
  { title: 'AreaVisitQuestion', additionalProperties: false },
)

/** Rendered by the route. */
export const VisitReply = {
  description: 'The visits.',
  content: { 'application/json': { schema: VisitList }, 'text/csv': { schema: Type.String() } },
} as const
