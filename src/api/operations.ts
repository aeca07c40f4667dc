import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { AggregatorRegistry, Gauge } from 'prom-client'
import { sql } from '../db/sql.ts'
import { unavailable } from '../model/errors.ts'
import {
  healthRoutes,
  type Metrics,
  metricsGuard,
  type PartState,
  type Parts,
  partState,
  readMetrics,
} from '../server/http/health.ts'
import { observeMachine } from '../server/watch/metrics.ts'
import type { ApiContext } from './context.ts'
import type { RequestCounter } from './limits.ts'

/** Health, readiness and metrics of the whole service under its one address. */
export function operations(
  server: FastifyInstance,
  context: ApiContext,
  metrics: Metrics,
  askIntake: AskIntake,
  partsReader: PartsReader,
): void {
  healthRoutes(server, { parts: partsReader })
  observeMachine(metrics.registry, context.machine)
  metrics.registry.registerMetric(
    new Gauge({
      name: 'tacho_ready',
      help: 'Whether a part of the service is ready, as /readyz tells: database, intake, storing of what arrives, and a Redis that nodes share.',
      labelNames: ['part'] as const,
      registers: [],
      async collect() {
        this.reset()
        const parts = await partsReader(server.log)
        for (const [part, { status }] of Object.entries(parts)) this.set({ part }, status === 'ready' ? 1 : 0)
      },
    }),
  )
  const onRequest = metricsGuard(context.config.metricsToken)
  server.get('/metrics', { config: { access: 'public', quiet: true }, onRequest }, async (_request, reply) => {
    // Without the intake its half is missing; the other half shows why.
    const parts = [await metrics.registry.getMetricsAsJSON()]
    const ofIntake = await askIntake('/metrics').catch(() => undefined)
    if (ofIntake?.ok) parts.push(readMetrics(await ofIntake.text()))
    const all = AggregatorRegistry.aggregate(parts)
    return reply.type(all.contentType).send(await all.metrics())
  })
}

const INTAKE_TIMEOUT_MS = 2_000

/** Sends a request to the intake, whatever it answers. @throws ClientError 503 when it does not. */
export type AskIntake = (path: string) => Promise<Response>

/** The operator's token goes with it: `/metrics` and `/status` of the intake are guarded by it. */
export function createAskIntake({ intakeUrl, config }: Pick<ApiContext, 'intakeUrl' | 'config'>): AskIntake {
  const { metricsToken } = config
  const headers: Record<string, string> = metricsToken === undefined ? {} : { authorization: `Bearer ${metricsToken}` }
  return async path => {
    const url = intakeUrl()
    if (url === undefined) throw unavailable('The intake is not running.', 2)
    const signal = AbortSignal.timeout(INTAKE_TIMEOUT_MS)
    return fetch(url + path, { headers, signal }).catch(error => {
      throw unavailable('The intake does not answer.', 2, error)
    })
  }
}

export type PartsReader = (log: FastifyBaseLogger) => Promise<Parts>

/** How the parts of the service are that this api process needs or speaks for. */
export async function readParts(
  { database }: Pick<ApiContext, 'database'>,
  askIntake: AskIntake,
  redisState: RequestCounter['redisState'],
  log: Pick<FastifyBaseLogger, 'warn'>,
): Promise<Parts> {
  let ofIntake: Parts = {}
  const [databaseState, intake, redis] = await Promise.all([
    partState('database', () => database.checks.rows(sql`select 1`), log),
    partState(
      'intake',
      async () => {
        const reply = await askIntake('/readyz')
        ofIntake = partsOf(await reply.json().catch(() => undefined))
        if (!reply.ok) throw unavailable('The intake is not ready.', 2)
      },
      log,
    ),
    redisState?.(),
  ])
  const { storing } = ofIntake
  return { database: databaseState, intake, ...(storing && { storing }), ...(redis && { redis }) }
}

function partsOf(body: unknown): Parts {
  if (typeof body !== 'object' || body === null || !('parts' in body)) return {}
  const { parts } = body
  if (typeof parts !== 'object' || parts === null) return {}
  return Object.fromEntries(Object.entries(parts).filter((entry): entry is [string, PartState] => isPart(entry[1])))
}

function isPart(part: unknown): part is PartState {
  return typeof part === 'object' && part !== null && 'status' in part
}
