import type { FastifyReply, FastifyRequest } from 'fastify'
import { instantMs } from '../../../db/values.ts'
import type { DrawnVersion } from '../../../fleet/areas/visits/drawing.ts'
import { readVisits, type VehicleVisit } from '../../../fleet/areas/visits/read-visits.ts'
import { Turns } from '../../../lib/turns.ts'
import { USUAL_PRESENCE } from '../../../model/areas/presence.ts'
import { forbidden, notFound } from '../../../model/errors.ts'
import type { TimeRange } from '../../../model/time-range.ts'
import { callerOf } from '../../../server/http/access.ts'
import { sendJsonList } from '../../../server/http/reply.ts'
import { readTimestamp } from '../../admin/schemas.ts'
import type { ApiContext, Resource } from '../../context.ts'
import { historyReads, requestReads } from '../../request-reads.ts'
import { ErrorBody, errorReplies, languageHeader } from '../../schemas.ts'
import { notePositions } from '../../security-lines.ts'
import { boundJsonBodies } from '../areas/body-bounds.ts'
import { findArea, readAreaVersions } from '../areas/query.ts'
import { readDrawing } from '../areas/read-area.ts'
import { AreaPath } from '../areas/schema.ts'
import { periodOf } from './period.ts'
import { AreaVisitQuery, type Visit, VisitBody, VisitQuery, VisitReply } from './schema.ts'
import { csvLines } from './visits-csv.ts'

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
