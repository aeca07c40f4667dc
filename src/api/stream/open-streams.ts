import type { FastifyReply } from 'fastify'
import { Counter, type Registry } from 'prom-client'
import type { Caller, CallerLookup } from '../../access/callers.ts'
import { addGauge } from '../../lib/gauge.ts'
import { ClientError, unavailable } from '../../model/errors.ts'
import { EventStream } from './event-stream.ts'

/** How many streams this process has open at most: of one key or user, of one account, and of all. */
interface StreamLimits {
  readonly perCaller: number
  readonly perAccount: number
  readonly total: number
}

interface OpenStreamsOptions {
  readonly callers: CallerLookup
  readonly limits: StreamLimits
  readonly heartbeatMs: number
  readonly buffered: BufferedBytes
  readonly registry: Registry
}

/** A caller as it was when its stream began, with its credentials. */
interface Streamer {
  readonly caller: Caller
  readonly token: string
}

/** Together with the half second for which callers are cached, within the second of decisions.md, *Tokens*. */
const LOOK_EVERY_MS = 400
const RETRY_AFTER_S = 5

/** Ends streams whose token is no longer valid, or has other permissions, and those with too much waiting data. */
export class OpenStreams {
  readonly #options: OpenStreamsOptions
  readonly #streams = new Map<EventStream, Streamer>()
  readonly #counts = new Map<string, number>()
  readonly #metrics: StreamMetrics
  #timer: NodeJS.Timeout | undefined
  #isStopping = false

  constructor(options: OpenStreamsOptions) {
    this.#options = options
    this.#metrics = streamMetrics(options.registry, () => this.count)
  }

  get count(): number {
    return this.#streams.size
  }

  /** @param position the client knows everything up to this revision @throws ClientError as `requireRoom` does */
  open(reply: FastifyReply, streamer: Streamer, position: string): EventStream {
    this.requireRoom(streamer.caller)
    const { heartbeatMs } = this.#options
    const stream = new EventStream(reply, {
      position,
      heartbeatMs,
      countSent: this.#metrics.countSent,
      onEnd: why => {
        if (why === 'slow') this.#metrics.countDropped()
        if (this.#streams.delete(stream)) this.#count(streamer.caller, -1)
        if (this.#streams.size === 0) this.#stopLooking()
      },
    })
    this.#streams.set(stream, streamer)
    this.#count(streamer.caller, 1)
    this.#timer ??= setInterval(() => {
      this.#endGreediest()
      void this.#askAgain()
    }, LOOK_EVERY_MS)
    return stream
  }

  /** The process stops: closes all streams, and no other can begin. */
  endAll(): void {
    this.#isStopping = true
    for (const stream of this.#streams.keys()) stream.end('stopping')
  }

  /** @throws ClientError 429 when the caller or its account has too many streams already, 503 when the process has. */
  requireRoom(caller: Caller): void {
    const { perCaller, perAccount, total } = this.#options.limits
    if (this.#isStopping) throw unavailable('The service is stopping.', RETRY_AFTER_S)
    if (this.#countOf(caller.rateLimitKey) >= perCaller) throw tooMany(`${perCaller} are allowed to one key or user`)
    const ofAccount = this.#countOf(accountKey(caller))
    if (ofAccount >= perAccount) throw tooMany(`${perAccount} are allowed to the keys and users of an account together`)
    // An account may have at most as many as are free, so that there is always room for the next account.
    if (ofAccount >= total - this.#streams.size) throw unavailable('Too many streams are open here.', RETRY_AFTER_S)
  }

  #countOf(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  #count(caller: Caller, change: 1 | -1): void {
    for (const key of [caller.rateLimitKey, accountKey(caller)]) {
      const count = this.#countOf(key) + change
      if (count > 0) this.#counts.set(key, count)
      else this.#counts.delete(key)
    }
  }

  #endGreediest(): void {
    const connections = [...this.#streams].map(([stream, { caller }]) => ({
      stream,
      accountId: caller.accountId,
      waiting: stream.waiting,
    }))
    for (const { stream } of this.#options.buffered.recount(connections)) stream.end('slow')
  }

  async #askAgain(): Promise<void> {
    const byToken = new Map<string, EventStream[]>()
    for (const [stream, { token }] of this.#streams) {
      const streams = byToken.get(token)
      if (streams) streams.push(stream)
      else byToken.set(token, [stream])
    }
    await Promise.all([...byToken].map(([token, streams]) => this.#ask(token, streams)))
  }

  async #ask(token: string, streams: readonly EventStream[]): Promise<void> {
    let now: Caller | undefined
    try {
      now = await this.#options.callers.find(token)
    } catch {
      // The database is away, so streams cannot read either.
      return
    }
    for (const stream of streams) {
      const before = this.#streams.get(stream)
      if (before && !isStill(before.caller, now)) stream.end('not allowed')
    }
  }

  #stopLooking(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#endGreediest()
  }
}

const accountKey = ({ accountId }: Caller) => `account:${accountId}`

function tooMany(allowance: string): ClientError {
  return new ClientError(429, `Too many streams at once: ${allowance}.`, {
    headers: { 'retry-after': String(RETRY_AFTER_S) },
  })
}

function isStill(before: Caller, now: Caller | undefined): boolean {
  return (
    now !== undefined &&
    now.accountId === before.accountId &&
    now.permissions.size === before.permissions.size &&
    [...now.permissions].every(permission => before.permissions.has(permission))
  )
}

/** A connection with data in memory that waits for its client. */
interface Connection {
  readonly accountId: number
  /** Connections may share a piece. */
  readonly waiting: readonly Buffer[]
}

interface BufferedBytesLimits {
  readonly perAccount: number
  readonly total: number
}

interface Account<C> {
  bytes: number
  readonly connections: { readonly connection: C; readonly bytes: number }[]
}

/** A piece that waits for several clients counts once. Clients that are behind for a short time are not noticed. */
export class BufferedBytes {
  readonly #limits: BufferedBytesLimits
  #full: ReadonlySet<number> = new Set()

  constructor(limits: BufferedBytesLimits) {
    this.#limits = limits
  }

  /** The account used more than half of its limit at the last count: then no history may be read for it. */
  isFull(accountId: number): boolean {
    return this.#full.has(accountId)
  }

  /** @returns the connections with the most data: of each account beyond its limit, and while all together are beyond
   * theirs, of the account with the most */
  recount<C extends Connection>(connections: Iterable<C>): C[] {
    const accounts = accountsOf(connections)
    const excess: C[] = []
    for (const account of accounts.values()) excess.push(...giveUp(account, this.#limits.perAccount))
    let total = 0
    for (const { bytes } of accounts.values()) total += bytes
    while (total > this.#limits.total) {
      const [largest] = [...accounts.values()].sort((a, b) => b.bytes - a.bytes)
      if (!largest || largest.bytes <= 0) break
      const before = largest.bytes
      excess.push(...giveUp(largest, Math.max(0, before - 1)))
      total -= before - largest.bytes
    }
    const full = [...accounts].filter(([, { bytes }]) => bytes > this.#limits.perAccount / 2)
    this.#full = new Set(full.map(([accountId]) => accountId))
    return excess
  }
}

function accountsOf<C extends Connection>(connections: Iterable<C>): Map<number, Account<C>> {
  const accounts = new Map<number, Account<C>>()
  const counted = new Set<Buffer>()
  for (const connection of connections) {
    const account = accounts.get(connection.accountId) ?? { bytes: 0, connections: [] }
    accounts.set(connection.accountId, account)
    let bytes = 0
    for (const piece of connection.waiting) {
      bytes += piece.length
      if (counted.has(piece)) continue
      counted.add(piece)
      account.bytes += piece.length
    }
    account.connections.push({ connection, bytes })
  }
  for (const { connections: own } of accounts.values()) own.sort((a, b) => a.bytes - b.bytes)
  return accounts
}

/** Removes the largest connections of an account until the rest is within the limit, as far as that is known. */
function giveUp<C>(account: Account<C>, limit: number): C[] {
  const given: C[] = []
  while (account.bytes > limit) {
    const largest = account.connections.pop()
    if (!largest || largest.bytes === 0) break
    account.bytes -= largest.bytes
    given.push(largest.connection)
  }
  return given
}

interface StreamMetrics {
  readonly countSent: () => void
  readonly countDropped: () => void
}

function streamMetrics(registry: Registry, countOpen: () => number): StreamMetrics {
  const frames = new Counter({
    name: 'tacho_stream_frames_total',
    help: 'Frames sent to all streams, heartbeats included.',
    registers: [registry],
  })
  const dropped = new Counter({
    name: 'tacho_streams_dropped_total',
    help: 'Streams that were closed because their client took nothing any more.',
    registers: [registry],
  })
  addGauge(registry, 'tacho_streams_open', 'Streams that are open.', countOpen)
  return { countSent: () => frames.inc(), countDropped: () => dropped.inc() }
}
