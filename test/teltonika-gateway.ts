import pino, { type Logger } from 'pino'
import { Registry } from 'prom-client'
import { ensureAccount } from '../src/access/accounts.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import { type KeptFrame, listRejectedFrames } from '../src/db/rejected-frames.ts'
import { Partitions } from '../src/db/samples/partitions.ts'
import { sql } from '../src/db/sql.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { registerDevices } from '../src/fleet/records/registration.ts'
import { RejectedFrames } from '../src/gateways/shared/rejected-frames.ts'
import { startTeltonikaGateway } from '../src/gateways/teltonika/gateway.ts'
import type { Limits } from '../src/gateways/teltonika/limits.ts'
import type { DeviceId } from '../src/model/sample.ts'
import { DeviceAdmission } from '../src/pipeline/device-admission.ts'
import { Intake } from '../src/pipeline/intake.ts'
import type { CertificateFiles } from '../src/server/http/certificate.ts'
import { createTestDatabase } from './database.ts'

/** The gateway with the intake behind it, on a database of its own, and without the rest of the service. */
export interface TestGateway {
  readonly port: number
  readonly databaseUrl: string
  readonly database: Database
  /** Stops the gateway and leaves the rest running. */
  stopGateway(): Promise<void>
  /** Lets a dongle in, as an operator does. */
  addDevice(deviceId: DeviceId): Promise<void>
  storedSamples(deviceId?: DeviceId): Promise<number>
  /** What was rejected so far, newest first; nothing that is rejected later is kept. */
  rejectedFrames(): Promise<KeptFrame[]>
  /** The sum of a metric over those of its labels. */
  metric(name: string, labels?: Readonly<Record<string, string>>): Promise<number>
  stop(): Promise<void>
}

/** @param limits other than those of the service */
export async function startGateway(
  limits: Partial<Limits> = {},
  log: Logger = pino({ level: process.env.TEST_LOG ?? 'silent' }),
  unknownDevices: 'accept' | 'reject' = 'accept',
  certificate?: CertificateFiles,
): Promise<TestGateway> {
  const testDatabase = await createTestDatabase()
  const database = openDatabase({ url: testDatabase.url })
  const { id: firstAccountId } = await writeTransaction(database, transaction => ensureAccount(transaction, 'fleet'))
  const joining = async () => ({ unknownDevices, firstAccountId }) as const
  const registry = new Registry()
  const intake = new Intake({ database, partitions: new Partitions(database), batchOptions: joining, log })
  const rejected = new RejectedFrames({ database, registry, log })
  const gateway = await startTeltonikaGateway({
    host: '127.0.0.1',
    port: 0,
    intake,
    admission: new DeviceAdmission({ database, joining }),
    rejected,
    registry,
    log,
    limits,
    certificate,
  })
  let stopped: Promise<void> | undefined
  const stopGateway = () => (stopped ??= gateway.stop())
  return {
    port: gateway.port,
    databaseUrl: testDatabase.url,
    database,
    stopGateway,
    async addDevice(deviceId) {
      await writeTransaction(database, transaction =>
        registerDevices(transaction, [{ deviceId, accountId: firstAccountId }]),
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
      return listRejectedFrames(database, 1000)
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
      await rejected.stop()
      await database.close()
      await testDatabase.drop()
    },
  }
}
