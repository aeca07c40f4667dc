import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { firstAccount } from './access/accounts.ts'
import { createCallerLookup } from './access/callers.ts'
import type { DocumentedRoute } from './api/openapi.ts'
import type { Config } from './config.ts'
import { type Database, type DatabaseOptions, openDatabase } from './db/database.ts'
import { type ProcessRole, processName } from './db/pool.ts'
import { ingestEvents } from './gateways/http/route.ts'
import { ingestSchema } from './gateways/http/schema.ts'
import type { MqttGatewayOptions } from './gateways/mqtt/gateway.ts'
import { phoneReports } from './gateways/osmand/route.ts'
import { osmandBodySchema, osmandQuerySchema } from './gateways/osmand/schema.ts'
import { createIngestServer } from './gateways/server.ts'
import { type BinaryGateway, type BinaryGatewayOptions, startBinaryGateway } from './gateways/shared/binary/gateway.ts'
import { BodyReader } from './gateways/shared/bodies.ts'
import { RejectedFrames } from './gateways/shared/rejected-frames.ts'
import { observeLeftOutValues } from './gateways/shared/reports.ts'
import { TELTONIKA } from './gateways/teltonika/protocol.ts'
import { forwardedPositions } from './gateways/traccar/route.ts'
import { traccarSchema } from './gateways/traccar/schema.ts'
import { geocoderOf } from './geo/address-jobs.ts'
import { AccountQuotas } from './ingest/account-quotas.ts'
import { Intake, type IntakeOptions } from './ingest/intake.ts'
import {
  observeIntake,
  observeJobs,
  observeReconciling,
  observeRefolding,
  observeSealing,
  observeSenders,
} from './ingest/metrics.ts'
import { DeviceAdmission } from './ingest/remembered-devices.ts'
import { JobFailures } from './jobs/background-jobs.ts'
import { startHousekeeping } from './jobs/housekeeping.ts'
import { type Clock, SYSTEM_CLOCK } from './lib/clock.ts'
import { observeBackups } from './server/backup/bases.ts'
import { certificateFilesOf } from './server/http/certificate.ts'
import { createMetrics } from './server/http/health.ts'
import { MachineWatch, showPresence } from './server/watch/machine-watch.ts'
import { Partitions } from './store/index.ts'

/** One of the two processes of the service (design, decision 4), listening. */
export interface RunningRole {
  readonly port: number
  /** Where dongles of Teltonika report, over TCP and UDP; undefined when they cannot, or not to this role. */
  readonly teltonikaPort?: number
  /** Stops accepting, finishes what is in flight, closes its connections. */
  stop(): Promise<void>
}

type RoleConfig = Config & { readonly databaseUrl: string }

export interface ApiRoleOptions {
  readonly config: RoleConfig
  readonly log: Logger
  readonly intakeUrl: () => string | undefined
  readonly clock?: Clock
}

/** Large bodies of an account that wait for a thread: of up to 16 MB, and of up to 1 MB. */
const MOST_EVENT_BODIES = 32
const MOST_REPORT_BODIES = 256

/** Behind the address of the api, for the one OpenAPI document. */
export const INTAKE_ROUTES: readonly DocumentedRoute[] = [
  { method: 'POST', url: '/ingest/events', access: 'ingest', schema: ingestSchema },
  { method: 'POST', url: '/ingest/traccar', access: 'ingest', schema: traccarSchema },
  { method: 'GET', url: '/ingest/osmand', access: 'ingest', schema: osmandQuerySchema },
  { method: 'POST', url: '/ingest/osmand', access: 'ingest', schema: osmandBodySchema },
]

export async function startApiRole({
  config,
  log,
  intakeUrl,
  clock = SYSTEM_CLOCK,
}: ApiRoleOptions): Promise<RunningRole> {
  const database = connect('api', config, log, { readTimeoutMs: config.readTimeoutS * 1000, clock })
  const machine = new MachineWatch({ connection: database.checks, databaseUrl: config.databaseUrl, clock })
  const stopPresence = showPresence(database.checks, clock)
  const metrics = createMetrics('api', database)
  const callers = createCallerLookup(database.checks, { clock })
  // Loaded only here: most of what it uses, the intake does not.
  const { createApiServer } = await import('./api/server.ts')
  const server = await createApiServer(
    { config, database, callers, machine, clock, intakeUrl, documentedElsewhere: INTAKE_ROUTES },
    metrics,
    log,
  )
  return listen(server, config.host, config.port, async () => {
    await Promise.all([machine.close(), stopPresence()])
    await database.close()
  })
}

export async function startIntakeRole({
  config,
  log,
  isDiskShort,
  clock = SYSTEM_CLOCK,
}: Omit<ApiRoleOptions, 'intakeUrl'> & Pick<IntakeOptions, 'isDiskShort'>): Promise<RunningRole> {
  const database = connect('intake', config, log, { clock })
  const stopPresence = showPresence(database.checks, clock)
  const metrics = createMetrics('intake', database)
  const partitions = new Partitions(database, { hotDays: config.hotDays, clock })
  let firstAccountId: number | undefined
  const joining = async () => {
    firstAccountId ??= (await firstAccount(database))?.id
    return { unknownDevices: config.unknownDevices, firstAccountId }
  }
  const quotas = new AccountQuotas({
    database,
    defaults: { eventsPerMinute: config.accountEventsPerMinute, volumeMb: config.accountVolumeMb },
    log,
    clock,
  })
  const observe = observeIntake(metrics.registry, () => intake)
  const observeFailure = observeSenders(metrics.registry, () => intake)
  const failures = new JobFailures(observeJobs(metrics.registry), clock)
  const intake: Intake = new Intake({
    database,
    partitions,
    quotas,
    observe,
    observeFailure,
    log,
    batchOptions: joining,
    isDiskShort,
    clock,
  })
  const observeLeftOut = observeLeftOutValues(metrics.registry)
  const bodies = new BodyReader(MOST_EVENT_BODIES, observeLeftOut)
  // Threads of their own: what a tracker sends does not wait for a body of 100,000 events.
  const reports = {
    intake,
    bodies: new BodyReader(MOST_REPORT_BODIES, observeLeftOut),
    clock,
  }
  if (config.backupDir !== undefined) observeBackups(metrics.registry, config.backupDir)
  const rejected = new RejectedFrames({ database, registry: metrics.registry, log, clock })
  const server = await createIngestServer({
    gateways: [
      scope => ingestEvents(scope, { intake, bodies, clock }),
      scope => forwardedPositions(scope, reports),
      scope => phoneReports(scope, reports),
    ],
    callers: createCallerLookup(database.checks, { clock }),
    database,
    metrics,
    metricsToken: config.metricsToken,
    status: () => ({
      pending: [...intake.pendingOfAccounts].map(([accountId, samples]) => ({ accountId, samples })),
      storingFault: intake.storingFault ?? null,
      failingJobs: failures.failing,
    }),
    transfers: config,
    trustedProxies: config.trustedProxies,
    log,
  })
  const stopMqtt = await startMqtt(config, { intake, bodies, rejected, registry: metrics.registry, log, clock })
  const teltonika = await startTeltonika(config, {
    intake,
    admission: new DeviceAdmission({ database, joining, clock }),
    rejected,
    registry: metrics.registry,
    log,
    clock,
  })
  const { onlineWindowS, retentionDays, sealedAfterDays, securityLogDays, claimDays, tombstoneDays } = config
  const stopHousekeeping = startHousekeeping({
    database,
    engine: intake.engine,
    partitions,
    onlineWindowS,
    retentionDays,
    sealedAfterDays,
    securityLogDays,
    claimDays,
    tombstoneDays,
    geocoder: geocoderOf(config, clock),
    log,
    observeReconciling: observeReconciling(metrics.registry),
    observeRefolding: observeRefolding(metrics.registry),
    observeSealing: observeSealing(metrics.registry),
    failures,
    clock,
  })
  const role = await listen(server, config.intakeHost, config.intakePort, async () => {
    await Promise.all([stopMqtt(), teltonika?.stop()])
    await Promise.all([bodies.stop(), reports.bodies.stop()])
    await intake.stop()
    await quotas.stop()
    await rejected.stop()
    await stopHousekeeping()
    await stopPresence()
    await database.close()
  })
  return { ...role, ...(teltonika && { teltonikaPort: teltonika.port }) }
}

async function startTeltonika(
  { teltonikaHost: host, teltonikaPort, teltonikaTlsCertFile, teltonikaTlsKeyFile }: RoleConfig,
  parts: Pick<BinaryGatewayOptions, 'intake' | 'admission' | 'rejected' | 'registry' | 'log' | 'clock'>,
): Promise<BinaryGateway | undefined> {
  if (teltonikaPort === undefined) return undefined
  const certificate = certificateFilesOf(teltonikaTlsCertFile, teltonikaTlsKeyFile)
  return startBinaryGateway({ protocol: TELTONIKA, host, port: teltonikaPort, certificate, ...parts })
}

async function startMqtt(
  { mqttUrl, mqttCaFile, mqttClientId, mqttConnections }: RoleConfig,
  surroundings: Pick<MqttGatewayOptions, 'intake' | 'bodies' | 'rejected' | 'registry' | 'log' | 'clock'>,
): Promise<() => Promise<void>> {
  if (mqttUrl === undefined) return async () => undefined
  // Loaded only here: without a broker, its client would only cost memory.
  const { startMqttGateway } = await import('./gateways/mqtt/gateway.ts')
  return startMqttGateway({
    url: mqttUrl,
    caFile: mqttCaFile,
    clientId: mqttClientId,
    connections: mqttConnections,
    ...surroundings,
  })
}

function connect(
  role: ProcessRole,
  config: RoleConfig,
  log: Logger,
  options: Pick<DatabaseOptions, 'readTimeoutMs' | 'clock'>,
): Database {
  return openDatabase({
    ...options,
    processName: processName(role),
    url: config.databaseUrl,
    ...(role === 'api' && { replicaUrl: config.databaseReadUrl }),
    onReplicaFault(fault, error) {
      if (fault === undefined) log.info('the replica is read from')
      else log.warn({ err: error, fault }, 'the replica cannot be read from: the database itself is')
    },
    onIdleError: error => log.warn({ err: error }, 'a connection to the database ended'),
  })
}

async function listen(
  server: FastifyInstance,
  host: string,
  port: number,
  afterwards: () => Promise<void>,
): Promise<RunningRole> {
  await server.listen({ host, port })
  const address = server.server.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async stop() {
      await server.close()
      await afterwards()
    },
  }
}
