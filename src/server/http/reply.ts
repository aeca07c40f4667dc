import type { FastifyReply } from 'fastify'

/** Says that a header of the request decided about the reply (RFC 9110, 12.5.5), besides those that are named already. */
export function addVary(reply: FastifyReply, header: string): void {
  const others = reply.getHeader('vary')
  void reply.header('vary', others === undefined ? header : `${String(others)}, ${header}`)
}

/** Aborts when the client goes away before its reply is complete. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}
