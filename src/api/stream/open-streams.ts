import type { FastifyReply } from 'fastify'
import type { Caller, CallerLookup } from '../../access/callers.ts'
import { ClientError, unavailable } from '../../model/errors.ts'
import { EventStream } from './event-stream.ts'
import type { HeldBytes } from './held-bytes.ts'
import type { StreamMetrics } from './metrics.ts'

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
  readonly held: HeldBytes
  readonly metrics: StreamMetrics
}

/** A caller as it was when its stream began, with its credentials. */
interface Streamer {
  readonly caller: Caller
  readonly token: string
}

/** Together with the half second for which callers are cached, within the second of decisions.md, *Tokens*. */
const LOOK_EVERY_MS = 400
const RETRY_AFTER_S = 5

/**
 * The streams that are open in this process. Ends those whose token is no longer valid, or has other permissions, and
 * those with too much data waiting in memory.
 */
export class OpenStreams {
  readonly #options: OpenStreamsOptions
  readonly #streams = new Map<EventStream, Streamer>()
  /** How many there are of each key or user, and of each account. */
  readonly #counts = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #isStopping = false

  constructor(options: OpenStreamsOptions) {
    this.#options = options
  }

  get count(): number {
    return this.#streams.size
  }

  /**
   * Begins a stream as the body of a reply.
   * @param position the client knows everything up to this revision
   * @throws ClientError as `requireRoom` does
   */
  open(reply: FastifyReply, streamer: Streamer, position: string): EventStream {
    this.requireRoom(streamer.caller)
    const { heartbeatMs, metrics } = this.#options
    const stream = new EventStream(reply, {
      position,
      heartbeatMs,
      countFrame: metrics.countFrame,
      onEnd: why => {
        if (why === 'slow') metrics.countDropped()
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

  /**
   * Whether a stream of this caller may begin now.
   * @throws ClientError 429 when the caller or its account has too many streams already, 503 when the process has.
   */
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
    const holders = [...this.#streams].map(([stream, { caller }]) => ({
      stream,
      accountId: caller.accountId,
      waiting: stream.waiting,
    }))
    for (const { stream } of this.#options.held.recount(holders)) stream.end('slow')
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
      // The database is away, so streams can not read either.
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
