import pino, { type Logger } from 'pino'
import { Registry } from 'prom-client'
import { ensureAccount } from '../src/access/accounts.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import { type KeptFrame, listRejectedFrames } from '../src/db/rejected-frames.ts'
import { lockDevices } from '../src/db/shards.ts'
import { sql } from '../src/db/sql.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { registerDevices } from '../src/fleet/devices.ts'
import { startBinaryGateway } from '../src/gateways/shared/binary/gateway.ts'
import type { Limits } from '../src/gateways/shared/binary/limits.ts'
import type { BinaryProtocol } from '../src/gateways/shared/binary/protocol.ts'
import { RejectedFrames } from '../src/gateways/shared/rejected-frames.ts'
import { AccountQuotas } from '../src/ingest/account-quotas.ts'
import { Intake } from '../src/ingest/intake.ts'
import { DeviceAdmission } from '../src/ingest/remembered-devices.ts'
import type { DeviceId } from '../src/model/sample.ts'
import type { CertificateFiles } from '../src/server/http/certificate.ts'
import { Partitions } from '../src/store/index.ts'
import { AdvancingClock } from './test-clock.ts'

/** The gateway of a binary protocol with the intake behind it, and without the rest of the service. */
export interface TestGateway {
  readonly port: number
  readonly databaseUrl: string
  readonly database: Database
  readonly clock: AdvancingClock
  /** Stops the gateway and leaves the rest running. */
  stopGateway(): Promise<void>
  /** Lets a dongle in, as an operator does. */
  addDevice(deviceId: DeviceId): Promise<void>
  storedSamples(deviceId?: DeviceId): Promise<number>
  /** What it rejected so far, newest first; nothing that is rejected later is kept. */
  rejectedFrames(): Promise<KeptFrame[]>
  /** The sum of a metric over those of its labels. */
  metric(name: string, labels?: Readonly<Record<string, string>>): Promise<number>
  stop(): Promise<void>
}

export interface TestGatewayOptions {
  /** Other than those of the service; logins are answered sooner anyway. */
  readonly limits?: Partial<Limits>
  readonly log?: Logger
  readonly unknownDevices?: 'accept' | 'reject'
  readonly certificate?: CertificateFiles
  /** What each account may send; without it, everything. */
  readonly eventsPerMinute?: number
}

/** No test is about how long a login takes, and many log in. */
const LIMITS = { answerLoginAfterMs: 5 }

/** @param databaseUrl which it may share with a service or with other gateways */
export async function startGateway(
  protocol: BinaryProtocol,
  databaseUrl: string,
  options: TestGatewayOptions = {},
): Promise<TestGateway> {
  const { limits = {}, certificate, eventsPerMinute, unknownDevices = 'accept' } = options
  const { log = pino({ level: process.env.TEST_LOG ?? 'silent' }) } = options
  const database = openDatabase({ url: databaseUrl })
  const [formerly] = await listRejectedFrames(database, 1)
  const { id: firstAccountId } = await writeTransaction(database, transaction => ensureAccount(transaction, 'fleet'))
  const joining = async () => ({ unknownDevices, firstAccountId }) as const
  const registry = new Registry()
  const clock = new AdvancingClock()
  const quotas = new AccountQuotas({ database, defaults: { eventsPerMinute, volumeMb: undefined }, log, clock })
  const partitions = new Partitions(database, { clock })
  const intake = new Intake({ database, partitions, quotas, batchOptions: joining, log, clock })
  const rejected = new RejectedFrames({ database, registry, log, clock })
  const gateway = await startBinaryGateway({
    protocol,
    host: '127.0.0.1',
    port: 0,
    intake,
    admission: new DeviceAdmission({ database, joining, clock }),
    rejected,
    registry,
    log,
    limits: { ...LIMITS, ...limits },
    certificate,
    clock,
  })
  let stopped: Promise<void> | undefined
  const stopGateway = () => (stopped ??= gateway.stop())
  return {
    port: gateway.port,
    databaseUrl,
    database,
    clock,
    stopGateway,
    async addDevice(deviceId) {
      await writeTransaction(database, async transaction =>
        registerDevices(await lockDevices(transaction, [deviceId]), [{ deviceId, accountId: firstAccountId }]),
      )
    },
    async storedSamples(deviceId) {
      const [row] = await database.rows<{ count: number }>(sql`
        select count(*)::integer as count from samples
        where ${deviceId ?? null}::bigint is null or device_id = ${deviceId ?? null}`)
      return row?.count ?? 0
    },
    async rejectedFrames() {
      await rejected.stop()
      const frames = await listRejectedFrames(database, 1000)
      return frames.filter(({ id }) => id > (formerly?.id ?? 0))
    },
    async metric(name, labels = {}) {
      const metric = await registry.getSingleMetric(name)?.get()
      const values = metric?.values.filter(value =>
        Object.entries(labels).every(([label, wanted]) => (value.labels as Record<string, unknown>)[label] === wanted),
      )
      return values?.reduce((sum, { value }) => sum + value, 0) ?? 0
    },
    async stop() {
      await stopGateway()
      await intake.stop()
      await quotas.stop()
      await rejected.stop()
      await database.close()
    },
  }
}
