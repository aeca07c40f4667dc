import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { eventually } from './eventually.ts'
import { startService } from './service.ts'

const PLACES = 2

let slowKey = ''
let otherKey = ''
const service = await startService({ UPLOADS_PER_ACCOUNT: String(PLACES), STALL_LIMIT_S: '3' })
slowKey = await service.key('Slow')
otherKey = await service.key('Other')
afterAll(() => service.stop())

interface SlowUpload {
  readonly socket: Socket
  readonly ended: Promise<string>
}

/** Announces a body of which only the beginning comes. */
async function beginUpload(authorization: string): Promise<SlowUpload> {
  const { hostname, port, host } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  let reply = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    reply += text
  })
  socket.on('error', () => undefined)
  const lines = ['POST /ingest/events HTTP/1.1', `host: ${host}`, 'content-type: application/json']
  socket.write(`${[...lines, authorization, 'content-length: 100000'].join('\r\n')}\r\n\r\n[{`)
  return { socket, ended: once(socket, 'close').then(() => reply) }
}

async function send(key: string, deviceId: number): Promise<number> {
  const event = { deviceId, recordedTimestamp: '2025-01-01T00:00:00Z', eventType: 'GPS_SPEED', value: 1 }
  const reply = await fetch(`${service.url}/ingest/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify([event]),
  })
  await reply.arrayBuffer()
  return reply.status
}

test('slow uploads of one account take no place of another, and end', async () => {
  const uploads = await Promise.all(Array.from({ length: 20 }, () => beginUpload(`authorization: Bearer ${slowKey}`)))
  // Its own requests wait until the slow ones are cut.
  const own = send(slowKey, 350_000_000_000_001)
  let isOwnAnswered = false
  void own.then(() => (isOwnAnswered = true))
  for (let time = 0; time < 3; time++) expect(await send(otherKey, 350_000_000_000_002)).toBe(200)
  expect(isOwnAnswered).toBe(false)
  for (const { ended } of uploads) expect(await ended).toMatch(/^HTTP\/1\.1 408 /)
  expect(await own).toBe(200)
})

test('senders without a valid key share places of their own, and are refused at once', async () => {
  const strangers = await Promise.all([
    ...Array.from({ length: 10 }, () => beginUpload('authorization: Bearer nonsense')),
    ...Array.from({ length: 10 }, () => beginUpload('x-nothing: here')),
  ])
  expect(await send(otherKey, 350_000_000_000_002)).toBe(200)
  const replies = await Promise.all(strangers.map(({ ended }) => ended))
  expect(new Set(replies.map(reply => reply.slice(0, 12)))).toEqual(new Set(['HTTP/1.1 401']))
})

test('who goes away while it waits leaves nothing behind', async () => {
  const uploads = await Promise.all(Array.from({ length: 10 }, () => beginUpload(`authorization: Bearer ${slowKey}`)))
  for (const { socket } of uploads) socket.destroy()
  await eventually(async () => expect(await send(slowKey, 350_000_000_000_001)).toBe(200))
})
