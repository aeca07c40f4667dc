import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerUnreadable, requestIds } from './server.ts'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const idOf = (from: string, given: string | undefined, proxies: readonly string[] = ['192.0.2.1', '::1']) =>
  requestIds(proxies)({
    headers: given === undefined ? {} : { 'x-request-id': given },
    socket: { remoteAddress: from } as IncomingMessage['socket'],
  })

test('a trusted proxy names a request, anybody else does not', () => {
  expect(idOf('192.0.2.1', 'trace.1:7-a')).toBe('trace.1:7-a')
  expect(idOf('::ffff:192.0.2.1', 'trace.1:7-a')).toBe('trace.1:7-a')
  expect(idOf('192.0.2.2', 'trace.1:7-a')).toMatch(UUID)
  expect(idOf('192.0.2.1', undefined)).toMatch(UUID)
  expect(idOf('192.0.2.1', 'trace', [])).toMatch(UUID)
})

test.each(['', 'a b', 'a\nb', '"', '{"reqId":1}', 'ä', 'x'.repeat(129)])('%j is no name', given => {
  expect(idOf('192.0.2.1', given)).toMatch(UUID)
})

const server = fastify({ clientErrorHandler: answerUnreadable })
let port = 0
beforeAll(async () => {
  port = Number(new URL(await server.listen({ host: '127.0.0.1', port: 0 })).port)
})
afterAll(() => server.close())

test.each([
  ['TLS', '\x16\x03\x01 hello', 400, 'This is not a valid HTTP request.'],
  [
    'a wrong length',
    'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n',
    400,
    'This is not a valid HTTP request.',
  ],
  [
    'a long header',
    `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
    'The headers of the request are too large.',
  ],
])('%s is answered in plain words', async (_what, bytes, status, errorMessage) => {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(bytes)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(JSON.parse(body)).toEqual({ errorMessage })
})
