import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import pino from 'pino'
import { ensureAccount } from '../src/access/accounts.ts'
import { createCallerLookup } from '../src/access/callers.ts'
import { createKey } from '../src/access/keys.ts'
import { createApiServer } from '../src/api/server.ts'
import { INTAKE_ROUTES } from '../src/app.ts'
import { ALL_PERMISSIONS, type Permission } from '../src/catalogue/permissions.ts'
import { type Config, readConfig } from '../src/config.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { SYSTEM_CLOCK } from '../src/lib/clock.ts'
import { createMetrics } from '../src/server/http/health.ts'
import { MachineWatch } from '../src/server/watch/machine-watch.ts'
import { createTestDatabase } from './database.ts'

/** One account that asks, with a key of its own. */
export interface TestClient {
  readonly accountId: number
  readonly token: string
  /** `path` is relative to the base address. */
  get(path: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>
  send(
    method: 'PUT' | 'POST',
    path: string,
    body: unknown,
    headers?: Record<string, string>,
  ): Promise<LightMyRequestResponse>
}

/** The API on a database of its own, asked without a socket; no intake behind it. */
export interface TestApi {
  readonly server: FastifyInstance
  readonly database: Database
  /** A client of that account, which is made when it is new; every permission unless told otherwise. */
  client(account: string, permissions?: readonly Permission[]): Promise<TestClient>
  inject(options: InjectOptions): Promise<LightMyRequestResponse>
  stop(): Promise<void>
}

export const BASE = '/cc/v2.0'

export async function startApi(environment: Record<string, string> = {}): Promise<TestApi> {
  const testDatabase = await createTestDatabase()
  const database = openDatabase({ url: testDatabase.url, writerCount: 10 })
  const server = await apiServerOn(database, readConfig({ RATE_LIMIT: '1000000', ...environment }))
  const inject = (options: InjectOptions) => server.inject(options)
  return {
    server,
    database,
    inject,
    async client(account, permissions = ALL_PERMISSIONS) {
      const { accountId, token } = await writeTransaction(database, async transaction => {
        const { id } = await ensureAccount(transaction, account)
        const key = { accountId: id, name: 'test', permissions, expires: undefined }
        return { accountId: id, token: (await createKey(transaction, key)).secret }
      })
      const authorization = `Bearer ${token}`
      return {
        accountId,
        token,
        get: (path, headers = {}) => inject({ url: BASE + path, headers: { authorization, ...headers } }),
        send: (method, path, body, headers = {}) =>
          inject({
            method,
            url: BASE + path,
            headers: { authorization, 'content-type': 'application/json', ...headers },
            payload: typeof body === 'string' ? body : JSON.stringify(body),
          }),
      }
    },
    async stop() {
      await server.close()
      await database.close()
      await testDatabase.drop()
    },
  }
}

/** The server alone; it needs the database only when it is asked for data. */
export async function apiServerOn(database: Database, config: Config): Promise<FastifyInstance> {
  const log = pino({ level: process.env.TEST_LOG ?? 'silent' })
  const callers = createCallerLookup(database)
  const context = {
    config,
    database,
    callers,
    machine: new MachineWatch({ connection: database.checks, databaseUrl: undefined }),
    clock: SYSTEM_CLOCK,
    intakeUrl: () => undefined,
    documentedElsewhere: INTAKE_ROUTES,
  }
  const server = await createApiServer(context, createMetrics('api', database), log)
  await server.ready()
  return server
}
