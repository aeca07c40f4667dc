import fc from 'fast-check'
import { afterAll, describe, expect, it, test } from 'vitest'
import { deep } from '../../../test/deep.ts'
import { garbageJson, garbageJsonText } from '../../../test/garbage-values.ts'
import { startService } from '../../../test/service.ts'
import { sql } from '../../db/sql.ts'

const IMEI = '356307042441013'

let key = ''
const service = await startService()
key = await service.key('Fleet', ['ingest', 'events'])
afterAll(() => service.stop())

async function send(body: unknown, { path = '/ingest/traccar', token = key, type = 'application/json' } = {}) {
  const reply = await fetch(service.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
}

const forwarded = (deviceTime: string, attributes = {}, uniqueId = IMEI) => ({
  position: {
    deviceTime,
    fixTime: deviceTime,
    valid: true,
    latitude: 49.01,
    longitude: 8.4,
    altitude: 0,
    speed: 10,
    course: 84,
    attributes,
  },
  device: { uniqueId },
})

test('a forwarded position is stored once, under the public address', async () => {
  const body = forwarded('2026-03-02T07:15:30.000+00:00', { ignition: true, obdOdometer: 48211400 })
  expect(await send(body)).toEqual({ status: 200, body: { accepted: 5, duplicates: 0 } })
  expect(await send(`\uFEFF${JSON.stringify(body)}\0`)).toEqual({ status: 200, body: { accepted: 0, duplicates: 5 } })
  const reply = await fetch(`${service.baseUrl}/events?deviceId=${IMEI}&fromTimestamp=2026-03-02&eventType=MILEAGE`, {
    headers: { authorization: `Bearer ${key}` },
  })
  expect(await reply.json()).toEqual([expect.objectContaining({ event_type: 'MILEAGE', value: 48211.4 })])
})

test('a body that is nested too deeply is refused', async () => {
  expect(await send('['.repeat(50_000))).toEqual({
    status: 400,
    body: { errorMessage: 'The body is nested too deeply: 32 levels are the most.' },
  })
})

test('a drive that Traccar forwards is a trip', async () => {
  const imei = '356307042441039'
  for (const [minute, ignition] of [true, true, true, false, false, false].entries()) {
    const body = forwarded(
      `2026-03-03T07:${15 + 2 * minute}:00.000+00:00`,
      { ignition, obdOdometer: 48_000_005 + 1000 * minute },
      imei,
    )
    expect((await send(body)).status).toBe(200)
  }
  const token = await service.key('Fleet', ['trips'])
  const reply = await fetch(`${service.baseUrl}/trips?deviceId=${imei}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { trips } = (await reply.json()) as { readonly trips: readonly unknown[] }
  expect(trips).toEqual([
    expect.objectContaining({
      tripStartTimestamp: '2026-03-03T07:15:00.000Z',
      tripEndTimestamp: '2026-03-03T07:21:00.000Z',
      distance: 3,
    }),
  ])
})

test('an array of bodies is stored whole, what stands for one instant together', async () => {
  const [first, second] = ['2026-03-02T08:00:00.000+00:00', '2026-03-02T08:00:10.000+00:00'] as const
  const bodies = [forwarded(first), forwarded(second), forwarded(first, { ignition: true })]
  expect(await send(bodies)).toEqual({ status: 200, body: { accepted: 7, duplicates: 0 } })
  expect(await send([])).toEqual({ status: 200, body: { accepted: 0, duplicates: 0 } })
})

test('the meter that is MILEAGE is chosen in the address', async () => {
  const body = forwarded('2026-03-02T09:00:00.000+00:00', { odometer: 3200 })
  expect(await send(body)).toMatchObject({ body: { accepted: 3 } })
  expect(await send(body, { path: '/ingest/traccar?odometer=device' })).toMatchObject({ body: { accepted: 1 } })
  expect(await send(body, { path: '/ingest/traccar?odometer=both' })).toEqual({
    status: 400,
    body: { errorMessage: expect.stringContaining('odometer') },
  })
})

test('what a tracker with a wrong clock measured is acknowledged and kept apart', async () => {
  const imei = '356307042441021'
  expect(await send(forwarded('1999-12-31T00:00:00.000+00:00', {}, imei))).toEqual({
    status: 200,
    body: { accepted: 0, duplicates: 0 },
  })
  const count = await service.database.rows(sql`select time_ms from misdated_samples where device_id = ${Number(imei)}`)
  expect(count).toEqual([{ time_ms: Date.UTC(1999, 11, 31) }])
})

test('attributes that no event type holds are counted by their names, however many a sender makes up', async () => {
  const madeUp = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`made up ${index}`, 1]))
  await send(forwarded('2026-03-02T10:00:00.000+00:00', { io24: 5, alarm: 'sos', ...madeUp }))
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  const lines = metrics.split('\n').filter(line => line.startsWith('tacho_left_out_values_total{'))
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/gateway="traccar",name="io24".*\} 1$/),
      expect.stringMatching(/gateway="traccar",name="alarm:sos".*\} 1$/),
      expect.stringMatching(/gateway="traccar",name="other".*\} 2000$/),
    ]),
  )
})

describe('a request that is refused', () => {
  const time = '2026-03-02T11:00:00.000+00:00'

  it('needs a key with the ingest permission', async () => {
    const reader = await service.key('Fleet', ['events'])
    expect((await send(forwarded(time), { token: reader })).status).toBe(403)
    expect((await send(forwarded(time), { token: 'nonsense' })).status).toBe(401)
    const inQuery = await fetch(`${service.url}/ingest/traccar?key=${key}`, { method: 'POST' })
    expect(inQuery.status).toBe(401)
  })

  it('names the device of another account', async () => {
    await send(forwarded(time))
    const token = await service.key('Strangers')
    expect(await send([forwarded(time, {}, '17'), forwarded(time)], { token })).toEqual({
      status: 400,
      body: { errorMessage: '[1].device.uniqueId is not a device of this account.' },
    })
  })

  it('is one that is no JSON, or too large, or has another method', async () => {
    expect((await send('nonsense')).status).toBe(400)
    expect((await send('')).status).toBe(400)
    expect((await send('id=1', { type: 'application/x-www-form-urlencoded' })).status).toBe(415)
    expect(await send(Array.from({ length: 1001 }, () => 0))).toEqual({
      status: 413,
      body: { errorMessage: 'A request may hold at most 1000 positions.' },
    })
    expect(await send(forwarded(time, { name: 'x'.repeat(256 * 1024) }))).toEqual({
      status: 413,
      body: { errorMessage: 'The body is too large: 262144 bytes are the most.' },
    })
    const reply = await fetch(`${service.url}/ingest/traccar`)
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'POST'])
  })
})

test('garbage is stored or refused in plain words, never a fault of ours', async () => {
  const field = fc.constantFrom(
    'deviceTime',
    'fixTime',
    'valid',
    'latitude',
    'speed',
    'attributes',
    'network',
    'course',
  )
  const attribute = fc.constantFrom(
    'ignition',
    'power',
    'vin',
    'dtcs',
    'alarm',
    'motion',
    'obdOdometer',
    'versionFw',
    'x',
  )
  const body = fc
    .tuple(field, attribute, garbageJson, garbageJson, fc.boolean())
    .map(([name, known, one, two, isWhole]) => {
      const { position, device } = forwarded('2026-03-02T12:00:00.000+00:00')
      const broken = { ...position, attributes: { [known]: two }, ...(isWhole ? {} : { [name]: one }) }
      return JSON.stringify({ position: broken, device })
    })
  await fc.assert(
    fc.asyncProperty(fc.oneof(body, body, garbageJsonText), async text => {
      const { status, body: answer } = await send(text)
      expect([200, 400]).toContain(status)
      expect(Object.keys(answer)).toEqual(status === 200 ? ['accepted', 'duplicates'] : ['errorMessage'])
    }),
    { numRuns: deep(25), endOnFailure: true },
  )
})
