import type { FastifyReply } from 'fastify'

/** Aborts when the client goes away before its reply is complete. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}
