import type { FastifyInstance } from 'fastify'
import { AggregatorRegistry, Gauge } from 'prom-client'
import { healthRoutes, type Metrics, metricsGuard, readMetrics } from '../server/http/health.ts'
import { observeMachine } from '../server/watch/metrics.ts'
import type { ApiContext } from './context.ts'
import { createAskIntake, readParts } from './readiness.ts'

/** Health, readiness and metrics of the whole service under its one address. */
export function operations(server: FastifyInstance, context: ApiContext, metrics: Metrics): void {
  const askIntake = createAskIntake(context)
  healthRoutes(server, { parts: log => readParts(context, askIntake, log) })
  observeMachine(metrics.registry, context.machine)
  metrics.registry.registerMetric(
    new Gauge({
      name: 'tacho_ready',
      help: 'Whether a part of the service is ready, as /readyz tells: database, intake, and storing of what arrives.',
      labelNames: ['part'] as const,
      registers: [],
      async collect() {
        this.reset()
        const parts = await readParts(context, askIntake, server.log)
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
