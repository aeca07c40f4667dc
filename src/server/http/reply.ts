import type { FastifyReply } from 'fastify'

/** Adds a request header that the reply depends on to `Vary` (RFC 9110, 12.5.5). */
export function addVary(reply: FastifyReply, header: string): void {
  const others = reply.getHeader('vary')
  void reply.header('vary', others === undefined ? header : `${String(others)}, ${header}`)
}

/** Aborts when the reply is complete, or before when the client disconnects: for what is held as long as a request lasts. */
export function endSignal(reply: FastifyReply): AbortSignal {
  return closeSignal(reply, () => true)
}

/**
 * Aborts when the client disconnects before its reply is complete; it may have done so before the request was handled. Each
 * abort makes an error for every reader, so there is none once the reply has all that it will have.
 */
export function goneSignal(reply: FastifyReply): AbortSignal {
  return closeSignal(reply, () => !reply.raw.writableEnded)
}

function closeSignal({ raw }: FastifyReply, isDue: () => boolean): AbortSignal {
  const controller = new AbortController()
  if (raw.destroyed) controller.abort()
  else
    raw.once('close', () => {
      if (isDue()) controller.abort()
    })
  return controller.signal
}
