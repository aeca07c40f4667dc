import { isIPv6, type Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import { networksOf } from '../../lib/networks.ts'
import { Turns } from '../../lib/turns.ts'
import { ClientError } from '../../model/errors.ts'

interface ConnectionLimit {
  /** Connections of one client at once: an IPv4 address, or the /64 network of an IPv6 address. */
  readonly connectionsPerClient: number
  /** Proxies that are trusted to name the client of a request; the connections of these are not counted. */
  readonly trustedProxies: readonly string[]
}

/** How long a connection beyond the limit may take to send a request, which is answered 429. */
const REFUSED_MS = 1000
/** At most this many beyond the limit are answered; more are closed without an answer. */
const MOST_REFUSED = 50
const RETRY_AFTER_S = 5
const LOG_EVERY_MS = 10_000

/** Requests beyond the limit get 429 with `Retry-After`; with TLS they are closed before the handshake. Behind trusted
 * proxies each running request counts for its client. */
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

interface ConnectionTurns {
  /** A client that opens no more in `countedMs` is treated like one that opens them one by one. */
  readonly atOnce: number
  readonly countedMs: number
  /** From one connection of a client to the next, even when this process is busy. */
  readonly longestPauseMs: number
}

/** A client without keep-alive gets two hundred connections a second and more. */
const TURNS: ConnectionTurns = { atOnce: 16, countedMs: 100, longestPauseMs: 5 }

/** Read one after the other, so that only this client waits: each costs a millisecond with its first request, and Node
 * accepts connections of all clients in order. */
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

const INTERVAL_MS = 50
/** How long a new connection may take until its first request. */
const SILENT_MS = 500

/** Makes a shutdown wait for requests only, not for connections that are kept alive or opened in advance. */
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

/** The network of a client, which it cannot change at will: an IPv4 address, or the /64 network of an IPv6 address. */
export function clientNetwork(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!isIPv6(address)) return address
  const [head = '', tail] = new URL(`http://[${address.split('%', 1)[0]}]`).hostname.slice(1, -1).split('::')
  const before = head.split(':').filter(Boolean)
  const after = tail?.split(':').filter(Boolean) ?? []
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  const network = [...before, ...zeros, ...after].slice(0, 4)
  return `${network.join(':')}::/64`
}
