import { createHash, timingSafeEqual } from 'node:crypto'
import { open } from 'node:fs/promises'
import { devNull } from 'node:os'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Database } from '../../db/database.ts'
import { clientErrorOf } from '../../db/faults.ts'
import { isLoopback } from '../../lib/networks.ts'
import { ClientError, codeOrTextOf, unavailable } from '../../model/errors.ts'
import { tokenOf } from './access.ts'

/** How a part of the service is. What it says is public. */
export type PartState =
  | { readonly status: 'ready' }
  /** Requests are answered, so it is no reason to send them elsewhere, but something fails. */
  | { readonly status: 'failing'; readonly reason: string; readonly since: string }
  | { readonly status: 'not ready'; readonly reason: string }

export type Parts = Readonly<Record<string, PartState>>

const RETRY_AFTER_S = 2

/** `/healthz`: the process answers. `/readyz`: the parts that it needs answer, too, or which does not. */
export function healthRoutes(
  server: FastifyInstance,
  { parts }: { readonly parts: (log: FastifyBaseLogger) => Promise<Parts> },
): void {
  const options = { config: { access: 'public', quiet: true } } as const
  server.get('/healthz', options, () => ({ status: 'ok' }))
  server.get('/readyz', options, async (request, reply) => {
    const known = { ...(await parts(request.log)), ...(await lackingDescriptors(request.log)) }
    const missing = Object.values(known).find(part => part.status === 'not ready')
    if (!missing) return { status: 'ready', parts: known }
    const errorMessage = `${missing.reason} Request id: ${request.id}.`
    return reply
      .code(503)
      .header('retry-after', String(RETRY_AFTER_S))
      .send({ errorMessage, status: 'not ready', parts: known })
  })
}

/** Without a free file descriptor nobody else can connect, and those who are connected would not notice. */
async function lackingDescriptors(log: FastifyBaseLogger): Promise<Parts> {
  const tryOne = async () =>
    open(devNull).then(
      file => file.close(),
      error => {
        throw unavailable('No file descriptor is left for new connections.', RETRY_AFTER_S, error)
      },
    )
  const descriptors = await partState('descriptors', tryOne, log)
  return descriptors.status === 'ready' ? {} : { descriptors }
}

/** The state of a part that can be asked. What is wrong is logged, and returned as far as everybody may know it. */
export async function partState(
  name: string,
  ask: () => Promise<unknown>,
  log: Pick<FastifyBaseLogger, 'warn'>,
): Promise<PartState> {
  try {
    await ask()
    return { status: 'ready' }
  } catch (error) {
    log.warn({ err: error, part: name }, `not ready: ${codeOrTextOf(error)}`)
    return { status: 'not ready', reason: clientErrorOf(error)?.message ?? `The ${name} cannot be used.` }
  }
}

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
  const replicaLag = new Gauge({
    name: 'tacho_replica_lag_seconds',
    help: 'How far the replica of DATABASE_READ_URL is behind at most; no value without one, and while it cannot be read from.',
    registers: [],
    collect() {
      if (replica?.lagMs === undefined) this.remove()
      else this.set(replica.lagMs / 1000)
    },
  })
  const connections = new Gauge({
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
  })
  for (const gauge of [replicaLag, connections]) registry.registerMetric(gauge)
  return { registry, requestDuration }
}

export type MetricsOfProcess = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** The text in which one process gives its metrics to another: JSON has no infinite numbers. */
export function writeMetrics(metrics: MetricsOfProcess): string {
  return JSON.stringify(metrics, (_key, value: unknown) =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
  )
}

export function readMetrics(text: string): MetricsOfProcess {
  return JSON.parse(text, (key, value: unknown) =>
    key === 'value' && typeof value === 'string' ? Number(value) : value,
  )
}

/** Guards `/metrics`: by `METRICS_TOKEN`, else only requests of this machine that no proxy passed on are allowed. */
export function metricsGuard(token: string | undefined): (request: FastifyRequest) => Promise<void> {
  const wanted = token === undefined ? undefined : digest(token)
  return async request => {
    const given = tokenOf(request)
    const isAllowed = wanted
      ? given !== undefined && timingSafeEqual(digest(given), wanted)
      : isLoopback(request.socket.remoteAddress ?? '') && !wasPassedOn(request)
    if (isAllowed) return
    const message = wanted ? 'Unauthorized.' : 'Metrics are for this machine alone, unless METRICS_TOKEN is set.'
    throw new ClientError(401, message, { headers: { 'www-authenticate': 'Bearer' } })
  }
}

function wasPassedOn({ headers }: FastifyRequest): boolean {
  return ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some(name => headers[name] !== undefined)
}

/** Gives both the same length, so that the comparison leaks nothing through its time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
