import { once } from 'node:events'
import { connect } from 'node:net'

/** What came back for bytes that were sent; status 0 when that was no HTTP reply. */
export interface RawReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export interface RawRequest {
  readonly method?: string
  /** As it is to stand in the request line, byte by byte. */
  readonly target: Buffer | string
  readonly headers?: Readonly<Record<string, Buffer | string>>
  readonly body?: Buffer | string
}

/** Sends a request that no HTTP client would send, on a connection of its own. */
export async function sendRaw(url: string, request: RawRequest): Promise<RawReply> {
  const { method = 'GET', target, headers = {}, body } = request
  const content = body === undefined ? undefined : Buffer.from(body)
  const lines: (Buffer | string)[] = [`${method} `, target, ' HTTP/1.1\r\nHost: tacho\r\nConnection: close\r\n']
  if (content !== undefined) lines.push(`Content-Length: ${content.length}\r\n`)
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: `, value, '\r\n')
  lines.push('\r\n', content ?? '')
  return sendBytes(url, Buffer.concat(lines.map(line => Buffer.from(line as Buffer))))
}

/**
 * Sends anything and reads until the other side ends, or a stream of events has begun.
 * @param patienceMs closes after so long a silence, for bytes that may be no complete request
 */
export async function sendBytes(url: string, bytes: Buffer, patienceMs = 20_000): Promise<RawReply> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.setTimeout(patienceMs, () => socket.end())
  socket.write(bytes)
  const received: Buffer[] = []
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    received.push(chunk)
    // Has no end; what can be wrong with the request was told instead of it.
    if (EVENT_STREAM.test(Buffer.concat(received).toString('latin1'))) break
  }
  return parsed(Buffer.concat(received))
}

/** The whole head of a reply that is a stream of events, in the form in which `parsed` reads it. */
const EVENT_STREAM = /^HTTP\/1\.1 200 .*\r\ncontent-type: text\/event-stream.*\r\n\r\n/is

function parsed(received: Buffer): RawReply {
  const end = received.indexOf('\r\n\r\n')
  const [first = '', ...lines] = received.subarray(0, Math.max(end, 0)).toString('latin1').split('\r\n')
  const headers = Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const body = received.subarray(end + 4)
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1] ?? 0),
    headers,
    text: headers['transfer-encoding'] === 'chunked' ? unchunked(body) : body.toString(),
  }
}

function unchunked(body: Buffer): string {
  const parts: Buffer[] = []
  for (let at = 0; at < body.length; ) {
    const lineEnd = body.indexOf('\r\n', at)
    const size = Number.parseInt(body.subarray(at, lineEnd).toString(), 16)
    if (!(size > 0)) break
    parts.push(body.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
  return Buffer.concat(parts).toString()
}
