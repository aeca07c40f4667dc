import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

const MOST_BYTES = 64 * 1024 * 1024
const LONGEST_MS = 5_000

/**
 * Lets a sender that is refused while it is still sending its body read the error: the rest is read and dropped before a
 * reply that ends the connection. Otherwise the sender only sees a reset, and a proxy can not forward the reply.
 */
export function readRefusedBodies(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply) => {
    const { raw } = request
    // A body that was read completely emits no second end; `complete` alone tells this only for real connections.
    const isRead = raw.complete || raw.readableEnded || raw.destroyed
    if (reply.getHeader('connection') === 'close' && !isRead) await dropRest(raw)
  })
}

function dropRest(body: IncomingMessage): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, LONGEST_MS)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    let bytes = 0
    body.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MOST_BYTES) end()
    })
    body.once('close', end).once('end', end)
    body.unpipe()
    body.resume()
  })
}
