import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { CallerLookup } from '../access/callers.ts'
import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { guardRoutes } from '../server/http/access.ts'
import { healthRoutes } from '../server/http/health.ts'
import { refuseOtherMethods } from '../server/http/methods.ts'
import type { Metrics } from '../server/http/metrics.ts'
import { metricsGuard } from '../server/http/metrics-access.ts'
import { createHttpServer } from '../server/http/server.ts'
import type { TransferLimits } from '../server/http/slow-peers.ts'

/** Adds the routes of one gateway to a scope of the server without the body parsers of others. */
type GatewayRoutes = (scope: FastifyInstance) => void

interface IngestServerOptions {
  readonly gateways: readonly GatewayRoutes[]
  readonly callers: CallerLookup
  readonly database: Database
  readonly metrics: Metrics
  /** `METRICS_TOKEN` */
  readonly metricsToken: string | undefined
  readonly transfers: TransferLimits
  /** `TRUSTED_PROXIES`; the api process, which forwards the client's address, is on this machine unless it is named there. */
  readonly trustedProxies: readonly string[]
  readonly log: Logger
}

/** For a gateway that names no limit of its own. */
const BODY_LIMIT_BYTES = 1024 * 1024

/**
 * The HTTP server of the intake process, with the routes of every HTTP gateway. Requests do not count against the rate
 * limit of the API: refusing measurements would only delay them. When the intake itself has too much to do it answers
 * 503, and 429 beyond a quota of the account.
 */
export async function createIngestServer(options: IngestServerOptions): Promise<FastifyInstance> {
  const { gateways, callers, database, metrics, metricsToken, transfers, trustedProxies, log } = options
  const duration = metrics.requestDuration
  const server = createHttpServer({
    log,
    duration,
    bodyLimitBytes: BODY_LIMIT_BYTES,
    transfers,
    trustedProxies: ['127.0.0.1', '::1', ...trustedProxies],
  })
  const refuseRemaining = refuseOtherMethods(server)
  guardRoutes(server, { callers })
  for (const addRoutes of gateways) await server.register(async scope => addRoutes(scope))
  healthRoutes(server, { ready: async () => void (await database.checks.rows(sql`select 1`)) })
  const onRequest = metricsGuard(metricsToken)
  server.get('/metrics', { config: { access: 'public', quiet: true }, onRequest }, () =>
    metrics.registry.getMetricsAsJSON(),
  )
  refuseRemaining()
  return server
}
