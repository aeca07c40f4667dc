import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { answerOnSocket } from './reply.ts'

/** How long a request or its reply may take; the settings of these names. */
export interface TransferLimits {
  readonly requestLimitS: number
  readonly leastBytesPerS: number
  readonly stallLimitS: number
}

const LOOK_EVERY_MS = 1000

interface Transfer {
  /** Bytes that the peer has transferred in total; the number grows only while `isWaiting`. */
  readonly movedBytes: () => number
  /** We are waiting for the peer. */
  readonly isWaiting: () => boolean
  readonly isOver: () => boolean
  readonly cut: () => void
}

interface Followed {
  readonly transfer: Transfer
  readonly pace: Pace
  movedBytes: number
}

/** Slow peers hold an upload slot or a rendered list. Only time in which we wait for the peer counts. */
export function cutSlowPeers(server: FastifyInstance, limits: PaceLimits): void {
  const followed = new Set<Followed>()
  let lookedMs = 0
  /** Only while there is anything to look at: each look wakes the process. */
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    const nowMs = performance.now()
    // When this process itself was delayed, what peers sent in the meantime is read only after this.
    const passedMs = Math.min(nowMs - lookedMs, 2 * LOOK_EVERY_MS)
    lookedMs = nowMs
    for (const one of followed) if (isOverOrCut(one, passedMs)) followed.delete(one)
    if (followed.size === 0) stop()
  }
  const stop = () => {
    clearInterval(timer)
    timer = undefined
  }
  const follow = (transfer: Transfer) => {
    followed.add({ transfer, pace: new Pace(limits), movedBytes: transfer.movedBytes() })
    if (timer) return
    lookedMs = performance.now()
    timer = setInterval(look, LOOK_EVERY_MS).unref()
  }
  server.addHook('onRequest', async (request, reply) => {
    // Injected requests of tests have no connection.
    if (!(request.raw.socket instanceof Socket)) return
    if (hasBody(request.raw)) follow(uploadOf(request.raw, reply.raw, request.log))
    follow(replyOf(request.raw, reply.raw, request.log))
  })

  server.addHook('onClose', async () => stop())
}

function isOverOrCut(one: Followed, passedMs: number): boolean {
  const { transfer, pace } = one
  if (transfer.isOver()) return true
  const movedBytes = transfer.movedBytes()
  const hasPatience = pace.spend(transfer.isWaiting() ? passedMs : 0, movedBytes - one.movedBytes)
  one.movedBytes = movedBytes
  if (!hasPatience) transfer.cut()
  return !hasPatience
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function uploadOf(body: IncomingMessage, response: ServerResponse, log: FastifyBaseLogger): Transfer {
  const { socket } = body
  return {
    movedBytes: () => socket.bytesRead,
    // When the buffer for the reader is full, the sender is waiting for us.
    isWaiting: () => body.readableLength < body.readableHighWaterMark,
    isOver: () => body.complete || socket.destroyed,
    cut() {
      log.info('a body that arrived too slowly is cut')
      if (response.headersSent) socket.destroy()
      else answerOnSocket(socket, 408, 'The body of the request arrives too slowly.')
    },
  }
}

function replyOf({ socket }: IncomingMessage, response: ServerResponse, log: FastifyBaseLogger): Transfer {
  return {
    // Node counts data that waits in this process as written, but the peer has not received it.
    movedBytes: () => socket.bytesWritten - socket.writableLength,
    isWaiting: () => response.writableLength > 0,
    isOver: () => response.writableFinished || socket.destroyed,
    cut() {
      log.info('a reply that was taken too slowly is cut')
      socket.destroy()
    },
  }
}

export interface PaceLimits {
  /** At this rate, a peer is never too slow. */
  readonly leastBytesPerS: number
  /** How long a peer may be slower, or transfer nothing at all. */
  readonly patienceMs: number
}

/** Judges whether a peer is fast enough: a budget of time that waiting uses and each byte refills. */
export class Pace {
  readonly #limits: PaceLimits
  #leftMs: number

  constructor(limits: PaceLimits) {
    this.#limits = limits
    this.#leftMs = limits.patienceMs
  }

  /** @param waitedMs how long the peer could have transferred bytes @returns true while any budget is left */
  spend(waitedMs: number, bytes: number): boolean {
    const { leastBytesPerS, patienceMs } = this.#limits
    const earnedMs = (bytes / leastBytesPerS) * 1000
    this.#leftMs = Math.min(patienceMs, this.#leftMs - waitedMs + earnedMs)
    return this.#leftMs > 0
  }
}
