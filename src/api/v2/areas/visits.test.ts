import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ingestClient } from '../../../../test/ingest-client.ts'
import { expectDocumented } from '../../../../test/openapi-conformity.ts'
import { startService, type TestService } from '../../../../test/service.ts'
import { settled } from '../../../../test/settled.ts'
import { ALL_PERMISSIONS } from '../../../catalogue/permissions.ts'
import type { Visit } from './visits.ts'

/** A car stands in the depot for an hour, drives 6 km to the north in ten minutes, and stands with a customer for an hour. */
const DEVICE = 356307042441013
const CAR = `IMEI_${DEVICE}`
const START_MS = Date.UTC(2026, 0, 12, 8)
const METRES_PER_DEGREE = 111_195

let service: TestService
let key: string
beforeAll(async () => {
  service = await startService()
  key = await service.key('Fleet')
  const at = (second: number, northM: number, isOn: boolean) => {
    const event = { deviceId: DEVICE, recordedTimestamp: instant(second) }
    return [
      { ...event, eventType: 'IS_IGNITION_ON', value: isOn },
      { ...event, eventType: 'POSITION', value: `POINT(8.4 ${49 + northM / METRES_PER_DEGREE})` },
    ]
  }
  const standing = (second: number, northM: number) =>
    Array.from({ length: 12 }, (_, index) => at(second + index * 300, northM, false))
  const driving = Array.from({ length: 61 }, (_, index) => at(3600 + index * 10, index * 100, true))
  const events = [...standing(0, 0), ...driving, ...standing(4210, 6000)].flat()
  // The last part first, as a dongle sends that was out of reach.
  const sender = ingestClient(service.intakeUrl, key)
  await sender.store(events.slice(100))
  await sender.store(events.slice(0, 100))
  await settled(service.database)
})
afterAll(() => service.stop())

const instant = (second: number) => new Date(START_MS + second * 1000).toISOString()
const PERIOD = { fromTimestamp: instant(-3600), toTimestamp: instant(86_400) }
const around = (northM: number, radiusM: number) => ({
  geometry: { type: 'Point', coordinates: [8.4, 49 + northM / METRES_PER_DEGREE] },
  radiusM,
})

async function ask(method: string, path: string, body?: object, token = key, headers: Record<string, string> = {}) {
  const reply = await fetch(service.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  await expectDocumented(
    { statusCode: reply.status, headers: Object.fromEntries(reply.headers), body: text },
    method,
    path,
  )
  return { status: reply.status, text, headers: reply.headers }
}

async function visitsTo(drawing: object, more: object = {}): Promise<Visit[]> {
  const { status, text } = await ask('POST', '/visits', { ...drawing, ...PERIOD, ...more })
  expect(status === 200 ? 200 : text).toBe(200)
  return (JSON.parse(text) as { visits: Visit[] }).visits
}

describe('who was in a drawing', () => {
  it('a car that stood there, until it drove away', async () => {
    expect(await visitsTo(around(0, 250))).toEqual([
      {
        vehicleId: CAR,
        deviceId: DEVICE,
        enterTimestamp: instant(0),
        leaveTimestamp: instant(3620),
        isOver: true,
        duration: 3620,
        distance: expect.closeTo(0.2, 1),
      },
    ])
  })

  it('a car that is still there', async () => {
    expect(await visitsTo(around(6000, 250))).toMatchObject([
      { enterTimestamp: instant(4180), leaveTimestamp: instant(4210 + 11 * 300), isOver: false },
    ])
  })

  it('a car that only passed counts when short stays do', async () => {
    expect(await visitsTo(around(3000, 310))).toEqual([])
    expect(await visitsTo(around(3000, 310), { shortestStayS: 0 })).toMatchObject([
      { enterTimestamp: instant(3870), leaveTimestamp: instant(3930), duration: 60, distance: expect.closeTo(0.6, 1) },
    ])
  })

  it('only in the period, and only the car that is asked for', async () => {
    const half = { fromTimestamp: instant(600), toTimestamp: instant(1500) }
    expect(await visitsTo(around(0, 250), half)).toMatchObject([
      { enterTimestamp: instant(600), leaveTimestamp: instant(1500), isOver: false },
    ])
    expect(await visitsTo(around(0, 250), { toTimestamp: instant(-1) })).toEqual([])
    expect(await visitsTo(around(0, 250), { vehicleId: CAR })).toHaveLength(1)
    expect(await visitsTo(around(0, 250), { vehicleId: 'IMEI_1' })).toEqual([])
  })

  it('as a table', async () => {
    const { text, headers } = await ask('POST', '/visits', { ...around(0, 250), ...PERIOD }, key, {
      accept: 'text/csv',
    })
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(text.split('\r\n')).toEqual([
      'vehicleId,deviceId,enterTimestamp,leaveTimestamp,isOver,duration,distance',
      expect.stringMatching(new RegExp(`^${CAR},${DEVICE},${instant(0)},${instant(3620)},true,3620,0\\.2\\d*$`)),
      '',
    ])
  })

  it.each([
    [
      { ...around(0, 250), fromTimestamp: '2020-01-01', toTimestamp: '2022-01-01' },
      /^fromTimestamp must be at most 366 days/,
    ],
    [{ ...around(0, 0) }, /^geometry has radiusM 0/],
    [{ ...around(0, 250), toTimestamp: 'now' }, /^toTimestamp must be an ISO 8601 timestamp/],
    [{ ...around(0, 250), shortestStayS: -1 }, /^shortestStayS /],
  ])('%j is refused with what is wrong', async (body, message) => {
    const { status, text } = await ask('POST', '/visits', body)
    expect([status, JSON.parse(text)]).toEqual([400, { errorMessage: expect.stringMatching(message) }])
  })
})

describe('who was in an area', () => {
  it('as it was drawn then, unless asked otherwise', async () => {
    const drawn = await ask('POST', '/areas', { name: 'Depot', ...around(0, 250) })
    const { id } = JSON.parse(drawn.text) as { id: string }
    await ask('PUT', `/areas/${id}`, { name: 'Depot', ...around(6000, 250), validFromTimestamp: instant(5000) })
    const entered = async (query: string) => {
      const { text } = await ask('GET', `/areas/${id}/visits?${new URLSearchParams(PERIOD).toString()}${query}`)
      return (JSON.parse(text) as { visits: Visit[] }).visits.map(visit => visit.enterTimestamp)
    }
    expect(await entered('')).toEqual([instant(0), instant(5110)])
    expect(await entered('&drawing=NOW')).toEqual([instant(4180)])
  })

  it('is told to who may see both areas and positions, of the own account', async () => {
    const drawn = await ask('POST', '/areas', { name: 'Depot', ...around(0, 250) })
    const { id } = JSON.parse(drawn.text) as { id: string }
    for (const missing of ['areas', 'positions']) {
      const half = await service.key(
        'Fleet',
        ALL_PERMISSIONS.filter(permission => permission !== missing),
      )
      const { status, text } = await ask('GET', `/areas/${id}/visits`, undefined, half)
      expect([status, text]).toEqual([403, expect.stringContaining(missing)])
    }
    const stranger = await service.key('Others')
    expect((await ask('GET', `/areas/${id}/visits`, undefined, stranger)).status).toBe(404)
    const { text } = await ask('POST', '/visits', { ...around(0, 250), ...PERIOD }, stranger)
    expect(text).toBe('{"visits":[]}')
  })
})
