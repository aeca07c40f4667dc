import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import { Turns } from '../../lib/turns.ts'

/** Texts beyond 128 KiB are large objects to V8, and joining them took nearly twice as long. */
const CHUNK_CHARACTERS = 48 * 1024

/** How long a list is rendered before others get a turn. All other requests wait for it at each step. */
const TURN_MS = 8

/** A client that takes nothing for so long is slower than the rendering. */
const SLOW_CLIENT_MS = 50

const turns = new Turns<number | undefined>()

/** Shorter lists are not worth compressing: headers, and the memory for it, cost as much. */
const LEAST_COMPRESSED_BYTES = 8 * 1024

/** At the pace of the client, in turns between accounts. @param form `bytes`: each character is a byte, see `utf8Bytes`
 * @param onRendered when all is rendered or the list waits for its client; maybe several times */
export function sendJsonList(
  reply: FastifyReply,
  prefix: string,
  items: Iterable<string>,
  suffix: string,
  form: 'text' | 'bytes' = 'text',
  onRendered: () => void = () => undefined,
): FastifyReply {
  const encoding = form === 'bytes' ? 'latin1' : 'utf8'
  const rest = chunks(prefix, items, suffix, encoding)
  const first = rest.next().value ?? Buffer.alloc(0)
  const stream = Readable.from(inTurns(first, rest, reply.request.caller?.accountId, onRendered), { objectMode: false })
  void reply.type('application/json; charset=utf-8')
  addVary(reply, 'Accept-Encoding')
  const { method, headers } = reply.request
  if (first.length < LEAST_COMPRESSED_BYTES || !acceptsGzip(headers['accept-encoding'])) return reply.send(stream)
  void reply.header('content-encoding', 'gzip')
  return reply.send(method === 'HEAD' ? stream : gzipped(stream))
}

/** One byte per character: encoding a long list with one `°` costs half as much as rendering it. */
export function utf8Bytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

async function* inTurns(
  first: Buffer,
  rest: Iterable<Buffer>,
  accountId: number | undefined,
  onRendered: () => void,
): AsyncGenerator<Buffer> {
  let slow = setTimeout(onRendered, SLOW_CLIENT_MS)
  try {
    yield first
    let begunMs = Number.NEGATIVE_INFINITY
    for (const chunk of rest) {
      clearTimeout(slow)
      // A socket that takes data at once asks for more in the same turn: a fast client would get a whole list in one.
      if (performance.now() - begunMs > TURN_MS) {
        await turns.next(accountId)
        begunMs = performance.now()
      }
      slow = setTimeout(onRendered, SLOW_CLIENT_MS)
      yield chunk
    }
  } finally {
    clearTimeout(slow)
    onRendered()
  }
}

function* chunks(
  prefix: string,
  items: Iterable<string>,
  suffix: string,
  encoding: 'latin1' | 'utf8',
): Generator<Buffer, undefined> {
  let chunk = prefix
  let separator = ''
  for (const item of items) {
    chunk += separator + item
    separator = ','
    if (chunk.length >= CHUNK_CHARACTERS) {
      yield Buffer.from(chunk, encoding)
      chunk = ''
    }
  }
  yield Buffer.from(chunk + suffix, encoding)
}

/** Sends a text that is already JSON; the schema of the route only documents it. */
export function sendJsonText(reply: FastifyReply, json: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').serializer(String).send(json)
}

/** Reads `Accept-Encoding` (RFC 9110, 12.5.3). */
export function acceptsGzip(header: string | undefined): boolean {
  const accepted = new Map<string, boolean>()
  for (const item of (header ?? '').toLowerCase().split(',')) {
    const [coding = '', ...parameters] = item.split(';').map(text => text.trim())
    accepted.set(coding, !parameters.some(text => /^q\s*=\s*0(\.0*)?$/.test(text)))
  }
  return accepted.get('gzip') ?? accepted.get('x-gzip') ?? accepted.get('*') ?? false
}

/** The default level takes twice the time to save another tenth. */
function gzipped(stream: Readable): Readable {
  // The reader of the result gets the error.
  return pipeline(stream, createGzip({ level: constants.Z_BEST_SPEED }), () => undefined)
}

/** Adds a request header that the reply depends on to `Vary` (RFC 9110, 12.5.5). */
export function addVary(reply: FastifyReply, header: string): void {
  const others = reply.getHeader('vary')
  void reply.header('vary', others === undefined ? header : `${String(others)}, ${header}`)
}

/** Aborts when the reply is complete, or before when the client disconnects: for what is held as long as a request lasts. */
export function endSignal(reply: FastifyReply): AbortSignal {
  return closeSignal(reply, () => true)
}

/** Aborts when the client disconnects before its reply is complete; never after that, since each abort makes errors. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  return closeSignal(reply, () => !reply.raw.writableEnded)
}

function closeSignal({ raw }: FastifyReply, isDue: () => boolean): AbortSignal {
  const controller = new AbortController()
  if (raw.destroyed) controller.abort()
  else
    raw.once('close', () => {
      if (isDue()) controller.abort()
    })
  return controller.signal
}

/** Answers on the raw socket, because the request may never be complete, and ends the connection. */
export function answerOnSocket(socket: Socket, status: number, sentence: string): void {
  const body = JSON.stringify({ errorMessage: sentence })
  if (socket.writable)
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
        `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    )
  socket.destroy()
}
