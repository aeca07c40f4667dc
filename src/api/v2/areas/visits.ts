import type { FastifyReply } from 'fastify'
import { type Static, Type } from 'typebox'
import { instantMs } from '../../../db/values.ts'
import { readVisits, type VehicleVisit } from '../../../fleet/areas/read-visits.ts'
import type { DrawnVersion } from '../../../fleet/areas/visit-tracker.ts'
import { Turns } from '../../../lib/turns.ts'
import { USUAL_PRESENCE } from '../../../model/areas/presence.ts'
import { badRequest, forbidden } from '../../../model/errors.ts'
import { DAY_MS, type TimeRange } from '../../../model/time-range.ts'
import { idParameter, integerParameter, rangeParameters, wordParameter } from '../../../server/http/parameters.ts'
import { sendJsonList } from '../../../server/http/reply.ts'
import { type Asked, orNotFound, type Resource, routesOf } from '../../context.ts'
import { rendered } from '../../lists.ts'
import { deviceIdField, instant, readTimestamp, timestampIn } from '../../schemas.ts'
import { notePositions } from '../../security-lines.ts'
import { timeRange } from '../events/query.ts'
import { findArea, readAreaVersions } from './areas.ts'
import { DRAWING_BYTES, readDrawing } from './read-body.ts'
import { AreaPath, BEYOND, drawingFields } from './schema.ts'

const DEFAULTS = { access: 'positions', tag: 'Areas' } as const
const ALWAYS: TimeRange = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

const turns = new Turns<number>()

/** Which cars were in an area: a stored one, or one that is drawn for this request. */
export const areaVisits: Resource = (server, context) => {
  const route = routesOf(server, context, DEFAULTS)
  route('GET /areas/:areaId/visits', {
    summary: 'Who was in an area',
    description: `${BEYOND} Every visit of every car in a period; also needs the permission \`areas\`. A visit lasts from the first fix inside to the last.`,
    params: AreaPath,
    query: AreaVisitQuery,
    reply: VisitReply,
    fails: [404],
    answer: async asked => {
      if (!asked.caller.permissions.has('areas')) throw forbidden('areas')
      const { areaId } = asked.params
      const { fromTimestamp, toTimestamp, drawing, ...query } = asked.query
      const range = periodOf(fromTimestamp, toTimestamp, context.clock.wallMs())
      const { reads } = asked
      const area = orNotFound(await findArea(reads, asked.accountId, areaId), `The area ${areaId}`)
      const versions =
        drawing === 'NOW'
          ? [{ ...ALWAYS, shape: area.shape }]
          : (await readAreaVersions(reads, area.id)).map(
              ({ validFrom, validTo, shape }): DrawnVersion => ({
                fromMs: instantMs(validFrom),
                toMs: instantMs(validTo),
                shape,
              }),
            )
      return answer(asked, { ...query, versions, range })
    },
  })
  visitsOfDrawings(server, context)
}

const visitsOfDrawings: Resource = (server, context) => {
  const route = routesOf(server, context, DEFAULTS)
  route('POST /visits', {
    summary: 'Who was in a drawing',
    description: `${BEYOND} As for a stored area, without storing it.`,
    query: VisitQuery,
    body: VisitBody,
    reply: VisitReply,
    bodyLimit: DRAWING_BYTES,
    answer: async asked => {
      const { fromTimestamp: from, toTimestamp: to, ...body } = asked.body
      const range = periodOf(
        from === undefined ? undefined : readTimestamp(from, 'fromTimestamp'),
        to === undefined ? undefined : readTimestamp(to, 'toTimestamp'),
        context.clock.wallMs(),
      )
      const versions = [{ ...ALWAYS, shape: readDrawing(body) }]
      return answer(asked, { ...body, ...asked.query, versions, range })
    },
  })
}

interface Question {
  readonly versions: readonly DrawnVersion[]
  readonly range: TimeRange
  readonly vehicleId?: string | undefined
  readonly shortestStayS?: number | undefined
  readonly hysteresisM?: number | undefined
  readonly format?: 'json' | 'csv' | undefined
}

async function answer(
  asked: Asked<unknown, unknown, unknown>,
  { versions, range, vehicleId, shortestStayS, hysteresisM, format }: Question,
): Promise<FastifyReply> {
  const { request, reply, accountId } = asked
  notePositions(request, { vehicleId })
  const { visits } = await readVisits(asked.history, {
    accountId,
    versions,
    range,
    vehicleId,
    settings: {
      hysteresisM: hysteresisM ?? USUAL_PRESENCE.hysteresisM,
      shortestStayMs: shortestStayS === undefined ? USUAL_PRESENCE.shortestStayMs : shortestStayS * 1000,
    },
    nextTurn: () => turns.next(accountId),
  })
  const wantsCsv = format === undefined && /\btext\/csv\b/.test(request.headers.accept ?? '')
  if (format !== 'csv' && !wantsCsv) return sendJsonList(reply, '{"visits":[', rendered(visits, visitOf), ']}')
  void reply.type('text/csv; charset=utf-8').header('content-disposition', 'attachment; filename="visits.csv"')
  return reply.serializer(String).send([...csvLines(visits.map(visitOf))].join(''))
}

function visitOf({ vehicleId, deviceId, enteredMs, leftMs, isOver, insideM }: VehicleVisit): Visit {
  return {
    vehicleId,
    deviceId,
    enterTimestamp: new Date(enteredMs).toISOString(),
    leaveTimestamp: new Date(leftMs).toISOString(),
    isOver,
    duration: (leftMs - enteredMs) / 1000,
    distance: Math.round(insideM) / 1000,
  }
}

const USUAL_DAYS = 30
const MOST_DAYS = 366

/** Both ends inclusive for the client. @throws ClientError 400 when it is longer than a year */
function periodOf(from: string | undefined, to: string | undefined, nowMs: number): TimeRange {
  const asked = timeRange(from, to)
  // Nothing is newer than what a clock that is ahead may send.
  const toMs = Math.min(asked.toMs, nowMs + DAY_MS)
  const fromMs = from === undefined ? toMs - USUAL_DAYS * DAY_MS : asked.fromMs
  if (toMs - fromMs > MOST_DAYS * DAY_MS) {
    throw badRequest(`fromTimestamp must be at most ${MOST_DAYS} days before toTimestamp.`)
  }
  return { fromMs, toMs }
}

const COLUMNS = [
  'vehicleId',
  'deviceId',
  'enterTimestamp',
  'leaveTimestamp',
  'isOver',
  'duration',
  'distance',
] as const satisfies readonly (keyof Visit)[]

/** A table of visits (RFC 4180). No value needs quotes: ids, instants, numbers, true and false. */
function* csvLines(visits: Iterable<Visit>): Generator<string> {
  yield `${COLUMNS.join(',')}\r\n`
  for (const visit of visits) yield `${COLUMNS.map(column => visit[column]).join(',')}\r\n`
}

const LONGEST_STAY_S = 7 * 86_400
const MOST_HYSTERESIS_M = 1000

const Visit = Type.Object(
  {
    vehicleId: Type.String({ description: 'The car.', examples: ['VINWVWZZZ1KZAW000001'] }),
    deviceId: deviceIdField,
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

const AreaVisitQuery = Type.Object({
  ...rangeParameters('the fixes that count: at most a year, the last 30 days unless given'),
  ...shared,
  drawing: Type.Optional(
    wordParameter(
      ['THEN', 'NOW'],
      'THEN, the default: the area as it was drawn at each time. NOW: as it is drawn now, for all the period.',
    ),
  ),
})
type AreaVisitQuery = Static<typeof AreaVisitQuery>

const VisitQuery = Type.Object({ format: shared.format })

const VisitBody = Type.Object(
  {
    ...drawingFields,
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

const VisitReply = {
  description: 'The visits.',
  content: { 'application/json': { schema: VisitList }, 'text/csv': { schema: Type.String() } },
} as const
