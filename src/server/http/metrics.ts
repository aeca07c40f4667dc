import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Database } from '../../db/database.ts'

/** The metrics of a role's process, for Prometheus. */
export interface Metrics {
  readonly registry: Registry
  readonly requestDuration: Histogram<'method' | 'route' | 'status'>
}

/** Each look wakes the process: at the default of 10 ms, that took as much time as everything else at rest. */
const EVENT_LOOP_PRECISION_MS = 500

export function createMetrics(role: 'api' | 'intake', database: Database): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ role })
  collectDefaultMetrics({
    register: registry,
    prefix: 'tacho_',
    eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS,
  })
  const requestDuration = new Histogram({
    name: 'tacho_http_request_duration_seconds',
    help: 'Seconds from the request to the end of its reply.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  const { replica } = database
  const pools = {
    reader: database.readers,
    checker: database.checks.pool,
    writer: database.writers,
    ...(replica && { replica: replica.pool }),
  }
  registry.registerMetric(
    new Gauge({
      name: 'tacho_replica_lag_seconds',
      help: 'How far the replica of DATABASE_READ_URL is behind at most; no value without one, and while it can not be read from.',
      registers: [],
      collect() {
        if (replica?.lagMs === undefined) this.remove()
        else this.set(replica.lagMs / 1000)
      },
    }),
  )
  registry.registerMetric(
    new Gauge({
      name: 'tacho_database_connections',
      help: 'Connections to the database by pool and state; waiting counts requests that wait for one.',
      labelNames: ['pool', 'state'] as const,
      registers: [],
      collect() {
        for (const [pool, { idleCount, totalCount, waitingCount }] of Object.entries(pools)) {
          this.set({ pool, state: 'idle' }, idleCount)
          this.set({ pool, state: 'busy' }, totalCount - idleCount)
          this.set({ pool, state: 'waiting' }, waitingCount)
        }
      },
    }),
  )
  return { registry, requestDuration }
}

/** Metrics of another process, as the client library gives them. */
export type MetricsOfProcess = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** The text in which one process gives its metrics to another: JSON has no infinite numbers. */
export function writeMetrics(metrics: MetricsOfProcess): string {
  return JSON.stringify(metrics, (_key, value: unknown) =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
  )
}

/** Reads what `writeMetrics` wrote. */
export function readMetrics(text: string): MetricsOfProcess {
  return JSON.parse(text, (key, value: unknown) =>
    key === 'value' && typeof value === 'string' ? Number(value) : value,
  )
}
