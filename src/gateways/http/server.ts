import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { guardRoutes } from '../../http/access.ts'
import { healthRoutes } from '../../http/health.ts'
import { refuseOtherMethods } from '../../http/methods.ts'
import type { Metrics } from '../../http/metrics.ts'
import { createHttpServer } from '../../http/server.ts'
import type { Intake } from '../../intake/intake.ts'
import type { CallerLookup } from '../../store/callers.ts'
import type { Database } from '../../store/database.ts'
import { ingestEvents } from './route.ts'
import { MAX_BODY_BYTES } from './schema.ts'

export interface IngestServerOptions {
  readonly intake: Intake
  readonly callers: CallerLookup
  readonly database: Database
  readonly metrics: Metrics
  readonly log: Logger
}

/**
 * The HTTP door of the intake process. Requests do not spend the allowance of the API: refusing measurements would
 * only make them late, and what is too much is answered 503 by the intake itself.
 */
export function createIngestServer({ intake, callers, database, metrics, log }: IngestServerOptions): FastifyInstance {
  const server = createHttpServer({ log, duration: metrics.requestDuration, bodyLimitBytes: MAX_BODY_BYTES })
  const refuseRemaining = refuseOtherMethods(server)
  guardRoutes(server, { callers })
  ingestEvents(server, intake)
  healthRoutes(server, { ready: async () => void (await database.rows({ text: 'select 1', values: [] })) })
  server.get('/metrics', { config: { access: 'public', quiet: true } }, () => metrics.registry.getMetricsAsJSON())
  refuseRemaining()
  return server
}
