import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { callerOf, KEY_PARAMETER } from '../../server/http/access.ts'
import { refuseLargeSlowly } from '../shared/bodies.ts'
import { LARGE_REPORTS_BYTES, type ReportTakers, takeReports } from '../shared/reports.ts'
import { type PhoneTerms, reading } from './read-report.ts'

interface Body {
  readonly form: PhoneTerms['form']
  readonly bytes: Buffer
}

const NO_BODY: Body = { form: 'form', bytes: Buffer.alloc(0) }
const URL_OF_ROUTE = '/ingest/osmand'
const OPTIONS = {
  config: { access: 'ingest', keyParameter: KEY_PARAMETER },
  exposeHeadRoute: false,
  onSend: refuseLargeSlowly(LARGE_REPORTS_BYTES),
} as const

/** GET and POST /ingest/osmand: what phones report, answered after it is stored (docs/gateways/osmand.md). */
export function phoneReports(server: FastifyInstance, takers: ReportTakers): void {
  readBodies(server)
  const take = (request: FastifyRequest, reply: FastifyReply) => {
    // Caches do not expect a GET that stores something.
    reply.header('cache-control', 'no-store')
    const { form, bytes } = (request.body as Body | undefined) ?? NO_BODY
    const start = request.url.indexOf('?')
    const query = start < 0 ? '' : request.url.slice(start)
    const nowMs = takers.clock.wallMs()
    return takeReports(takers, {
      reading,
      bytes,
      terms: { form, query, nowMs },
      accountId: callerOf(request).accountId,
      sender: `request ${request.id}`,
      nowMs,
      refusalOf: () => 'id is not a device of this account.',
    })
  }
  server.get(URL_OF_ROUTE, OPTIONS, take)
  server.post(URL_OF_ROUTE, OPTIONS, take)
}

/** An empty body of JSON counts as none, because the report may stand in the address. */
function readBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    const body: Body = bytes.length === 0 ? NO_BODY : { form: 'json', bytes }
    done(null, body)
  })
  server.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, bytes, done) => {
    const body: Body = { form: 'form', bytes }
    done(null, body)
  })
}
