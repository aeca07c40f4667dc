import type { FastifyReply } from 'fastify'
import { ClientError, unavailable } from '../../errors.ts'
import type { Caller, CallerLookup } from '../../store/callers.ts'
import { EventStream } from './event-stream.ts'
import type { StreamMetrics } from './metrics.ts'

/** How many streams this process has open at most: of one key or user, and of all. */
export interface StreamLimits {
  readonly perCaller: number
  readonly total: number
}

export interface OpenStreamsOptions {
  readonly callers: CallerLookup
  readonly limits: StreamLimits
  readonly heartbeatMs: number
  readonly metrics: StreamMetrics
}

/** A caller as it was when its stream began, with what it has shown to say who it is. */
export interface Streamer {
  readonly caller: Caller
  readonly token: string
}

/** With the half second that a caller is remembered, within the second of decisions.md, *Tokens*. */
const ASK_EVERY_MS = 400
const RETRY_AFTER_S = 5

/** The streams that are open in this process. Ends those whose token is not valid any more, or allows something else. */
export class OpenStreams {
  readonly #options: OpenStreamsOptions
  readonly #streams = new Map<EventStream, Streamer>()
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
   * @param position everything up to this stamp is known to the client
   * @throws ClientError 429 when the caller has too many streams already, 503 when the process has.
   */
  open(reply: FastifyReply, streamer: Streamer, position: string): EventStream {
    this.#requireRoom(streamer.caller)
    const { heartbeatMs, metrics } = this.#options
    const stream = new EventStream(reply, {
      position,
      heartbeatMs,
      countFrame: metrics.countFrame,
      onEnd: why => {
        if (why === 'slow') metrics.countDropped()
        this.#streams.delete(stream)
        if (this.#streams.size === 0) this.#stopAsking()
      },
    })
    this.#streams.set(stream, streamer)
    this.#timer ??= setInterval(() => void this.#askAgain(), ASK_EVERY_MS)
    return stream
  }

  /** The process stops: no stream is left open, and no other begins. */
  endAll(): void {
    this.#isStopping = true
    for (const stream of this.#streams.keys()) stream.end('stopping')
  }

  #requireRoom({ rateLimitKey }: Caller): void {
    const { perCaller, total } = this.#options.limits
    if (this.#isStopping) throw unavailable('The service is stopping.', RETRY_AFTER_S)
    const own = [...this.#streams.values()].filter(({ caller }) => caller.rateLimitKey === rateLimitKey).length
    if (own >= perCaller)
      throw new ClientError(429, `Too many streams at once: ${perCaller} are allowed to one key or user.`, {
        headers: { 'retry-after': String(RETRY_AFTER_S) },
      })
    if (this.#streams.size >= total) throw unavailable('Too many streams are open here.', RETRY_AFTER_S)
  }

  async #askAgain(): Promise<void> {
    const tokens = new Set([...this.#streams.values()].map(({ token }) => token))
    await Promise.all([...tokens].map(token => this.#ask(token)))
  }

  async #ask(token: string): Promise<void> {
    let now: Caller | undefined
    try {
      now = await this.#options.callers.find(token)
    } catch {
      // The database is away, so nothing can be read either.
      return
    }
    for (const [stream, streamer] of this.#streams)
      if (streamer.token === token && !isStill(streamer.caller, now)) stream.end('not allowed')
  }

  #stopAsking(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

function isStill(before: Caller, now: Caller | undefined): boolean {
  return (
    now !== undefined &&
    now.accountId === before.accountId &&
    now.permissions.size === before.permissions.size &&
    [...now.permissions].every(permission => before.permissions.has(permission))
  )
}
