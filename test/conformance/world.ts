import { ALL_PERMISSIONS, type Permission } from '../../src/catalogue/permissions.ts'
import { sql } from '../../src/db/sql.ts'
import { type FleetRows, fleetRows, type VehicleRows } from '../fleet-rows.ts'
import { askHttp, type Question, type Reply } from '../http-client.ts'
import { expectDocumented } from '../openapi-conformity.ts'
import { startService, type TestService } from '../service.ts'

/** A complete reply, and what it says. */
export interface Answer<T = unknown> extends Reply {
  readonly body: T
}

/** A client of one account over HTTP, with a key of its own. */
export interface Client {
  readonly accountId: number
  readonly token: string
  /** `path` is relative to the base address. Every reply is checked against the OpenAPI document. */
  get<T>(path: string, headers?: Record<string, string>): Promise<Answer<T>>
  send<T>(method: 'PUT' | 'POST', path: string, body: unknown, headers?: Record<string, string>): Promise<Answer<T>>
  /** @throws when the status is not 200. */
  read<T>(path: string, headers?: Record<string, string>): Promise<T>
  /** @returns the errorMessage. @throws unless it was refused with 400. */
  refusalOf(path: string): Promise<string>
  ingest(events: readonly EventIn[]): Promise<Answer<Receipt>>
  /** Ingests. @throws unless it was accepted. */
  measured(deviceId: number, recordedTimestamp: string, values: Readonly<Record<string, unknown>>): Promise<void>
}

interface EventIn {
  readonly deviceId: number
  readonly recordedTimestamp: string
  readonly eventType: string
  readonly value: unknown
}

interface Receipt {
  readonly accepted: number
  readonly duplicates: number
}

/** The service under test, and rows inserted directly. */
export interface World {
  readonly service: TestService
  readonly rows: FleetRows
  /** The first name is that of the first account; all permissions by default. */
  client(account: string, permissions?: readonly Permission[]): Promise<Client>
  /** The vehicle that a dongle is in, to attach rows to. */
  vehicleOf(deviceId: number): Promise<VehicleRows>
  /** Any path of the service; replies are not checked. */
  ask<T>(path: string, question?: Question): Promise<Answer<T>>
  stop(): Promise<void>
}

export async function startWorld(environment: Record<string, string> = {}): Promise<World> {
  const service = await startService(environment)
  return worldOf(service)
}

function worldOf(service: TestService): World {
  const { database } = service
  const ask = async <T>(path: string, question?: Question): Promise<Answer<T>> =>
    answerOf<T>(await askHttp(service.url + path, question))
  return {
    service,
    rows: fleetRows(database),
    ask,
    async client(account, permissions = ALL_PERMISSIONS) {
      const token = await service.key(account, permissions)
      const [row] = await database.rows<{ id: number }>(sql`select id from accounts where name = ${account}`)
      return clientOf(service, row?.id ?? 0, token)
    },
    async vehicleOf(deviceId) {
      const [row] = await database.rows<VehicleRows>(sql`
        select a.account_id as "accountId", a.device_id as "deviceId", v.id as "vehicleId", v.public_id as "publicId"
        from assignments a join vehicles v on v.id = a.vehicle_id
        where a.device_id = ${deviceId} and a.to_time = 'infinity'`)
      if (!row) throw new Error(`the device ${deviceId} is in no vehicle`)
      return row
    },
    stop: () => service.stop(),
  }
}

/** A client of that account with that token. */
function clientOf(service: TestService, accountId: number, token: string): Client {
  const authorization = `Bearer ${token}`
  const ask = async <T>(method: string, path: string, question: Question): Promise<Answer<T>> => {
    const answer = answerOf<T>(await askHttp(service.baseUrl + path, { method, ...question }))
    await expectAsDocumented(answer, method, path)
    return answer
  }
  const client: Client = {
    accountId,
    token,
    get: (path, headers) => ask('GET', path, { headers: { authorization, ...headers } }),
    send: (method, path, body, headers) =>
      ask(method, path, {
        headers: { authorization, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async read<T>(path: string, headers?: Record<string, string>) {
      return withStatus(200, await client.get<T>(path, headers)).body
    },
    async refusalOf(path) {
      return withStatus(400, await client.get<{ errorMessage: string }>(path)).body.errorMessage
    },
    async ingest(events) {
      const reply = await askHttp(`${service.url}/ingest/events`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(events),
      })
      const answer = answerOf<Receipt>(reply)
      await expectAsDocumented(answer, 'POST', '/ingest/events')
      return answer
    },
    async measured(deviceId, recordedTimestamp, values) {
      const events = Object.entries(values).map(([eventType, value]) => ({
        deviceId,
        recordedTimestamp,
        eventType,
        value,
      }))
      withStatus(200, await client.ingest(events))
    },
  }
  return client
}

function withStatus<T>(status: number, answer: Answer<T>): Answer<T> {
  if (answer.status !== status) throw new Error(`${answer.status} instead of ${status}: ${answer.text}`)
  return answer
}

function answerOf<T>({ status, headers, text }: Reply): Answer<T> {
  const isJson = headers.get('content-type')?.startsWith('application/json') === true
  const body = (isJson && text !== '' ? JSON.parse(text) : text) as T
  return { status, headers, text, body }
}

/** Expects a reply that the service's own OpenAPI document describes. */
export function expectAsDocumented(answer: Answer, method: string, path: string): Promise<void> {
  const { status, headers, text } = answer
  const response = { statusCode: status, headers: Object.fromEntries(headers), body: text }
  return expectDocumented(response, method, path.split('?', 1)[0]?.replace(/(.)\/$/, '$1') ?? path)
}

/** The target of a Link header with rel="next", relative to the base address. */
export function nextOf({ headers }: Answer): string | undefined {
  return /^<\/cc\/v2\.0(\/[^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
}

export const REVISION = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
export const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
