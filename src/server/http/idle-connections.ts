import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

const INTERVAL_MS = 50
/** How long a new connection may take until its first request. */
const SILENT_MS = 500

/**
 * Makes a shutdown wait for requests only, not for connections. A connection that was busy when the shutdown began would
 * delay it for the whole keep-alive timeout, and an unused one, as browsers open them in
 * advance, for a minute.
 */
export function endIdleConnections(server: FastifyInstance): void {
  const connectedMs = new Map<Socket, number>()
  server.server.on('connection', socket => {
    connectedMs.set(socket, performance.now())
    socket.once('close', () => connectedMs.delete(socket))
  })
  const endIdle = () => {
    server.server.closeIdleConnections()
    const untilMs = performance.now() - SILENT_MS
    for (const [socket, sinceMs] of connectedMs) if (socket.bytesRead === 0 && sinceMs < untilMs) socket.destroy()
  }
  server.addHook('preClose', async () => {
    const timer = setInterval(endIdle, INTERVAL_MS)
    server.server.once('close', () => clearInterval(timer))
    if (!server.server.listening) clearInterval(timer)
  })
}
