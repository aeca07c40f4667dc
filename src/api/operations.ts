import type { FastifyInstance } from 'fastify'
import { AggregatorRegistry } from 'prom-client'
import { sql } from '../db/sql.ts'
import { unavailable } from '../model/errors.ts'
import { healthRoutes } from '../server/http/health.ts'
import type { Metrics } from '../server/http/metrics.ts'
import { metricsGuard } from '../server/http/metrics-access.ts'
import type { ApiContext } from './context.ts'

const INTAKE_TIMEOUT_MS = 2_000

/** Health, readiness and metrics of the whole service under its one address. */
export function operations(
  server: FastifyInstance,
  { database, intakeUrl, config }: ApiContext,
  metrics: Metrics,
): void {
  const { metricsToken } = config
  const headers: Record<string, string> = metricsToken === undefined ? {} : { authorization: `Bearer ${metricsToken}` }
  const askIntake = async (path: string): Promise<Response> => {
    const url = intakeUrl()
    if (url === undefined) throw unavailable('The intake is not running.', 2)
    const signal = AbortSignal.timeout(INTAKE_TIMEOUT_MS)
    const reply = await fetch(url + path, { headers, signal }).catch(error => {
      throw unavailable('The intake does not answer.', 2, error)
    })
    if (!reply.ok) throw unavailable('The intake is not ready.', 2)
    return reply
  }
  healthRoutes(server, {
    ready: async () => {
      await database.checks.rows(sql`select 1`)
      await askIntake('/readyz')
    },
  })
  const onRequest = metricsGuard(metricsToken)
  server.get('/metrics', { config: { access: 'public', quiet: true }, onRequest }, async (_request, reply) => {
    // Without the intake its half is missing; the other half shows why.
    const parts = [await metrics.registry.getMetricsAsJSON()]
    const ofIntake = await askIntake('/metrics').catch(() => undefined)
    if (ofIntake) parts.push((await ofIntake.json()) as (typeof parts)[number])
    const all = AggregatorRegistry.aggregate(parts)
    return reply.type(all.contentType).send(await all.metrics())
  })
}
