import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { badRequest } from '../../model/errors.ts'

const ANSWERS: Readonly<Record<string, readonly [status: number, sentence: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are too large.'],
}

/** Answers input that is not a valid HTTP request, before routing, in the format of all other errors. */
export function answerUnreadable(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [status, sentence] = ANSWERS[error.code ?? ''] ?? [400, 'This is not a valid HTTP request.']
  answerOnSocket(socket, status, sentence)
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

/** Adds an errorMessage where Node itself would send an empty reply (RFC 9112, 3.2; RFC 9110, 10.1.1). */
export function refuseBrokenProtocol(server: FastifyInstance): void {
  server.addHook('onRequest', async ({ headers, raw }) => {
    if (headers.host === undefined && raw.httpVersion !== '1.0') throw badRequest('The header Host is missing.')
  })
  server.server.on('checkExpectation', (_request, response) => {
    const body = JSON.stringify({ errorMessage: 'The header Expect can only be 100-continue.' })
    response.writeHead(417, { 'content-type': 'application/json; charset=utf-8', connection: 'close' }).end(body)
  })
}
