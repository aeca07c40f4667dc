import type { FastifyInstance, InjectOptions } from 'fastify'
import { pino } from 'pino'
import { ensureFirstUser } from '../src/access/users.ts'
import { tokenRoutes } from '../src/api/auth/token.ts'
import { readConfig } from '../src/config.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import type { Statement } from '../src/db/sql.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { createMetrics } from '../src/server/http/health.ts'
import { createHttpServer } from '../src/server/http/server.ts'
import { createTestDatabase } from './database.ts'

export const EMAIL = 'Operator@example.com'
export const PASSWORD = 'correct horse, bättery & staple'
export const LIFETIME_S = 864_000

interface TokenReply {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Readonly<Record<string, string>>
}

/** The token endpoint with a database of its own, in which there is one user. */
export interface TokenEndpoint {
  readonly database: Database
  /** Lines of the log at its most detailed level. */
  readonly logged: string[]
  readonly post: (request: Omit<InjectOptions, 'method'>) => Promise<TokenReply>
  readonly logIn: (username: string, password: string, remoteAddress?: string) => Promise<TokenReply>
  readonly refresh: (token: string | undefined) => Promise<TokenReply>
  readonly change: (statement: Statement) => Promise<object[]>
  readonly stop: () => Promise<void>
}

export async function startTokenEndpoint(): Promise<TokenEndpoint> {
  const testDatabase = await createTestDatabase()
  const database = openDatabase({ url: testDatabase.url })
  const logged: string[] = []
  const server = await serveTokens(database, logged)
  await ensureFirstUser(database, { email: EMAIL, password: PASSWORD })

  const post: TokenEndpoint['post'] = async request => {
    const response = await server.inject({ url: '/auth/token', remoteAddress: '192.0.2.1', ...request, method: 'POST' })
    return { status: response.statusCode, headers: response.headers, body: response.json() }
  }
  return {
    database,
    logged,
    post,
    logIn: (username, password, remoteAddress = '192.0.2.1') =>
      post({ ...formOf({ grant_type: 'password', username, password }), remoteAddress }),
    refresh: (token = '') => post(formOf({ grant_type: 'refresh_token', refresh_token: token })),
    change: statement => writeTransaction(database, transaction => transaction.rows(statement)),
    async stop() {
      await server.close()
      await database.close()
      await testDatabase.drop()
    },
  }
}

/** A server with nothing but the endpoint. */
export async function serveTokens(database: Database, logged: string[] = []): Promise<FastifyInstance> {
  const log = pino({ level: 'trace' }, { write: line => logged.push(line) })
  const duration = createMetrics('api', database).requestDuration
  const server = createHttpServer({ log, duration, bodyLimitBytes: 65_536, transfers: readConfig({}) })
  await server.register(tokenRoutes, { database, accessTokenLifetimeS: LIFETIME_S })
  return server
}

/** A request as a urlencoded form. */
export function formOf(fields: Record<string, string>): Pick<InjectOptions, 'payload' | 'headers'> {
  return {
    payload: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }
}
