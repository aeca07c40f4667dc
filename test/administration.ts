import pino from 'pino'
import { ensureAccount } from '../src/access/accounts.ts'
import { hashPassword } from '../src/access/passwords.ts'
import { createUser } from '../src/access/users.ts'
import { ALL_PERMISSIONS } from '../src/catalogue/permissions.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { type SecondApi, startSecondApi } from './conformance/second-api.ts'
import { expectDocumented } from './openapi-conformity.ts'
import { startService, type TestService } from './service.ts'

export const PASSWORD = 'correct horse'

export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** A user who is logged in. */
interface Login {
  readonly accessToken: string
  readonly refreshToken: string
}

/** A service with two nodes that answer, and an administrator who is logged in. */
interface AdministrationWorld {
  readonly service: TestService
  readonly secondApi: SecondApi
  /** What the first node logged. */
  log(): readonly Readonly<Record<string, unknown>>[]
  /** Asks the first node unless told otherwise; the answer must be as the OpenAPI document says. */
  ask(token: string, method: string, path: string, body?: unknown, node?: 'first' | 'second'): Promise<Answer>
  /** Makes a user with every permission. @returns its id */
  addAdministrator(email: string, account: string): Promise<string>
  logIn(email: string, password?: string): Promise<Login>
  /** What the token endpoint says to these fields. */
  exchange(fields: Record<string, string>): Promise<number>
  /** What both nodes answer to a question that every valid token may ask. */
  statusesOf(token: string): Promise<readonly number[]>
  stop(): Promise<void>
}

export async function startAdministration(): Promise<AdministrationWorld> {
  const lines: string[] = []
  const service = await startService({}, pino({}, { write: line => void lines.push(line) }))
  const secondApi = await startSecondApi(service)
  const post = (fields: Record<string, string>) =>
    fetch(`${service.url}/auth/token`, { method: 'POST', body: new URLSearchParams(fields) })
  return {
    service,
    secondApi,
    log: () => lines.map(line => JSON.parse(line) as Record<string, unknown>),
    async ask(token, method, path, body, node = 'first') {
      const response = await fetch((node === 'first' ? service.url : secondApi.url) + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const [{ status }, text] = [response, await response.text()]
      const headers = Object.fromEntries(response.headers)
      await expectDocumented({ statusCode: status, headers, body: text }, method, path)
      return { status, body: text === '' ? {} : (JSON.parse(text) as Answer['body']) }
    },
    async addAdministrator(email, account) {
      const passwordHash = await hashPassword(PASSWORD)
      return writeTransaction(service.database, async transaction => {
        const { id: accountId } = await ensureAccount(transaction, account)
        const made = await createUser(transaction, { accountId, email, passwordHash, permissions: ALL_PERMISSIONS })
        if (made.kind === 'refused') throw new Error(made.text)
        return String(made.id)
      })
    },
    async logIn(email, password = PASSWORD) {
      const response = await post({ grant_type: 'password', username: email, password })
      const tokens = (await response.json()) as { access_token: string; refresh_token: string }
      if (!response.ok) throw new Error(JSON.stringify(tokens))
      return { accessToken: tokens.access_token, refreshToken: tokens.refresh_token }
    },
    exchange: async fields => (await post(fields)).status,
    statusesOf: token =>
      Promise.all(
        [service.url, secondApi.url].map(async url => {
          const headers = { authorization: `Bearer ${token}` }
          return (await fetch(`${url}/cc/v2.0/units`, { headers })).status
        }),
      ),
    async stop() {
      await secondApi.stop()
      await service.stop()
    },
  }
}
