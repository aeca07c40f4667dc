import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { networksOf } from '../../lib/networks.ts'
import { Turns } from '../../lib/turns.ts'
import { clientNetwork } from './client-network.ts'

interface ConnectionTurns {
  /** A client that opens no more in `countedMs` is treated like one that opens them one by one. */
  readonly atOnce: number
  readonly countedMs: number
  /** From one connection of a client to the next, even when this process is busy. */
  readonly longestPauseMs: number
}

/** A client without keep-alive gets two hundred connections a second and more. */
const TURNS: ConnectionTurns = { atOnce: 16, countedMs: 100, longestPauseMs: 5 }

/**
 * When a client opens many connections at once, they are read one after the other, so that only this client waits. Each new
 * connection costs about a millisecond with its first request, more with a TLS handshake, and Node accepts connections of all
 * clients in order. Accepting one without reading it costs a twentieth of that. Trusted proxies connect for many clients.
 */
export function readConnectionsInTurn(
  server: FastifyInstance,
  trustedProxies: readonly string[],
  { atOnce, countedMs, longestPauseMs } = TURNS,
): void {
  const proxies = networksOf(trustedProxies)
  const turns = new Turns<string>(longestPauseMs)
  const opened = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  const count = (client: string): number => {
    timer ??= setTimeout(() => {
      timer = undefined
      opened.clear()
    }, countedMs).unref()
    const ofClient = (opened.get(client) ?? 0) + 1
    opened.set(client, ofClient)
    return ofClient
  }

  const { server: accepting } = server
  const readers = accepting.listeners('connection')
  const read = (socket: Socket): void => {
    for (const reader of readers) Reflect.apply(reader, accepting, [socket])
  }
  const readLater = async (socket: Socket, client: string): Promise<void> => {
    // Until it is read, nothing else handles its errors, which would end the process.
    const ignore = () => undefined
    socket.on('error', ignore)
    await turns.next(client)
    socket.off('error', ignore)
    if (!socket.destroyed) read(socket)
  }
  accepting.removeAllListeners('connection')
  accepting.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const client = clientNetwork(address)
    if (proxies.has(address) || count(client) <= atOnce) return read(socket)
    void readLater(socket, client)
  })
}
