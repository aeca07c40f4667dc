import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Redis } from 'ioredis'
import type { Caller } from '../access/callers.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../lib/clock.ts'
import { ClientError } from '../model/errors.ts'
import type { PartState } from '../server/http/health.ts'

/** Counts requests; the state is that of the Redis in which nodes count together, if there is one. */
export interface RequestCounter {
  readonly count: (request: FastifyRequest, reply: FastifyReply, caller: Caller) => Promise<void>
  readonly redisState: (() => Promise<PartState>) | undefined
}

/** Counts per key or user (fleet-api-v2.md, *Limits*) and per account, so that more keys give no larger share. */
export async function createRequestCounter(
  server: FastifyInstance,
  config: Pick<Config, 'rateLimit' | 'rateLimitWindowS' | 'accountRateLimit' | 'redisUrl'>,
  clock: Clock,
): Promise<RequestCounter> {
  const own = new LocalCounts(clock)
  const redis = config.redisUrl === undefined ? undefined : await connectRedis(config.redisUrl, server)
  const shared = redis && sharedCounts(redis, own, clock, server.log)
  await server.register(rateLimit, { global: false, store: storeOf(shared?.incr ?? own.incr.bind(own)) })
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
  const count = async (request: FastifyRequest, reply: FastifyReply) => {
    const ofCaller = await countOfCaller(request)
    const remaining = ofCaller.isAllowed ? config.rateLimit : Math.max(ofCaller.remaining, 0)
    reply.header('x-rate-limit', config.rateLimit).header('x-rate-limit-remaining', remaining)
    if (isExceeded(ofCaller)) throw tooMany(`${config.rateLimit} are allowed in ${config.rateLimitWindowS} s`, ofCaller)
    // Requests that are refused already do not count against the rest of the account.
    const ofAccount = await countOfAccount(request)
    if (!isExceeded(ofAccount)) return
    reply.header('x-rate-limit-remaining', 0)
    throw tooMany(
      `${config.accountRateLimit} are allowed to the keys and users of an account together in ${config.rateLimitWindowS} s`,
      ofAccount,
    )
  }
  return { count, redisState: shared?.state }
}

/** The plugin makes its store itself, and others for parts of the service: all count alike. */
function storeOf(incr: Increment): new () => FastifyRateLimitStore {
  return class {
    incr = incr
    child = () => this
  }
}

type Increment = FastifyRateLimitStore['incr']

type Count = Awaited<ReturnType<ReturnType<FastifyInstance['createRateLimit']>>>

function isExceeded(count: Count): count is Extract<Count, { isAllowed: false }> {
  return !count.isAllowed && count.isExceeded
}

function tooMany(allowance: string, { ttlInSeconds }: Extract<Count, { isAllowed: false }>): ClientError {
  return new ClientError(429, `Too many requests: ${allowance}.`, {
    headers: { 'retry-after': String(Math.max(ttlInSeconds, 1)) },
  })
}

/** A request waits no longer for its count. */
const COMMAND_MS = 250
/** A connection that is silent for so long is made again. */
const SOCKET_MS = 5_000

async function connectRedis(url: string, server: FastifyInstance): Promise<Redis> {
  // Loaded only here: without Redis, its client would only cost memory.
  const { Redis: Client } = await import('ioredis')
  const redis = new Client(url, {
    connectTimeout: 500,
    maxRetriesPerRequest: 1,
    commandTimeout: COMMAND_MS,
    socketTimeout: SOCKET_MS,
  })
  // What fails is seen by the commands.
  redis.on('error', () => undefined)
  server.addHook('onClose', async () => redis.disconnect())
  return redis
}

interface Window {
  readonly endsMs: number
  count: number
}

/** The plugin's own store gives every request of a key the same object: requests that arrive together are all refused
 * when only the last one is too many. */
export class LocalCounts {
  readonly #clock: Clock
  /** By key or user; bounded by the number that the service has issued. */
  readonly #windows = new Map<string, Window>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  incr(key: string, callback: Parameters<Increment>[1], windowMs: number): void {
    const nowMs = this.#clock.monotonicMs()
    const known = this.#windows.get(key)
    const window = known && known.endsMs > nowMs ? known : { endsMs: nowMs + windowMs, count: 0 }
    window.count++
    this.#windows.set(key, window)
    callback(null, { current: window.count, ttl: window.endsMs - nowMs })
  }
}

const COUNT = `
  local count = redis.call('INCR', KEYS[1])
  if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
  return { count, redis.call('PTTL', KEYS[1]) }`

const TRY_EVERY_MS = 1000

/** Counts of all nodes together, in Redis. While that does not count, each node counts by itself, and no request waits. */
function sharedCounts(redis: Redis, own: LocalCounts, clock: Clock, log: FastifyBaseLogger) {
  let failedSince: string | undefined
  let triedMs = 0

  /** A full Redis or a replica answers a PING and counts nothing: so counting is what is tried.
   * @returns undefined when it does not count in time */
  async function tryCount(key: string, windowMs: number): Promise<unknown> {
    triedMs = clock.monotonicMs()
    try {
      const answer = await redis.eval(COUNT, 1, `tacho-rate-limit-${key}`, windowMs)
      if (failedSince !== undefined) log.info('rate limit: Redis counts again')
      failedSince = undefined
      return answer
    } catch (error) {
      if (failedSince === undefined)
        log.warn({ err: error }, 'rate limit: Redis does not count; this node counts by itself')
      failedSince ??= new Date(clock.wallMs()).toISOString()
      return undefined
    }
  }

  async function count(...[key, callback, windowMs]: Parameters<Increment>): Promise<void> {
    if (failedSince !== undefined) {
      if (clock.monotonicMs() > triedMs + TRY_EVERY_MS) void tryCount('tried', TRY_EVERY_MS)
      return own.incr(key, callback, windowMs)
    }
    const counted = await tryCount(key, windowMs)
    if (!Array.isArray(counted)) return own.incr(key, callback, windowMs)
    callback(null, { current: Number(counted[0]), ttl: Number(counted[1]) })
  }
  const incr: Increment = (...asked) => void count(...asked)

  async function state(): Promise<PartState> {
    await tryCount('tried', TRY_EVERY_MS)
    if (failedSince === undefined) return { status: 'ready' }
    const reason = 'Redis does not count: each node counts requests by itself.'
    return { status: 'failing', reason, since: failedSince }
  }

  return { incr, state }
}
