import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { isLoopback } from '../../lib/networks.ts'
import { ClientError } from '../../model/errors.ts'
import { tokenOf } from './access.ts'

/**
 * Guards `/metrics`: with its own token (`METRICS_TOKEN`), else only requests from this machine that did not
 * come through a proxy are allowed.
 */
export function metricsGuard(token: string | undefined): (request: FastifyRequest) => Promise<void> {
  const wanted = token === undefined ? undefined : digest(token)
  return async request => {
    const given = tokenOf(request)
    const isAllowed = wanted
      ? given !== undefined && timingSafeEqual(digest(given), wanted)
      : isLoopback(request.socket.remoteAddress ?? '') && !wasPassedOn(request)
    if (isAllowed) return
    const message = wanted ? 'Unauthorized.' : 'Metrics are for this machine alone, unless METRICS_TOKEN is set.'
    throw new ClientError(401, message, { headers: { 'www-authenticate': 'Bearer' } })
  }
}

function wasPassedOn({ headers }: FastifyRequest): boolean {
  return ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some(name => headers[name] !== undefined)
}

/** Gives both the same length, so that the comparison leaks nothing through its time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
