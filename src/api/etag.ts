import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The reply is one object: it gets an ETag, and 304 when the client has it already (RFC 9110, 13.1.2). */
    readonly etag?: boolean
  }
}

/** Gives the replies of routes with `etag` in their config an entity tag. */
export function tagReplies(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    if (!request.routeOptions.config.etag || reply.statusCode !== 200) return payload
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
    const tag = `"${createHash('sha1').update(payload).digest('base64url')}"`
    reply.header('etag', tag)
    const known = (request.headers['if-none-match'] ?? '').split(',').map(item => item.trim().replace(/^W\//, ''))
    if (!known.includes(tag) && !known.includes('*')) return payload
    reply.code(304)
    return null
  })
}
