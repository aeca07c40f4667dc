import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { CallerLookup } from '../access/callers.ts'
import type { Database } from '../db/database.ts'
import { guardRoutes } from '../server/http/access.ts'
import { healthRoutes } from '../server/http/health.ts'
import { refuseOtherMethods } from '../server/http/methods.ts'
import type { Metrics } from '../server/http/metrics.ts'
import { metricsGuard } from '../server/http/metrics-access.ts'
import { createHttpServer } from '../server/http/server.ts'
import type { TransferLimits } from '../server/http/slow-peers.ts'

/** Adds the routes of one gateway to a part of the server where nobody else's parsers of bodies are. */
export type GatewayRoutes = (scope: FastifyInstance) => void

export interface IngestServerOptions {
  readonly gateways: readonly GatewayRoutes[]
  readonly callers: CallerLookup
  readonly database: Database
  readonly metrics: Metrics
  /** `METRICS_TOKEN` */
  readonly metricsToken: string | undefined
  readonly transfers: TransferLimits
  /** `TRUSTED_PROXIES`; the api process, which passes on who sends, is on this machine unless it is named there. */
  readonly trustedProxies: readonly string[]
  readonly log: Logger
}

/** For a gateway that names no limit of its own. */
const BODY_LIMIT_BYTES = 1024 * 1024

/**
 * The HTTP door of the intake process, on which every gateway that speaks HTTP has its routes. Requests do not spend
 * the allowance of the API: refusing measurements would only make them late. What is too much at the moment is
 * answered 503 by the intake itself, and 429 what is beyond a quota of the account.
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
  healthRoutes(server, { ready: async () => void (await database.checks.rows({ text: 'select 1', values: [] })) })
  const onRequest = metricsGuard(metricsToken)
  server.get('/metrics', { config: { access: 'public', quiet: true }, onRequest }, () =>
    metrics.registry.getMetricsAsJSON(),
  )
  refuseRemaining()
  return server
}
