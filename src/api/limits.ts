import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Redis } from 'ioredis'
import type { Caller } from '../access/callers.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../lib/clock.ts'
import { ClientError } from '../model/errors.ts'

/** Counts per key or user (fleet-api-v2.md, *Limits*) and per account, so that more keys give no larger share. While
 * Redis is away, requests pass uncounted. */
export async function createRequestCounter(
  server: FastifyInstance,
  config: Pick<Config, 'rateLimit' | 'rateLimitWindowS' | 'accountRateLimit' | 'redisUrl'>,
  clock: Clock,
): Promise<(request: FastifyRequest, reply: FastifyReply, caller: Caller) => Promise<void>> {
  const redis = config.redisUrl === undefined ? undefined : await connectRedis(config.redisUrl, server)
  await server.register(rateLimit, {
    global: false,
    ...(redis ? { redis, nameSpace: 'tacho-rate-limit-', skipOnError: true } : { store: localCounts(clock) }),
  })
  const counted = (max: number, keyOf: (caller: Caller) => string) =>
    server.createRateLimit({
      max,
      timeWindow: config.rateLimitWindowS * 1000,
      keyGenerator: request => (request.caller ? keyOf(request.caller) : request.ip),
    })
  const countOfCaller = counted(config.rateLimit, caller => caller.rateLimitKey)
  const countOfAccount = counted(config.accountRateLimit, caller => `account:${caller.accountId}`)
  server.addHook('onSend', async (request, reply) => {
    if (request.caller) reply.header('x-response-time', Math.round(reply.elapsedTime))
  })
  return async (request, reply) => {
    const own = await countOfCaller(request)
    const remaining = own.isAllowed ? config.rateLimit : Math.max(own.remaining, 0)
    reply.header('x-rate-limit', config.rateLimit).header('x-rate-limit-remaining', remaining)
    if (isExceeded(own)) throw tooMany(`${config.rateLimit} are allowed in ${config.rateLimitWindowS} s`, own)
    // Requests that are refused already do not count against the rest of the account.
    const ofAccount = await countOfAccount(request)
    if (!isExceeded(ofAccount)) return
    reply.header('x-rate-limit-remaining', 0)
    throw tooMany(
      `${config.accountRateLimit} are allowed to the keys and users of an account together in ${config.rateLimitWindowS} s`,
      ofAccount,
    )
  }
}

function localCounts(clock: Clock): new () => LocalCounts {
  return class extends LocalCounts {
    constructor() {
      super(clock)
    }
  }
}

type Count = Awaited<ReturnType<ReturnType<FastifyInstance['createRateLimit']>>>

function isExceeded(count: Count): count is Extract<Count, { isAllowed: false }> {
  return !count.isAllowed && count.isExceeded
}

function tooMany(allowance: string, { ttlInSeconds }: Extract<Count, { isAllowed: false }>): ClientError {
  return new ClientError(429, `Too many requests: ${allowance}.`, {
    headers: { 'retry-after': String(Math.max(ttlInSeconds, 1)) },
  })
}

async function connectRedis(url: string, server: FastifyInstance): Promise<Redis> {
  // Loaded only here: without Redis, its client would only cost memory.
  const { Redis: Client } = await import('ioredis')
  const redis = new Client(url, { connectTimeout: 500, maxRetriesPerRequest: 1, enableOfflineQueue: false })
  redis.on('error', error => server.log.warn({ err: error }, 'rate limit: Redis cannot be reached'))
  server.addHook('onClose', async () => redis.disconnect())
  return redis
}

interface Window {
  readonly endsMs: number
  count: number
}

/** The plugin's own store gives every request of a key the same object: requests that arrive together are all refused
 * when only the last one is too many. */
export class LocalCounts implements FastifyRateLimitStore {
  readonly #clock: Clock
  /** By key or user; bounded by the number that the service has issued. */
  readonly #windows = new Map<string, Window>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  incr(
    key: string,
    callback: (error: Error | null, result?: { current: number; ttl: number }) => void,
    windowMs: number,
  ): void {
    const nowMs = this.#clock.monotonicMs()
    const known = this.#windows.get(key)
    const window = known && known.endsMs > nowMs ? known : { endsMs: nowMs + windowMs, count: 0 }
    window.count++
    this.#windows.set(key, window)
    callback(null, { current: window.count, ttl: window.endsMs - nowMs })
  }

  child(): LocalCounts {
    return this
  }
}
