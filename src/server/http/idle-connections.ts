import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

const INTERVAL_MS = 50
/** Whoever connects to ask something does so in this time. */
const SILENT_MS = 500

/**
 * Lets a stop wait for requests only, not for connections: one that was busy when the stop began and is kept alive
 * would hold it for the whole keep-alive timeout, and one over which nothing was ever asked, as browsers open them in
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
