import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { CallerLookup } from '../access/callers.ts'
import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { IntakeStatus } from '../ingest/storing-state.ts'
import { guardRoutes } from '../server/http/access.ts'
import {
  healthRoutes,
  type Metrics,
  metricsGuard,
  type PartState,
  partState,
  writeMetrics,
} from '../server/http/health.ts'
import { createHttpServer } from '../server/http/server.ts'
import type { TransferLimits } from '../server/http/slow-peers.ts'
import { inflated } from './http/route.ts'

/** Adds the routes of one gateway to a scope of the server without the body parsers of others. */
type GatewayRoutes = (scope: FastifyInstance) => void

interface IngestServerOptions {
  readonly gateways: readonly GatewayRoutes[]
  readonly callers: CallerLookup
  readonly database: Database
  readonly metrics: Metrics
  /** `METRICS_TOKEN` */
  readonly metricsToken: string | undefined
  readonly status: () => IntakeStatus
  readonly transfers: TransferLimits
  /** `TRUSTED_PROXIES`; the api process, which forwards the client's address, is on this machine unless it is named there. */
  readonly trustedProxies: readonly string[]
  readonly log: Logger
}

/** For a gateway that names no limit of its own. */
const BODY_LIMIT_BYTES = 1024 * 1024

/** The HTTP server of the intake process. Requests do not count against the rate limit of the API: refusing
 * measurements would only delay them. It answers 503 when overloaded, and 429 beyond a quota of the account. */
export async function createIngestServer(options: IngestServerOptions): Promise<FastifyInstance> {
  const { gateways, callers, database, metrics, metricsToken, status, transfers, trustedProxies, log } = options
  const duration = metrics.requestDuration
  const server = createHttpServer({
    log,
    duration,
    bodyLimitBytes: BODY_LIMIT_BYTES,
    transfers,
    trustedProxies: ['127.0.0.1', '::1', ...trustedProxies],
  })
  guardRoutes(server, { callers })
  server.addHook('preParsing', async ({ headers }, _reply, payload) => inflated(headers['content-encoding'], payload))
  for (const addRoutes of gateways) await server.register(async scope => addRoutes(scope))
  healthRoutes(server, {
    parts: async requestLog => ({
      database: await partState('database', () => database.checks.rows(sql`select 1`), requestLog),
      storing: storingState(status()),
    }),
  })
  const onRequest = metricsGuard(metricsToken)
  server.get('/metrics', { config: { access: 'public', quiet: true }, onRequest }, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(writeMetrics(await metrics.registry.getMetricsAsJSON())),
  )
  server.get('/status', { config: { access: 'public', quiet: true }, onRequest }, () => status())
  return server
}

/** Stored samples can be read, so it is no reason to send requests elsewhere. */
function storingState({ storingFault }: IntakeStatus): PartState {
  return storingFault ? { status: 'failing', ...storingFault } : { status: 'ready' }
}
