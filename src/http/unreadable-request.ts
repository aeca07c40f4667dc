import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

const ANSWERS: Readonly<Record<string, readonly [status: number, sentence: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are too large.'],
}

/** Answers what is no HTTP request, before any route has seen it, in the wire format of every other error. */
export function answerUnreadable(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [status, sentence] = ANSWERS[error.code ?? ''] ?? [400, 'This is not a valid HTTP request.']
  const body = JSON.stringify({ errorMessage: sentence })
  if (socket.writable)
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
        `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    )
  socket.destroy()
}
