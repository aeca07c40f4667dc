import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { startService } from '../../../test/service.ts'
import { sql } from '../../db/sql.ts'

const DEVICE = 356307042441013

const service = await startService()
const key = await service.key('Fleet')
afterAll(() => service.stop())

describe('POST /ingest/events', () => {
  const send = async (body: unknown, headers: Record<string, string> = {}, path = 'events') => {
    const reply = await fetch(`${service.url}/ingest/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    })
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
  }
  const event = (overrides: Record<string, unknown> = {}) => ({
    deviceId: DEVICE,
    recordedTimestamp: '2020-02-22T14:37:07.797Z',
    eventType: 'GPS_SPEED',
    value: 48.5,
    ...overrides,
  })

  it('stores events once and reports a repeat as duplicates', async () => {
    const batch = [
      event(),
      event({ eventType: 'POSITION', value: 'POINT(8.4 49.01)' }),
      event({ eventType: 'VIN', value: 'WVWZZZ1JZ3W386752' }),
    ]
    expect(await send(batch)).toEqual({ status: 200, body: { accepted: 3, duplicates: 0 } })
    expect(await send({ events: batch })).toEqual({ status: 200, body: { accepted: 0, duplicates: 3 } })
    const rows = await service.database.rows(sql`select unpack_numbers(numbers, 3) as numbers, texts from samples`)
    expect(rows).toEqual([{ numbers: [48.5, 8.4, 49.01], texts: ['WVWZZZ1JZ3W386752'] }])
  })

  it('takes snake_case names, newline-delimited JSON and gzip', async () => {
    const snake = {
      device_id: DEVICE,
      recorded_timestamp: '2020-02-22T14:38:00Z',
      event_type: 'POSITION',
      data_type: 'GEO',
      value: { lat: 49, lon: 8 },
    }
    expect(await send([snake])).toEqual({ status: 200, body: { accepted: 1, duplicates: 0 } })
    const lines = [1, 2, 3]
      .map(second => JSON.stringify(event({ recordedTimestamp: `2020-02-22T15:00:0${second}Z` })))
      .join('\n')
    expect(await send(lines, { 'content-type': 'application/x-ndjson' })).toEqual({
      status: 200,
      body: { accepted: 3, duplicates: 0 },
    })
    const zipped = gzipSync(JSON.stringify([event({ recordedTimestamp: '2020-02-22T16:00:00Z' })]))
    expect(await send(zipped, { 'content-encoding': 'gzip' })).toEqual({
      status: 200,
      body: { accepted: 1, duplicates: 0 },
    })
  })

  it('leaves out numbers that are not available, and counts them; texts lose their padding', async () => {
    const at = { recordedTimestamp: '2020-02-22T16:30:00Z' }
    const events = [
      event({ ...at, eventType: 'ENGINE_RPM_AVERAGE', value: 65_535 }),
      event({ ...at, eventType: 'VEHICLE_SPEED_AVERAGE', value: 255 }),
      event({ ...at, eventType: 'OBD_DTC_PERMANENT', value: 'P0301\0P0420\0' }),
    ]
    expect(await send(events)).toEqual({ status: 200, body: { accepted: 1, duplicates: 0 } })
    const rows = await service.database.rows(sql`select numbers, texts from samples where texts = '{P0301 P0420}'`)
    expect(rows).toHaveLength(1)
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    expect(metrics).toMatch(/tacho_left_out_values_total\{gateway="events",name="ENGINE_RPM_AVERAGE".*\} 1/)
  })

  it.each([
    ['a byte order mark', 'json', (text: string) => `\uFEFF${text}`],
    ['NULs and a line break', 'json', (text: string) => `\uFEFF${text}\0\0\n\0`],
    ['a byte order mark on each line', 'x-ndjson', (text: string) => `\uFEFF${text.slice(1, -1)}\r\n\uFEFF\n\0`],
    ['a large body', 'json', (text: string) => `\uFEFF${text.padEnd(300_000)}\0`],
    ['another encoding', 'json', (text: string) => Buffer.from(text.replace('{', '{"place":"Höfe",'), 'latin1')],
    ['large lines', 'x-ndjson', (text: string) => `\uFEFF${text.slice(1, -1).padEnd(300_000)}\n\0\0`],
  ])('takes what some senders put around JSON: %s', async (what, type, around) => {
    const deviceId = DEVICE + what.length
    const text = JSON.stringify([event({ deviceId, recordedTimestamp: '2026-11-27T11:00Z' })])
    const reply = await send(around(text), { 'content-type': `application/${type}` })
    expect(reply).toEqual({ status: 200, body: { accepted: 1, duplicates: 0 } })
    const rows = await service.database.rows(sql`select time from samples where device_id = ${deviceId}`)
    expect(rows).toEqual([{ time: '2026-11-27T11:00:00.000000Z' }])
  })

  it.each(['[]\0x', '\0[]', '[\0]', '\uFEFF', '\0'])('refuses what is not JSON: %j', async text => {
    expect(await send(text)).toMatchObject({ status: 400, body: { errorMessage: 'The body is not valid JSON.' } })
  })

  it('merges what arrives for one instant, the greater value winning', async () => {
    const at = '2020-02-22T17:00:00Z'
    await send([event({ recordedTimestamp: at, value: 10 })])
    expect(
      await send([
        event({ recordedTimestamp: at, value: 12 }),
        event({ recordedTimestamp: at, eventType: 'MILEAGE', value: 5 }),
      ]),
    ).toEqual({ status: 200, body: { accepted: 2, duplicates: 0 } })
    expect(await send([event({ recordedTimestamp: at, value: 11 })])).toEqual({
      status: 200,
      body: { accepted: 0, duplicates: 1 },
    })
  })

  it.each([
    ['[{}]', 'events[0].deviceId'],
    ['{"events": 5}', 'events'],
    ['nonsense', 'JSON'],
    [JSON.stringify([event(), event({ deviceId: -1 })]), 'events[1].deviceId'],
    [JSON.stringify([event({ recordedTimestamp: 'soon' })]), 'events[0].recordedTimestamp'],
    [JSON.stringify([event({ recordedTimestamp: '' })]), 'events[0].recordedTimestamp'],
    [JSON.stringify([event(), event({ recordedTimestamp: '' })]), 'events[1].recordedTimestamp'],
    [JSON.stringify([event({ recordedTimestamp: '1999-12-31T23:59:59Z' })]), 'events[0].recordedTimestamp'],
    [
      JSON.stringify([event({ recordedTimestamp: new Date(Date.now() + 600_000).toISOString() })]),
      'events[0].recordedTimestamp',
    ],
    [JSON.stringify([event({ eventType: 'NONSENSE' })]), 'events[0].eventType'],
    [JSON.stringify([event({ value: '48' })]), 'events[0].value'],
    [JSON.stringify([event({ eventType: 'POSITION', value: 'POINT(200 1)' })]), 'events[0].value'],
    [JSON.stringify([event({ unit: 'mph' })]), 'events[0].unit'],
    [JSON.stringify([event({ unitId: 10 })]), 'events[0].unitId'],
    [JSON.stringify([event({ dataType: 'STRING' })]), 'events[0].dataType'],
    [JSON.stringify([event({ eventType: 'VIN', value: 'a\0b' })]), 'events[0].value'],
  ])('refuses %s whole, naming %s', async (body, named) => {
    const reply = await send(body)
    expect(reply.status).toBe(400)
    expect(reply.body.errorMessage).toContain(named)
    expect(Object.keys(reply.body)).toEqual(['errorMessage'])
  })

  it.each([
    ['nested brackets', '['.repeat(10_000_000), 'The body unpacks to more than 200 times its size.'],
    ['one text', JSON.stringify([event({ value: 'x'.repeat(10_000_000) })]), 'unpacks to more than 200 times'],
  ])('refuses a little gzip that unpacks to %s', async (_what, body, said) => {
    const reply = await send(gzipSync(body), { 'content-encoding': 'gzip' })
    expect(reply).toEqual({ status: 413, body: { errorMessage: expect.stringContaining(said) } })
  })

  it('refuses what is nested too deeply or holds too much, as JSON and as lines', async () => {
    const nested = `[${'['.repeat(50_000)}`
    expect(await send(nested)).toEqual({
      status: 400,
      body: { errorMessage: 'The body is nested too deeply: 32 levels are the most.' },
    })
    expect((await send(nested, { 'content-type': 'application/x-ndjson' })).status).toBe(400)
    const many = `[${'{},'.repeat(2_000_000)}{}]`
    expect(await send(many)).toEqual({
      status: 413,
      body: { errorMessage: 'The body holds too many values: 1600000 are the most.' },
    })
  })

  it('stores a body that is long and very regular', async () => {
    const start = Date.UTC(2021, 0, 1)
    const events = Array.from({ length: 20_000 }, (_, second) =>
      event({ recordedTimestamp: new Date(start + second * 1000).toISOString() }),
    )
    const reply = await send(gzipSync(JSON.stringify(events), { level: 9 }), { 'content-encoding': 'gzip' })
    expect(reply).toEqual({ status: 200, body: { accepted: 20_000, duplicates: 0 } })
  })

  it('refuses a batch whole for a device of another account', async () => {
    const stranger = await service.key('Strangers')
    const before = await service.database.rows(sql`select count(*) from samples`)
    const reply = await fetch(`${service.url}/ingest/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stranger}`, 'content-type': 'application/json' },
      body: JSON.stringify([event({ deviceId: 356307042441021 }), event()]),
    })
    expect(reply.status).toBe(400)
    expect(await reply.json()).toEqual({ errorMessage: expect.stringContaining('events[1].deviceId') })
    expect(await service.database.rows(sql`select count(*) from samples`)).toEqual(before)
  })

  it('needs a key with the ingest permission', async () => {
    const reader = await service.key('Fleet', ['events'])
    expect((await send([event()], { authorization: `Bearer ${reader}` })).status).toBe(403)
    expect((await send([event()], { authorization: 'Bearer nonsense' })).status).toBe(401)
    expect((await send('[]', { 'content-type': 'text/plain' })).status).toBe(415)
    for (const path of ['events', 'traccar', 'osmand'])
      expect((await send('[]', { 'content-encoding': 'br' }, path)).status).toBe(415)
    expect((await send('not gzip', { 'content-encoding': 'gzip' })).status).toBe(400)
  })
})
