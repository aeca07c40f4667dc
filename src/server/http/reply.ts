import type { FastifyReply } from 'fastify'

/** Adds a request header that the reply depends on to `Vary` (RFC 9110, 12.5.5). */
export function addVary(reply: FastifyReply, header: string): void {
  const others = reply.getHeader('vary')
  void reply.header('vary', others === undefined ? header : `${String(others)}, ${header}`)
}

/** Aborts when the client disconnects before its reply is complete; it may have done so before the request was handled. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  if (reply.raw.destroyed) gone.abort()
  else
    reply.raw.once('close', () => {
      // An error is made for each that aborts, so not when all is said.
      if (!reply.raw.writableFinished) gone.abort()
    })
  return gone.signal
}
