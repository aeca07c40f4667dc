import pino, { type Logger } from 'pino'
import { ensureAccount } from '../src/access/accounts.ts'
import { createKey } from '../src/access/keys.ts'
import { startApiRole, startIntakeRole } from '../src/app.ts'
import { ALL_PERMISSIONS, type Permission } from '../src/catalogue/permissions.ts'
import { type Config, readConfig } from '../src/config.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { createTestDatabase } from './database.ts'
import { settledByHurrying } from './settled.ts'
import { AdvancingClock } from './test-clock.ts'

/** The whole service on a database of its own, in this process. */
export interface TestService {
  readonly url: string
  readonly baseUrl: string
  readonly intakeUrl: string
  /** Where dongles of Teltonika report, over TCP and UDP. */
  readonly teltonikaPort: number
  readonly database: Database
  readonly config: Config & { readonly databaseUrl: string }
  /** A key of that account; every permission unless told otherwise. */
  key(account: string, permissions?: readonly Permission[]): Promise<string>
  /** Another intake on the same database, as a second node would be. */
  secondIntake(): Promise<string>
  /** The clock of all roles of this service. */
  readonly clock: AdvancingClock
  stop(): Promise<void>
}

/** @param log what both roles log to; nowhere unless TEST_LOG names a level */
export async function startService(
  environment: Record<string, string> = {},
  log: Logger = pino({ level: process.env.TEST_LOG ?? 'silent' }),
  clock: AdvancingClock = new AdvancingClock(),
): Promise<TestService> {
  const testDatabase = await createTestDatabase()
  const config = {
    ...readConfig({ PORT: '0', TELTONIKA_PORT: '0', UNKNOWN_DEVICES: 'accept', RATE_LIMIT: '1000000', ...environment }),
    databaseUrl: testDatabase.url,
  }
  const database = openDatabase({ url: testDatabase.url })
  settledByHurrying(database, clock)
  const intakes = [await startIntakeRole({ config, log, clock })]
  const urlOf = (role: { readonly port: number } | undefined) => `http://127.0.0.1:${role?.port}`
  const intakeUrl = urlOf(intakes[0])
  const api = await startApiRole({ config, log, intakeUrl: () => intakeUrl, clock })
  return {
    url: urlOf(api),
    baseUrl: `${urlOf(api)}/cc/v2.0`,
    intakeUrl,
    teltonikaPort: intakes[0]?.teltonikaPort ?? 0,
    database,
    config,
    clock,
    key: (account, permissions = ALL_PERMISSIONS) =>
      writeTransaction(database, async transaction => {
        const { id } = await ensureAccount(transaction, account)
        return (await createKey(transaction, { accountId: id, name: 'test', permissions, expires: undefined })).secret
      }),
    async secondIntake() {
      const intake = await startIntakeRole({ config, log, clock })
      intakes.push(intake)
      return urlOf(intake)
    },
    async stop() {
      await api.stop()
      for (const intake of intakes) await intake.stop()
      await database.close()
      await testDatabase.drop()
    },
  }
}
