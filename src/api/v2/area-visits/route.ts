import type { FastifyReply, FastifyRequest } from 'fastify'
import { instantMs } from '../../../db/values.ts'
import { readVisits, type VehicleVisit } from '../../../fleet/areas/read-visits.ts'
import type { DrawnVersion } from '../../../fleet/areas/visit-tracker.ts'
import { Turns } from '../../../lib/turns.ts'
import { USUAL_PRESENCE } from '../../../model/areas/presence.ts'
import { badRequest, forbidden, notFound } from '../../../model/errors.ts'
import type { TimeRange } from '../../../model/time-range.ts'
import { callerOf } from '../../../server/http/access.ts'
import { sendJsonList } from '../../../server/http/reply.ts'
import type { ApiContext, Resource } from '../../context.ts'
import { historyReads, requestReads } from '../../request-reads.ts'
import { ErrorBody, errorReplies, languageHeader, readTimestamp } from '../../schemas.ts'
import { notePositions } from '../../security-lines.ts'
import { findArea, readAreaVersions } from '../areas/query.ts'
import { boundJsonBodies, readDrawing } from '../areas/read-body.ts'
import { AreaPath } from '../areas/schema.ts'
import { timeRange } from '../events/query.ts'
import { AreaVisitQuery, type Visit, VisitBody, VisitQuery, VisitReply } from './schema.ts'

const tags = ['Areas']
const BEYOND = 'Beyond the original document.'
const DRAWING_BYTES = 1024 * 1024
const ALWAYS: TimeRange = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

const turns = new Turns<number>()

/** Which cars were in an area: a stored one, or one that is drawn for this request. */
export const areaVisits: Resource = (server, context) => {
  server.get(
    '/areas/:areaId/visits',
    {
      config: { access: 'positions' },
      schema: {
        tags,
        summary: 'Who was in an area',
        description: `${BEYOND} Every visit of every car in a period; also needs the permission \`areas\`. A visit lasts from the first fix inside to the last.`,
        headers: languageHeader,
        params: AreaPath,
        querystring: AreaVisitQuery,
        response: { 200: VisitReply, ...errorReplies, 404: ErrorBody },
      },
    },
    async (request, reply) => {
      const { accountId, permissions } = callerOf(request)
      if (!permissions.has('areas')) throw forbidden('areas')
      const { areaId } = request.params
      const { fromTimestamp, toTimestamp, vehicleId, drawing } = request.query
      const range = periodOf(fromTimestamp, toTimestamp, context.clock.wallMs())
      const reads = requestReads(context.database, request, reply)
      const area = await findArea(reads, accountId, areaId)
      if (!area) throw notFound(`The area ${areaId}`)
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
      return answer(context, request, reply, { versions, range, vehicleId, ...request.query })
    },
  )
  void server.register(async scope => {
    boundJsonBodies(scope)
    visitsOfDrawings(scope, context)
  })
}

const visitsOfDrawings: Resource = (server, context) => {
  server.post(
    '/visits',
    {
      config: { access: 'positions' },
      bodyLimit: DRAWING_BYTES,
      schema: {
        tags,
        summary: 'Who was in a drawing',
        description: `${BEYOND} As for a stored area, without storing it.`,
        headers: languageHeader,
        querystring: VisitQuery,
        body: VisitBody,
        response: { 200: VisitReply, ...errorReplies, 413: ErrorBody, 415: ErrorBody },
      },
    },
    async (request, reply) => {
      const { fromTimestamp: from, toTimestamp: to, vehicleId, shortestStayS, hysteresisM } = request.body
      const range = periodOf(
        from === undefined ? undefined : readTimestamp(from, 'fromTimestamp'),
        to === undefined ? undefined : readTimestamp(to, 'toTimestamp'),
        context.clock.wallMs(),
      )
      const versions = [{ ...ALWAYS, shape: readDrawing(request.body) }]
      const { format } = request.query
      return answer(context, request, reply, { versions, range, vehicleId, shortestStayS, hysteresisM, format })
    },
  )
}

interface Question {
  readonly versions: readonly DrawnVersion[]
  readonly range: TimeRange
  readonly vehicleId: string | undefined
  readonly shortestStayS?: number | undefined
  readonly hysteresisM?: number | undefined
  readonly format?: 'json' | 'csv' | undefined
}

async function answer(
  { database }: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { versions, range, vehicleId, shortestStayS, hysteresisM, format }: Question,
): Promise<FastifyReply> {
  const { accountId } = callerOf(request)
  notePositions(request, { vehicleId })
  const { visits } = await readVisits(historyReads(database, request, reply), {
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
  if (format !== 'csv' && !wantsCsv) {
    return sendJsonList(reply, '{"visits":[', rendered(visits), ']}')
  }
  void reply.type('text/csv; charset=utf-8').header('content-disposition', 'attachment; filename="visits.csv"')
  return reply.serializer(String).send([...csvLines(visits.map(visitOf))].join(''))
}

function* rendered(visits: readonly VehicleVisit[]): Generator<string> {
  for (const visit of visits) yield JSON.stringify(visitOf(visit))
}

/** A visit as its reader sees it. */
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

const DAY_MS = 86_400_000
const USUAL_DAYS = 30
const MOST_DAYS = 366

/**
 * The period of a question, both ends inclusive for the client.
 * @throws ClientError 400 when it is longer than a year.
 */
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
