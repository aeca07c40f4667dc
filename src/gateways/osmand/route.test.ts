import { Writable } from 'node:stream'
import fc from 'fast-check'
import pino from 'pino'
import { afterAll, expect, test } from 'vitest'
import { deep } from '../../../test/deep.ts'
import { freePort } from '../../../test/free-port.ts'
import { garbageJson, garbageJsonText, garbageText } from '../../../test/garbage-values.ts'
import { startService } from '../../../test/service.ts'
import { startApiRole } from '../../app.ts'
import { sql } from '../../db/sql.ts'

let key = ''
let logged = ''
const log = pino(
  { level: 'trace' },
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged += chunk.toString()
      done()
    },
  }),
)
const service = await startService({}, log)
key = await service.key('Fleet', ['ingest'])
afterAll(() => service.stop())

async function ask(query: string, request: RequestInit = {}) {
  const reply = await fetch(`${service.url}/ingest/osmand?${query}`, request)
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
}

const REPORT = 'id=902064&timestamp=1772349330&lat=49.01&lon=8.4&speed=27'
const stored = (accepted: number, duplicates: number) => ({ status: 200, body: { accepted, duplicates } })

test('a phone of which only the address can be set: the key stands in the query of GET and POST', async () => {
  expect(await ask(`key=${key}&${REPORT}`)).toEqual(stored(2, 0))
  expect(await ask(`key=${key}&${REPORT}`, { method: 'POST' })).toEqual(stored(0, 2))
  expect(await ask(`key=${key}`, { method: 'POST', body: new URLSearchParams(REPORT) })).toEqual(stored(0, 2))
  expect(await ask(`key=${key}&name=what?&${REPORT}`)).toEqual(stored(0, 2))
  expect(await ask(`key=${key}`, { method: 'POST', body: `\uFEFF${REPORT}\0` })).toEqual(stored(0, 2))
  const [row] = await service.database.rows(sql`select unpack_numbers(numbers, 3) as numbers from samples`)
  expect(row).toEqual({ numbers: [50.004, 8.4, 49.01] })
})

test('the JSON of the newer Traccar Client, with the key in the address or in the header', async () => {
  const location = { timestamp: '2026-03-01T08:00:00.000Z', coords: { latitude: 49.01, longitude: 8.4, speed: 10 } }
  const body = JSON.stringify({ location, device_id: '902064' })
  const type = { 'content-type': 'application/json' }
  expect(await ask(`key=${key}`, { method: 'POST', headers: type, body })).toEqual(stored(2, 0))
  const headers = { ...type, authorization: `Bearer ${key}` }
  expect(await ask('', { method: 'POST', headers, body: `\uFEFF${body}\0\r\n` })).toEqual(stored(0, 2))
})

test('what has more parameters or values than any phone sends is refused', async () => {
  const names = Array.from({ length: 50_000 }, (_, index) => `x${index.toString(36)}`)
  expect(await ask(`key=${key}`, { method: 'POST', body: `${REPORT}&${names.join('&')}` })).toEqual({
    status: 413,
    body: { errorMessage: 'A form may have at most 1000 parameters.' },
  })
  const extras = Object.fromEntries(names.map(name => [name, 1]))
  const body = JSON.stringify({ location: { timestamp: 1772349330, extras }, device_id: '902064' })
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  expect(await ask(`key=${key}`, json)).toEqual({
    status: 413,
    body: { errorMessage: 'The body holds too many values: 30000 are the most.' },
  })
})

test('a report with nothing that can be kept is acknowledged, so that the phone goes on to the next', async () => {
  expect(await ask(`key=${key}&id=902064&lat=0&lon=0`)).toEqual(stored(0, 0))
  expect(await ask(`key=${key}&id=902064&lat=49&lon=8&timestamp=1`)).toEqual(stored(0, 0))
  const apart = await service.database.rows(sql`select time_ms from misdated_samples`)
  expect(apart).toEqual([{ time_ms: 1000 }])
})

test('a value as long as a body may be is left out, and costs nobody else the time to read it', async () => {
  for (const name of ['accuracy', 'altitude', 'rpm', 'speed']) {
    const body = `${REPORT}&${name}=${'1'.repeat(500_000)}x`
    expect((await ask(`key=${key}`, { method: 'POST', body })).status).toBe(200)
  }
})

test('a body that is nested too deeply is refused', async () => {
  const body = '{"location":'.repeat(50_000)
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  expect(await ask(`key=${key}`, request)).toEqual({
    status: 400,
    body: { errorMessage: 'The body is nested too deeply: 32 levels are the most.' },
  })
})

test('nothing is stored for a HEAD, without a key, or for a device of another account', async () => {
  const before = await service.database.rows(sql`select count(*) from samples`)
  const query = 'id=902064&lat=49.02&lon=8.41'
  const head = await fetch(`${service.url}/ingest/osmand?key=${key}&${query}`, { method: 'HEAD' })
  expect([head.status, head.headers.get('allow')]).toEqual([405, 'GET, POST'])
  expect(await ask(query)).toEqual({ status: 401, body: { errorMessage: 'Unauthorized.' } })
  expect((await ask(`key=${key.slice(0, -1)}&${query}`)).status).toBe(401)
  const reader = await service.key('Fleet', ['events'])
  expect((await ask(`key=${reader}&${query}`)).status).toBe(403)
  const stranger = await service.key('Strangers')
  expect(await ask(`key=${stranger}&${query}`)).toEqual({
    status: 400,
    body: { errorMessage: 'id is not a device of this account.' },
  })
  expect(await service.database.rows(sql`select count(*) from samples`)).toEqual(before)
})

test('a key opens nothing but this route from a query', async () => {
  for (const path of ['/cc/v2.0/devices', '/ingest/events'])
    expect(
      (await fetch(`${service.url}${path}?key=${key}`, { method: path.includes('cc') ? 'GET' : 'POST' })).status,
    ).toBe(401)
})

test('garbage is stored or refused in plain words, never a fault of ours', async () => {
  const name = fc.constantFrom('id', 'timestamp', 'lat', 'lon', 'location', 'speed', 'cell', 'ignition', 'alarm', 'x')
  const parameters = fc
    .array(fc.tuple(name, garbageText), { maxLength: 6 })
    .map(pairs => new URLSearchParams([...pairs, ['id', '5']]).toString())
  const field = fc.constantFrom('timestamp', 'coords', 'is_moving', 'extras', 'alarm')
  const json = fc.tuple(field, garbageJson).map(([broken, value]) => {
    const location = { timestamp: '2026-03-01T08:00:00Z', coords: { latitude: 1, longitude: 1 }, [broken]: value }
    return JSON.stringify({ location, device_id: '5' })
  })
  const request = fc.oneof(
    parameters.map(query => [query, {}] as const),
    parameters.map(query => ['', { method: 'POST', body: query, headers: { 'content-type': 'text/plain' } }] as const),
    fc
      .oneof(json, garbageJsonText)
      .map(body => ['', { method: 'POST', body, headers: { 'content-type': 'application/json' } }] as const),
  )
  await fc.assert(
    fc.asyncProperty(request, async ([query, sent]) => {
      const { status, body } = await ask(`key=${key}&${query}`, sent)
      expect([200, 400]).toContain(status)
      expect(Object.keys(body)).toEqual(status === 200 ? ['accepted', 'duplicates'] : ['errorMessage'])
    }),
    { numRuns: deep(25), endOnFailure: true },
  )
})

test('a key in an address is in no log, whatever becomes of the request', async () => {
  const nobodyThere = await freePort()
  await ask(`key=${key}&id=x`)
  await ask(`key=${key}&%`, { method: 'PUT' })
  await ask(`key=${key}`, { method: 'POST', body: 'x'.repeat(2_000_000) })
  await fetch(`${service.url}/ingest/osmand/%?key=${key}`)
  await fetch(`${service.url}/ingest/nothing?key=${key}`)
  await fetch(`${service.intakeUrl}/ingest/osmand?key=${key}&id=x`)
  const api = await startApiRole({ config: service.config, log, intakeUrl: () => `http://127.0.0.1:${nobodyThere}` })
  const unanswered = await fetch(`http://127.0.0.1:${api.port}/ingest/osmand?key=${key}&id=x`)
  await api.stop()
  expect(unanswered.status).toBe(503)
  expect(logged).toContain('the intake does not answer')
  expect(logged).toContain('/ingest/osmand')
  expect(logged).not.toContain(key)
})
