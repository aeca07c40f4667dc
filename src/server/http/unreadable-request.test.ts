import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerUnreadable } from './unreadable-request.ts'

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
