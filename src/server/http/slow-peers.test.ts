import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { pino } from 'pino'
import { Histogram } from 'prom-client'
import { afterAll, expect, test } from 'vitest'
import { eventually } from '../../../test/eventually.ts'
import { sendJsonList } from './reply.ts'
import { createHttpServer } from './server.ts'
import { Pace, type PaceLimits } from './slow-peers.ts'

const BODY_LIMIT_BYTES = 100_000
/** More than the buffers of the system between two processes of one machine. */
const LONG_ITEMS = 400_000
const ITEM = JSON.stringify('x'.repeat(98))

let port = 0
const logged: string[] = []

const server = createHttpServer({
  log: pino({}, { write: line => void logged.push(line) }),
  duration: new Histogram({ name: 'test', help: 'test', labelNames: ['method', 'route', 'status'], registers: [] }),
  bodyLimitBytes: BODY_LIMIT_BYTES,
  transfers: { requestLimitS: 6, leastBytesPerS: 1000, stallLimitS: 2 },
})
server.post('/body', async request => ({ length: JSON.stringify(request.body).length }))
server.get('/long', (_request, reply) => sendJsonList(reply, '[', items(), ']'))
server.get('/soon', async () => sleep(4000, { ok: true }))
await server.listen({ host: '127.0.0.1', port: 0 })
const address = server.server.address()
port = typeof address === 'object' && address ? address.port : 0
afterAll(() => server.close())

function* items(): Generator<string> {
  for (let item = 0; item < LONG_ITEMS; item++) yield ITEM
}

interface Client {
  readonly socket: Socket
  /** Everything that came, once the connection has ended. */
  readonly ended: Promise<string>
}

async function open(head: string): Promise<Client> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
  })
  socket.on('error', () => undefined)
  socket.write(head)
  return { socket, ended: once(socket, 'close').then(() => received) }
}

const head = (line: string, ...headers: string[]) =>
  `${[`${line} HTTP/1.1`, 'Host: tacho', ...headers].join('\r\n')}\r\n\r\n`
const upload = (length: number) =>
  head('POST /body', 'Content-Type: application/json', `Content-Length: ${length}`, 'Connection: close')

// Each waits for some seconds, so they wait together.
test.concurrent('a body that comes to a standstill is cut with a reason', async () => {
  const { ended } = await open(`${upload(1000)}"abc`)
  expect(await ended).toMatch(/^HTTP\/1\.1 408 [^]*"errorMessage":"The body of the request arrives too slowly\."/)
})

test.concurrent('a body that drips is cut, one at the least rate is read to its end', async () => {
  const send = async (bytesPerS: number) => {
    const length = bytesPerS * 4
    const { socket, ended } = await open(upload(length))
    const body = `"${'x'.repeat(length - 2)}"`
    const startedMs = performance.now()
    for (let sent = 0; sent < length && !socket.destroyed; await sleep(100)) {
      // At this rate also where a machine is late.
      const due = Math.ceil(((performance.now() - startedMs + 100) / 1000) * bytesPerS)
      socket.write(body.slice(sent, due))
      sent = due
    }
    return (await ended).split('\r\n')[0]
  }
  expect(await Promise.all([send(2000), send(50)])).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 408 Request Timeout'])
})

test.concurrent('a request that is not there in its time is cut, however steadily it comes', async () => {
  const { socket, ended } = await open(upload(BODY_LIMIT_BYTES))
  const timer = setInterval(() => socket.write('1'.repeat(200)), 100)
  expect(await ended).toMatch(/^HTTP\/1\.1 408 [^]*"errorMessage":"The request did not arrive in time\."/)
  clearInterval(timer)
})

test.concurrent('headers that never end are cut', async () => {
  const { ended } = await open('GET /long HTTP/1.1\r\nHost: tacho\r\nX-Slow: ')
  expect(await ended).toMatch(/^HTTP\/1\.1 408 /)
})

test.concurrent('a reader that takes nothing is cut, one that takes its time is not', async () => {
  const idle = await open(head('GET /long'))
  idle.socket.pause()
  const slow = await open(head('GET /long', 'Connection: close'))
  // Some megabytes a second, in pauses.
  const timer = setInterval(() => (slow.socket.isPaused() ? slow.socket.resume() : slow.socket.pause()), 50)
  await eventually(async () => expect(logged.filter(line => line.includes('taken too slowly'))).toHaveLength(1))
  idle.socket.resume()
  expect((await idle.ended).length).toBeLessThan(LONG_ITEMS * ITEM.length)
  clearInterval(timer)
  slow.socket.resume()
  expect((await slow.ended).length).toBeGreaterThan(LONG_ITEMS * ITEM.length)
})

test.concurrent('who waits for a slow service is not cut', async () => {
  const { ended } = await open(head('GET /soon', 'Connection: close'))
  expect(await ended).toMatch(/^HTTP\/1\.1 200 OK/)
})

const LIMITS: PaceLimits = { leastBytesPerS: 1000, patienceMs: 30_000 }

/** Seconds until there is no patience left, of a transfer that moves so many bytes each second; undefined when it lasts. */
function secondsUntilCut(bytesOf: (second: number) => number, seconds = 600): number | undefined {
  const pace = new Pace(LIMITS)
  for (let second = 1; second <= seconds; second++) if (!pace.spend(1000, bytesOf(second))) return second
  return undefined
}

test('what moves at the least rate or faster is never cut, however it is spread within the patience', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 29 }), fc.integer({ min: 1000, max: 1e7 }), (everyS, bytesPerS) => {
      const cut = secondsUntilCut(second => (second % everyS === 0 ? bytesPerS * everyS : 0))
      expect(cut).toBeUndefined()
    }),
  )
})

test('what stands still is cut after the patience, however much was moved before', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 1000, max: 1e9 }), (movingS, bytesPerS) => {
      expect(secondsUntilCut(second => (second <= movingS ? bytesPerS : 0))).toBe(movingS + 30)
    }),
  )
})

test('a drip is cut: half the least rate uses the patience up in twice its time', () => {
  expect(secondsUntilCut(() => 500)).toBe(60)
  expect(secondsUntilCut(() => 1)).toBe(31)
})
