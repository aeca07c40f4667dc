import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import { networksOf } from '../../lib/networks.ts'
import { ClientError } from '../../model/errors.ts'
import { clientNetwork } from './client-network.ts'

interface ConnectionLimit {
  /** Connections of one client at once: an IPv4 address, or the /64 network of an IPv6 address. */
  readonly connectionsPerClient: number
  /** Proxies that are trusted to name the client of a request; their own connections are not counted. */
  readonly trustedProxies: readonly string[]
}

/** How long a connection beyond the limit may take to send a request, which is answered 429. */
const REFUSED_MS = 1000
/** At most this many beyond the limit are answered; more are closed without an answer. */
const MOST_REFUSED = 50
const RETRY_AFTER_S = 5
const LOG_EVERY_MS = 10_000

/**
 * Limits the open connections of one client, idle or not: each takes memory and a file descriptor of this
 * process. Requests on connections beyond the limit are answered 429 with `Retry-After`, so that a program can tell what is
 * wrong; with TLS they are closed before the handshake, which costs more than the connection. Behind a trusted proxy, which
 * shares connections among clients, each running request counts for its client.
 */
export function limitConnections(server: FastifyInstance, limit: ConnectionLimit): void {
  const { connectionsPerClient, trustedProxies } = limit
  const proxies = networksOf(trustedProxies)
  const mostRefused = server.server instanceof TlsServer ? 0 : MOST_REFUSED
  const open = new Map<string, number>()
  const refused = new WeakSet<Socket>()
  let loggedMs = Number.NEGATIVE_INFINITY

  const enter = (client: string) => void open.set(client, (open.get(client) ?? 0) + 1)
  const leave = (client: string) => {
    const left = (open.get(client) ?? 0) - 1
    if (left > 0) open.set(client, left)
    else open.delete(client)
  }
  const warn = (client: string) => {
    if (performance.now() < loggedMs + LOG_EVERY_MS) return
    loggedMs = performance.now()
    server.log.warn({ client, connectionsPerClient }, 'a client has too many connections (CONNECTIONS_PER_CLIENT)')
  }

  server.server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    if (proxies.has(address)) return
    const client = clientNetwork(address)
    const beyond = (open.get(client) ?? 0) + 1 - connectionsPerClient
    if (beyond > 0) warn(client)
    if (beyond > mostRefused) {
      socket.destroy()
      return
    }
    enter(client)
    socket.once('close', () => leave(client))
    if (beyond <= 0) return
    refused.add(socket)
    const timer = setTimeout(() => socket.destroy(), REFUSED_MS).unref()
    socket.once('close', () => clearTimeout(timer))
  })

  server.addHook('onRequest', async (request, reply) => {
    const { socket } = request.raw
    const client = clientNetwork(request.ip)
    const isThroughProxy = proxies.has(socket.remoteAddress ?? '')
    if (refused.has(socket) || (isThroughProxy && (open.get(client) ?? 0) >= connectionsPerClient)) {
      warn(client)
      throw tooMany(isThroughProxy)
    }
    if (!isThroughProxy) return
    enter(client)
    reply.raw.once('close', () => leave(client))
  })
}

function tooMany(isThroughProxy: boolean): ClientError {
  return new ClientError(429, 'There are too many connections from this address.', {
    // The proxy's connection serves other clients, too.
    headers: { 'retry-after': String(RETRY_AFTER_S), ...(isThroughProxy ? {} : { connection: 'close' }) },
  })
}
