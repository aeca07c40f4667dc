import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Redis } from 'ioredis'
import type { Config } from '../config.ts'
import { ClientError } from '../errors.ts'
import type { Caller } from '../store/callers.ts'
import { LocalCounts } from './local-counts.ts'

/**
 * Counts the requests of each key or user and says so in the headers (fleet-api-v2.md, *Limits*). The count is the
 * process's own, or that of all nodes in one Redis; without Redis for a moment, requests pass uncounted.
 */
export async function createRequestCounter(
  server: FastifyInstance,
  config: Pick<Config, 'rateLimit' | 'rateLimitWindowS' | 'redisUrl'>,
): Promise<(request: FastifyRequest, reply: FastifyReply, caller: Caller) => Promise<void>> {
  const redis = config.redisUrl === undefined ? undefined : connectRedis(config.redisUrl, server)
  await server.register(rateLimit, {
    global: false,
    ...(redis ? { redis, nameSpace: 'tacho-rate-limit-', skipOnError: true } : { store: LocalCounts }),
  })
  const count = server.createRateLimit({
    max: config.rateLimit,
    timeWindow: config.rateLimitWindowS * 1000,
    keyGenerator: request => request.caller?.rateLimitKey ?? request.ip,
  })
  server.addHook('onSend', async (request, reply) => {
    if (request.caller) reply.header('x-response-time', Math.round(reply.elapsedTime))
  })
  return async (request, reply) => {
    const state = await count(request)
    const remaining = state.isAllowed ? config.rateLimit : Math.max(state.remaining, 0)
    reply.header('x-rate-limit', config.rateLimit).header('x-rate-limit-remaining', remaining)
    if (!state.isAllowed && state.isExceeded)
      throw new ClientError(
        429,
        `Too many requests: ${config.rateLimit} are allowed in ${config.rateLimitWindowS} s.`,
        {
          headers: { 'retry-after': String(Math.max(state.ttlInSeconds, 1)) },
        },
      )
  }
}

function connectRedis(url: string, server: FastifyInstance): Redis {
  const redis = new Redis(url, { connectTimeout: 500, maxRetriesPerRequest: 1, enableOfflineQueue: false })
  redis.on('error', error => server.log.warn({ err: error }, 'rate limit: Redis can not be reached'))
  server.addHook('onClose', async () => redis.disconnect())
  return redis
}
