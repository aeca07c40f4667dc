import { once } from 'node:events'
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { loginPacket } from '../teltonika-dongle/write-frame.ts'

/** Something that one hostile or broken client does while others use the service normally. */
export interface Attack {
  readonly name: string
  /** The protection that it tries, in a few words. */
  readonly clause: string
  readonly what: string
  /** Settings that it needs; then it has a service of its own. */
  readonly environment?: Readonly<Record<string, string>>
  /** @returns the result, in one line @throws when the service did not answer the attacker as it should */
  readonly run: (target: Target, size: AttackSize, signal: AbortSignal) => Promise<string>
}

export type AttackSize = 'small' | 'full'

/** The access of an attacker: a tenant like others, with its own account. */
export interface Target {
  readonly api: HttpAddress
  readonly teltonikaPort: number
  readonly attacker: Tenant
  /** A dongle of the second tenant, connected at the time: IMEIs are no secrets, they are printed on the dongles. */
  readonly imeiOfSecondTenant: string
}

export interface Tenant {
  readonly account: string
  readonly email: string
  readonly password: string
  /** An access token of its user, by the password. */
  readonly userToken: string
  readonly key: string
  readonly imeis: readonly string[]
}

interface HttpAddress {
  readonly url: string
  readonly host: string
  readonly port: number
  /** Sends a request as it is, from the attacker's address unless it names another. @throws when there is no answer. */
  send(request: RawRequest): Promise<RawReply>
}

interface RawRequest {
  readonly path: string
  readonly method?: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  readonly from?: string | undefined
  readonly signal?: AbortSignal
}

export interface RawReply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** The address of attackers, so that limits by address do not affect others. Only Linux has more addresses than one. */
export const ATTACKER_ADDRESS: string | undefined = process.platform === 'linux' ? '127.0.66.6' : undefined

const FROM_ATTACKER = ATTACKER_ADDRESS === undefined ? {} : { localAddress: ATTACKER_ADDRESS }

/** @throws when there is no answer */
export async function sendRaw(url: string, request: RawRequest): Promise<RawReply> {
  const reply = await beginRaw(url, request)
  return { status: reply.statusCode ?? 0, headers: reply.headers, body: await text(reply) }
}

/** @returns the answer, of which nothing is read yet @throws when there is none */
export async function beginRaw(url: string, { path, method = 'GET', ...more }: RawRequest): Promise<IncomingMessage> {
  const { token, headers = {}, body, from, signal } = more
  const sent = httpRequest(url + path, {
    method,
    agent: false,
    ...(from === undefined ? FROM_ATTACKER : { localAddress: from }),
    ...(signal ? { signal } : {}),
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      ...headers,
    },
  })
  // The answer may be cut at any time.
  sent.on('error', () => undefined).end(body)
  const [reply] = (await once(sent, 'response')) as [IncomingMessage]
  return reply
}

/** A new connection from the attacker's address to a port of the service. It may be cut at any time. */
export async function openConnection(port: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, ...FROM_ATTACKER }).on('error', () => undefined)
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  return socket
}

export function countOpen(sockets: readonly Socket[]): number {
  return sockets.filter(socket => !socket.destroyed && !socket.readableEnded).length
}

export class Answers {
  readonly #counts = new Map<number, number>()

  /** Counts a reply; nothing where there was none. @throws when that answer may not be given */
  add(reply: RawReply | undefined, allowed: readonly number[]): void {
    if (!reply) return
    const { status, body } = reply
    if (!allowed.includes(status)) throw new Error(`answered ${status}: ${body.slice(0, 200)}`)
    this.count(status)
  }

  count(status: number): void {
    this.#counts.set(status, this.countOf(status) + 1)
  }

  countOf(status: number): number {
    return this.#counts.get(status) ?? 0
  }

  /** @throws when another answer was counted */
  expectOnly(allowed: readonly number[]): void {
    const others = [...this.#counts.keys()].filter(status => !allowed.includes(status))
    if (others.length > 0) throw new Error(`answered ${others.join(', ')}`)
  }

  /** As in `answered 200 3 times, 429 17 times`. */
  get text(): string {
    if (this.#counts.size === 0) return 'not answered'
    return `answered ${[...this.#counts].map(([status, count]) => `${status} ${count} times`).join(', ')}`
  }
}

export interface AttackEvent {
  readonly deviceId: number
  readonly recordedTimestamp: string
  readonly eventType: string
  readonly value: number | string
}

export function eventsAt(
  imei: string | undefined,
  timesMs: readonly number[],
  eventType = 'GPS_SPEED',
  value: number | string = 50,
): AttackEvent[] {
  const event = (timeMs: number) => ({ recordedTimestamp: new Date(timeMs).toISOString(), eventType, value })
  return timesMs.map(timeMs => ({ deviceId: Number(imei), ...event(timeMs) }))
}

export type Upload = readonly AttackEvent[] | string | { readonly gzip: Buffer }

/** Sends events as the attacker. @returns undefined when its time was up before there was an answer */
export async function uploadEvents(
  { api, attacker }: Pick<Target, 'api' | 'attacker'>,
  upload: Upload,
  signal: AbortSignal,
): Promise<RawReply | undefined> {
  const isGzip = typeof upload === 'object' && 'gzip' in upload
  try {
    return await api.send({
      path: '/ingest/events',
      method: 'POST',
      token: attacker.key,
      headers: { 'content-type': 'application/json', ...(isGzip ? { 'content-encoding': 'gzip' } : {}) },
      body: isGzip ? upload.gzip : typeof upload === 'string' ? upload : JSON.stringify(upload),
      signal,
    })
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

/** Logs in as a dongle. @returns the answer; undefined when the connection was closed without one. */
export async function sayImei(socket: Socket, imei: string): Promise<number | undefined> {
  const answered = Promise.race([
    once(socket, 'data').then(([bytes]) => (bytes as Buffer)[0]),
    once(socket, 'close').then(() => undefined),
  ])
  socket.write(loginPacket(imei))
  return answered
}

export function madeUpImei(number: number): string {
  return String(359_990_000_000_000 + number)
}

export async function inLanes(
  count: number,
  clients: number,
  signal: AbortSignal,
  work: (number: number) => Promise<unknown>,
): Promise<void> {
  let next = 0
  const client = async () => {
    while (next < count && !signal.aborted) await work(next++)
  }
  await Promise.all(Array.from({ length: clients }, client))
}

export function untilAborted(
  clients: number,
  signal: AbortSignal,
  work: (number: number) => Promise<unknown>,
): Promise<void> {
  return inLanes(Number.POSITIVE_INFINITY, clients, signal, work)
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal }).catch(() => undefined)
}
