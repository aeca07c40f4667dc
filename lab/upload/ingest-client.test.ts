import { expect, test, vi } from 'vitest'
import { OperatorError } from '../../src/model/errors.ts'
import { ingestStandIn } from '../../test/ingest-stand-in.ts'
import { imeiOf } from '../simulation/imei.ts'
import { createIngestClient, type IngestSample, type Retry, retryAfterMs } from './ingest-client.ts'

const START_MS = Date.UTC(2024, 0, 1)

function samples(count: number, devices = 5): IngestSample[] {
  return Array.from({ length: count }, (_, i) => ({
    deviceId: imeiOf('35209900', i % devices),
    timeMs: START_MS + i * 1000,
    events: [
      ['GPS_SPEED', i],
      ['POSITION', { lon: 8.4, lat: 49 }],
      ['IS_MOVING', true],
      ['VIN', '1M8GDM9AXKP042788'],
    ],
  }))
}

async function send(url: string, what: readonly IngestSample[], options = {}) {
  const client = createIngestClient({ baseUrl: url, key: 'secret', batchEvents: 40, ...options })
  for (const sample of what) await client.add(sample)
  await client.flush()
  return client.totals()
}

test('everything arrives once, in batches, with a few requests at a time', async () => {
  await using server = await ingestStandIn()
  const totals = await send(server.url, samples(500), { inFlight: 3 })
  expect(totals).toMatchObject({ samples: 500, events: 2000, accepted: 2000, duplicates: 0, maybeStored: 0 })
  expect(totals.requests).toBe(server.requests.length)
  expect(server.stored.size).toBe(2000)
  expect(server.mostOpen()).toBeLessThanOrEqual(3)
  expect(Math.max(...server.requests.map(request => request.events.length))).toBe(40)
  expect(server.requests[0]?.headers.authorization).toBe('Bearer secret')
})

test('the samples of a dongle arrive in the order they were added', async () => {
  await using server = await ingestStandIn()
  await send(server.url, samples(500))
  const lastTime = new Map<number, string>()
  for (const { deviceId, recordedTimestamp } of server.requests.flatMap(request => request.events)) {
    expect(recordedTimestamp >= (lastTime.get(deviceId) ?? '')).toBe(true)
    lastTime.set(deviceId, recordedTimestamp)
  }
  expect(lastTime.size).toBe(5)
})

test('values keep their kind', async () => {
  await using server = await ingestStandIn()
  await send(server.url, samples(1), { gzip: true })
  expect(server.requests[0]?.headers['content-encoding']).toBe('gzip')
  expect(server.requests[0]?.events).toEqual([
    expect.objectContaining({ eventType: 'GPS_SPEED', value: 0, recordedTimestamp: '2024-01-01T00:00:00.000Z' }),
    expect.objectContaining({ eventType: 'POSITION', value: { lon: 8.4, lat: 49 } }),
    expect.objectContaining({ eventType: 'IS_MOVING', value: true }),
    expect.objectContaining({ eventType: 'VIN', value: '1M8GDM9AXKP042788' }),
  ])
})

test('a service that cannot take it now gets it later, and nothing is lost or counted twice', async () => {
  await using server = await ingestStandIn(n =>
    n % 3 === 1 ? { status: n % 2 ? 503 : 429, headers: { 'retry-after': '0' } } : 'answer',
  )
  const totals = await send(server.url, samples(100))
  expect(totals).toMatchObject({ events: 400, accepted: 400, duplicates: 0 })
  expect(server.stored.size).toBe(400)
})

test('a lost answer makes duplicates, and the totals say that this may be why', async () => {
  await using server = await ingestStandIn(n => (n === 1 ? 'lose answer' : n === 2 ? 'lose request' : 'answer'))
  const totals = await send(server.url, samples(10), { inFlight: 1 })
  expect(totals).toMatchObject({ events: 40, accepted: 0, duplicates: 40, maybeStored: 2 })
  expect(server.stored.size).toBe(40)
})

test('Retry-After is waited for', async () => {
  await using server = await ingestStandIn(n => (n === 1 ? { status: 429, headers: { 'retry-after': '1' } } : 'answer'))
  const onRetry = vi.fn<(retry: Retry) => void>()
  const startMs = performance.now()
  await send(server.url, samples(1), { onRetry, patienceMs: 0 })
  expect(performance.now() - startMs).toBeGreaterThan(900)
  expect(onRetry).toHaveBeenCalledExactlyOnceWith({ why: 'the service answers 429', waitMs: 1000, maybeStored: false })
})

test.each([
  ['120', 120_000],
  ['Mon, 01 Jan 2024 00:00:30 GMT', 30_000],
  ['Sun, 31 Dec 2023 00:00:00 GMT', 0],
  ['soon', 0],
  [null, 0],
])('Retry-After %s', (header, waitMs) => {
  expect(retryAfterMs(header, START_MS)).toBe(waitMs)
})

test.each([
  [400, '[3].value must be a number', /refused a batch \(400\): \[3\]\.value must be a number/],
  [401, 'Unauthorized.', /does not know this key/],
  [403, 'no permission (ingest)', /may not send measurements \(403\): no permission/],
  [413, 'too large', /choose a smaller one/],
])('status %d is not tried again and said in a sentence', async (status, errorMessage, sentence) => {
  await using server = await ingestStandIn(() => ({ status, errorMessage }))
  const failure = await send(server.url, samples(200), { inFlight: 1 }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(OperatorError)
  expect((failure as Error).message).toMatch(sentence)
  expect(server.requests).toHaveLength(1)
})

test('patience ends when there is no service', async () => {
  const server = await ingestStandIn()
  await server[Symbol.asyncDispose]()
  await expect(send(server.url, samples(1), { patienceMs: 300 })).rejects.toThrow(
    /no connection \(ECONNREFUSED\), for \d+ s/,
  )
})

test('the signal ends a wait', async () => {
  await using server = await ingestStandIn(() => ({ status: 503, headers: { 'retry-after': '60' } }))
  const stop = new AbortController()
  const reason = new Error('enough')
  setTimeout(() => stop.abort(reason), 100)
  await expect(send(server.url, samples(1), { signal: stop.signal })).rejects.toBe(reason)
})
