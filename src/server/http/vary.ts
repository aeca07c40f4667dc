import type { FastifyReply } from 'fastify'

/** Says that a header of the request decided about the reply (RFC 9110, 12.5.5), besides those that are named already. */
export function addVary(reply: FastifyReply, header: string): void {
  const others = reply.getHeader('vary')
  void reply.header('vary', others === undefined ? header : `${String(others)}, ${header}`)
}
