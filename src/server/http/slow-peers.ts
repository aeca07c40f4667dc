import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { Pace, type PaceLimits } from './pace.ts'
import { answerOnSocket } from './unreadable-request.ts'

/** How long a request or its reply may be on its way; the settings of these names. */
export interface TransferLimits {
  readonly requestLimitS: number
  readonly leastBytesPerS: number
  readonly stallLimitS: number
}

const LOOK_EVERY_MS = 1000

/** One of the two directions of a request. */
interface Transfer {
  /** Bytes that the other side has moved in all; more of them only while `isWaiting`. */
  readonly movedBytes: () => number
  /** Whether it is the other side for whom everybody waits. */
  readonly isWaiting: () => boolean
  readonly isOver: () => boolean
  readonly cut: () => void
}

interface Followed {
  readonly transfer: Transfer
  readonly pace: Pace
  movedBytes: number
}

/**
 * Ends the connection of whoever sends a body or takes a reply more slowly than `limits` allow: it holds a place among
 * uploads, or a rendered list. Only the time counts in which the other side is the one who could go on; a service that
 * does not read or has nothing to send keeps nobody from waiting.
 */
export function cutSlowPeers(server: FastifyInstance, limits: PaceLimits): void {
  const followed = new Set<Followed>()
  const follow = (transfer: Transfer) =>
    void followed.add({ transfer, pace: new Pace(limits), movedBytes: transfer.movedBytes() })
  server.addHook('onRequest', async (request, reply) => {
    // Requests that a test makes up have no connection.
    if (!(request.raw.socket instanceof Socket)) return
    if (hasBody(request.raw)) follow(uploadOf(request.raw, reply.raw, request.log))
    follow(replyOf(request.raw, reply.raw, request.log))
  })

  let lookedMs = performance.now()
  const timer = setInterval(() => {
    const nowMs = performance.now()
    // When this process itself was held up, what the others did meanwhile is only read after this.
    const passedMs = Math.min(nowMs - lookedMs, 2 * LOOK_EVERY_MS)
    lookedMs = nowMs
    for (const one of followed) if (isOverOrCut(one, passedMs)) followed.delete(one)
  }, LOOK_EVERY_MS)
  timer.unref()
  server.addHook('onClose', async () => clearInterval(timer))
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
    // Where as much has arrived as is kept for a reader, the sender has to wait for us.
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
    // What waits in this process counts as written by Node, but nobody has taken it.
    movedBytes: () => socket.bytesWritten - socket.writableLength,
    isWaiting: () => response.writableLength > 0,
    isOver: () => response.writableFinished || socket.destroyed,
    cut() {
      log.info('a reply that was taken too slowly is cut')
      socket.destroy()
    },
  }
}
