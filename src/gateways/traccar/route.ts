import type { FastifyInstance } from 'fastify'
import { callerOf } from '../../server/http/access.ts'
import { readParameters } from '../../server/http/parameters.ts'
import { refuseLargeSlowly } from '../shared/bodies.ts'
import { LARGE_REPORTS_BYTES, type ReportTakers, takeReports } from '../shared/reports.ts'
import { type Odometer, reading } from './read-position.ts'
import { MAX_BODY_BYTES, traccarQuery } from './schema.ts'

/** POST /ingest/traccar: what a Traccar server forwards, answered after it is stored (docs/gateways/traccar.md). */
export function forwardedPositions(server: FastifyInstance, takers: ReportTakers): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (_request, bytes, done) =>
    done(null, bytes),
  )
  server.post<{ Querystring: Record<string, string | string[]>; Body: Buffer | undefined }>(
    '/ingest/traccar',
    { config: { access: 'ingest' }, bodyLimit: MAX_BODY_BYTES, onSend: refuseLargeSlowly(LARGE_REPORTS_BYTES) },
    request => {
      const { odometer } = readParameters(traccarQuery.properties, request.query) as { readonly odometer?: Odometer }
      return takeReports(takers, {
        reading,
        bytes: request.body ?? Buffer.alloc(0),
        terms: { odometer: odometer ?? 'OBD' },
        accountId: callerOf(request).accountId,
        sender: `request ${request.id}`,
        nowMs: takers.clock.wallMs(),
        refusalOf: where => `${where}device.uniqueId is not a device of this account.`,
      })
    },
  )
}
