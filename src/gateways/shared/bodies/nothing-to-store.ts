import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Delay of the reply to a large body that contains nothing to store: a client that sends many of them would take CPU time
 * from others, and one that sends one by mistake does not notice.
 */
export const NOTHING_PAUSE_MS = 500

/** A hook `onSend` for a route with bodies: the refusal of a large one is delayed. */
export function refuseLargeSlowly(largeBytes: number) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const isRefusedForItsBody = reply.statusCode === 400 || reply.statusCode === 413
    if (isRefusedForItsBody && mayBeLarge(request, largeBytes)) await sleep(NOTHING_PAUSE_MS)
  }
}

/** The length is not known for bodies that are compressed or chunked. */
function mayBeLarge({ headers }: FastifyRequest, largeBytes: number): boolean {
  const bytes = Number(headers['content-length'])
  return headers['content-encoding'] !== undefined || !(bytes < largeBytes)
}
