import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { startService } from '../service.ts'

let key = ''
const service = await startService()
key = await service.key('Fleet')
afterAll(() => service.stop())

interface Route {
  readonly method: string
  readonly target: string
  readonly type?: string
  readonly body?: string
  readonly status: number
}

const EVENTS = '[{"deviceId":17,"recordedTimestamp":"2026-03-02T07:15:30Z","eventType":"MILEAGE","value":10}]'
const TRACCAR =
  '{"position":{"deviceTime":"2026-03-02T07:15:30Z","attributes":{"power":12.5}},"device":{"uniqueId":"17"}}'
const JSON_TYPE = 'application/json'
const FORM = 'application/x-www-form-urlencoded'
const SETTINGS = '/cc/v2.0/vehicles/IMEI_17/settings'
const ROUTES: readonly Route[] = [
  { method: 'POST', target: '/ingest/events', type: JSON_TYPE, body: EVENTS, status: 200 },
  { method: 'POST', target: '/ingest/traccar', type: JSON_TYPE, body: TRACCAR, status: 200 },
  { method: 'GET', target: '/ingest/osmand?id=17&lat=49.01&lon=8.4', status: 200 },
  { method: 'POST', target: '/ingest/osmand', type: FORM, body: 'id=17&lat=49.01&lon=8.4', status: 200 },
  { method: 'GET', target: '/cc/v2.0/devices?maxResults=1', status: 200 },
  { method: 'PUT', target: SETTINGS, type: JSON_TYPE, body: '{"numberPlate":"KA"}', status: 200 },
  { method: 'POST', target: '/auth/token', type: FORM, body: 'client_id=connectedCarApi', status: 400 },
]

/** Headers of one connection, or for proxies, as clients send them: they change nothing (RFC 9110, 7.6.1 and 10.1.1). */
const HEADERS: readonly string[] = [
  'Expect: 100-continue',
  'Expect: 100-Continue\r\nKeep-Alive: timeout=5, max=100',
  'Connection: Keep-Alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 300',
  'Connection: , TE,,\r\nTE: trailers, deflate;q=0.5',
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABk',
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13',
  'Proxy-Connection: keep-alive\r\nProxy-Authorization: Basic dTpw\r\nProxy-Authenticate: Basic',
  'Max-Forwards: 3\r\nVia: 1.1 a, 1.0 b\r\nForwarded: for=192.0.2.1\r\nX-Forwarded-For: 192.0.2.1',
  'X-Name: H\u00f6fe\r\nX-Empty:\r\nX-Twice: 1\r\nX-Twice: 2\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2',
]
const ORIGINS = ['http://tacho', 'https://tacho', 'HTTP://fleet.example.com:8080', 'http://u:p@[::1]:80']

const FINAL = /HTTP\/1\.1 [2-5]/

/** Sends it twice on one connection: what is left of a request would spoil the next. @returns both status codes */
async function statuses(route: Route, headers: string, target = route.target): Promise<number[]> {
  const { method, type, body = '' } = route
  const chunks = `3;name=value\r\n${body.slice(0, 3)}\r\n${(body.length - 3).toString(16)}\r\n${body.slice(3)}\r\n0\r\nX-Sum: 1\r\n\r\n`
  const isChunked = headers.includes('hunked')
  const length = isChunked || method === 'GET' ? '' : `Content-Length: ${body.length}\r\n`
  const own = `${type === undefined ? '' : `Content-Type: ${type}\r\n`}Authorization: Bearer ${key}\r\n${length}`
  const sent = (more: string) =>
    `${method} ${target} HTTP/1.1\r\nHost: tacho\r\n${own}${headers}${more}\r\n\r\n${isChunked ? chunks : body}`
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    .setEncoding('latin1')
    .setTimeout(5000)
  socket.on('timeout', () => socket.destroy()).write(sent(''), 'latin1')
  let received = ''
  for await (const chunk of socket) {
    if (!FINAL.test(received) && FINAL.test((received += chunk))) socket.write(sent('\r\nConnection: close'), 'latin1')
    else received += chunk
  }
  return [...received.matchAll(/HTTP\/1\.1 ([2-5]\d\d) /g)].map(match => Number(match[1]))
}

describe.each(ROUTES)('$method $target', route => {
  const twice = [route.status, route.status]
  test.each(HEADERS)('with %j', async headers => expect(await statuses(route, headers)).toEqual(twice))

  test.each(ORIGINS)('with %s before the path', async origin =>
    expect(await statuses(route, 'X-A: 1', origin + route.target)).toEqual(twice),
  )

  const encodings = ['chunked', 'Chunked\r\nTrailer: X-Sum\r\nExpect: 100-continue']
  test.each(route.body === undefined ? [] : encodings)('with a body in chunks: %j', async encoding =>
    expect(await statuses(route, `Transfer-Encoding: ${encoding}`)).toEqual(twice),
  )

  test('[D-READ-50] with two hosts is refused', async () => expect((await statuses(route, 'Host: other'))[0]).toBe(400))
})

test('[D-READ-50] a client that waits for 100 before it sends a large body gets it once, and then its answer', async () => {
  const sent = request(`${service.url}/ingest/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': JSON_TYPE, expect: '100-continue' },
  })
  let continued = 0
  sent.on('continue', () => {
    continued++
    sent.end(EVENTS.padEnd(3_000_000))
  })
  sent.flushHeaders()
  const [reply] = (await once(sent, 'response')) as [IncomingMessage]
  reply.resume()
  expect([continued, reply.statusCode]).toEqual([1, 200])
})
