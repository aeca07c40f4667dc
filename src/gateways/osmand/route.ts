import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../lib/clock.ts'
import { badRequest, ClientError } from '../../model/errors.ts'
import type { Intake } from '../../pipeline/intake.ts'
import { callerOf, KEY_PARAMETER } from '../../server/http/access.ts'
import { type JsonBounds, requireBounded } from '../../server/http/json-bounds.ts'
import { submissionOf } from '../shared/gather-samples.ts'
import type { CountLeftOut } from '../shared/left-out-values.ts'
import type { PhoneReport } from './phone-report.ts'
import { MAX_LOCATIONS, readLocations } from './read-location.ts'
import { readQuery } from './read-query.ts'

export interface OsmandOptions {
  readonly intake: Intake
  readonly countLeftOut: CountLeftOut
  readonly clock: Clock
}

/** A body, parsed by its content type. */
type Body =
  | { readonly kind: 'form'; readonly parameters: URLSearchParams }
  | { readonly kind: 'json'; readonly value: unknown }

/** Phones send some twenty-five values with each location; a thousand times that take some tens of milliseconds. */
const BODY_BOUNDS: JsonBounds = { depth: 32, values: 30 * MAX_LOCATIONS }
/** A form is one report. */
const MAX_PARAMETERS = 1000
const URL_OF_ROUTE = '/ingest/osmand'
const OPTIONS = { config: { access: 'ingest', keyParameter: KEY_PARAMETER }, exposeHeadRoute: false } as const

/** GET and POST /ingest/osmand: what phones report, answered after it is stored (docs/gateways/osmand.md). */
export function phoneReports(server: FastifyInstance, { intake, countLeftOut, clock }: OsmandOptions): void {
  readBodies(server)
  const take = async (request: FastifyRequest, reply: FastifyReply) => {
    // Caches do not expect a GET that stores something.
    reply.header('cache-control', 'no-store')
    const nowMs = clock.wallMs()
    const reports = reportsOf(request, nowMs)
    const submission = submissionOf(reports, nowMs, callerOf(request).accountId)
    const outcome = submission && (await intake.submit(submission))
    if (outcome?.kind === 'refused') throw badRequest('id is not a device of this account.')
    for (const { leftOut } of reports) countLeftOut('osmand', leftOut)
    return { accepted: outcome?.accepted ?? 0, duplicates: outcome?.duplicates ?? 0 }
  }
  server.get(URL_OF_ROUTE, OPTIONS, take)
  server.post(URL_OF_ROUTE, OPTIONS, take)
}

/** Everything that is not JSON is read as a form, as in Traccar: phones often send a wrong content type. */
function readBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    try {
      requireBounded(bytes, BODY_BOUNDS)
      const body: Body | undefined =
        bytes.length === 0 ? undefined : { kind: 'json', value: JSON.parse(bytes.toString()) }
      done(null, body)
    } catch (error) {
      done(error instanceof ClientError ? error : badRequest('The body is not valid JSON.'))
    }
  })
  server.addContentTypeParser<string>('*', { parseAs: 'string' }, (_request, text, done) => {
    if (text.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS) {
      done(new ClientError(413, `A form may have at most ${MAX_PARAMETERS} parameters.`))
      return
    }
    const body: Body = { kind: 'form', parameters: new URLSearchParams(text) }
    done(null, body)
  })
}

function reportsOf(request: FastifyRequest, nowMs: number): readonly PhoneReport[] {
  const body = request.body as Body | undefined
  if (body?.kind === 'json') return readLocations(body.value)
  const start = request.url.indexOf('?')
  const parameters = new URLSearchParams(start < 0 ? '' : request.url.slice(start))
  for (const [name, value] of body?.parameters ?? []) parameters.append(name, value)
  return [readQuery(parameters, nowMs)]
}
