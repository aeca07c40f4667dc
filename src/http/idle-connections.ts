import type { FastifyInstance } from 'fastify'

const INTERVAL_MS = 50

/**
 * Lets a stop wait for requests only, not for connections: one that was busy when the stop began and is kept alive
 * would hold it for the whole keep-alive timeout.
 */
export function endIdleConnections(server: FastifyInstance): void {
  server.addHook('preClose', async () => {
    const timer = setInterval(() => server.server.closeIdleConnections(), INTERVAL_MS)
    server.server.once('close', () => clearInterval(timer))
    if (!server.server.listening) clearInterval(timer)
  })
}
