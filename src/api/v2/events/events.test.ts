import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../../../../test/service.ts'

const DEVICE = 356307042441013
const OTHER = 356307042441021

interface EventItem {
  readonly event_type: string
  readonly value: unknown
  readonly device_id: number
  readonly recorded_timestamp: string
}

describe('GET /events', () => {
  let service: TestService
  let key: string

  const get = async (query: string, token = key) => {
    const reply = await fetch(`${service.baseUrl}/events?${query}`, { headers: { authorization: `Bearer ${token}` } })
    return { reply, body: (await reply.json()) as EventItem[] }
  }
  const send = async (events: readonly object[]) => {
    const reply = await fetch(`${service.url}/ingest/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(events),
    })
    expect(reply.status).toBe(200)
  }
  /** Follows the Link headers from a first page to the last one. */
  const walk = async (query: string) => {
    const pages: EventItem[][] = []
    let url: string | undefined = `${service.baseUrl}/events?${query}`
    while (url !== undefined) {
      const reply: Response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
      pages.push((await reply.json()) as EventItem[])
      const next: string | undefined = /<(.*)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1]
      url = next === undefined ? undefined : new URL(next, url).href
    }
    return pages
  }

  beforeAll(async () => {
    service = await startService()
    key = await service.key('Fleet')
    const events = []
    for (let second = 0; second < 40; second++)
      for (const deviceId of [DEVICE, OTHER]) {
        const recordedTimestamp = new Date(Date.UTC(2020, 1, 22, 12, 0, second)).toISOString()
        events.push(
          { deviceId, recordedTimestamp, eventType: 'POSITION', value: { lat: 49, lon: 8 + second / 1000 } },
          { deviceId, recordedTimestamp, eventType: 'GPS_SPEED', value: second + 0.5 },
          { deviceId, recordedTimestamp, eventType: 'BATTERY_VOLTAGE', value: second < 20 ? 12.5 : 14.2 },
          { deviceId, recordedTimestamp, eventType: 'IS_MOVING', value: second > 0 },
        )
      }
    await send(events)
  })
  afterAll(() => service.stop())

  it.each([
    [`deviceId=${DEVICE}&fromTimestamp=2020-01-01`, 40 * 4 + 20],
    [`deviceId=${DEVICE}`, 40 * 4 + 20],
    ['fromTimestamp=2020-01-01', 2 * (40 * 4 + 20)],
    ['', 2 * (40 * 4 + 20)],
    [`vehicleId=IMEI_${OTHER}&fromTimestamp=2020-01-01`, 40 * 4 + 20],
    ['eventType=BATTERY_STATE&fromTimestamp=2020-01-01', 2 * 20],
    ['eventType=BATTERY_STATE,%20GPS_SPEED&eventType=NONSENSE', 2 * 60],
    ['filterTimestamp=2020-01-01', 2 * (40 * 4 + 20)],
    [`filterTimestamp=2020-01-01&deviceId=${OTHER}&eventType=POSITION`, 40],
  ])('gives every event of "%s" once, whatever the size of the page', async (query, count) => {
    const { body: whole } = await get(`${query}&maxResults=10000`)
    expect(whole).toHaveLength(count)
    for (const size of [1, 7, 180]) {
      if (size === 1 && count > 100) continue
      const pages = await walk(`${query}&maxResults=${size}`)
      expect(pages.slice(0, -1).every(page => page.length === size)).toBe(true)
      const isNewestFirst = !query.includes('from') && !query.includes('filter')
      expect((isNewestFirst ? pages.toReversed() : pages).flat()).toEqual(whole)
    }
  })

  it('gives texts and units of every script as they are', async () => {
    const value = 'Größe "groß" ° 日本 🚗 \\'
    await send([
      { deviceId: DEVICE, recordedTimestamp: '2019-05-05T05:05:04Z', eventType: 'ICCID', value },
      {
        deviceId: DEVICE,
        recordedTimestamp: '2019-05-05T05:05:04Z',
        eventType: 'AMBIENT_AIR_TEMPERATURE',
        value: -3.5,
      },
    ])
    const { body } = await get('fromTimestamp=2019-05-05T05:05:04Z&toTimestamp=2019-05-05T05:05:04Z')
    expect(body).toEqual([
      expect.objectContaining({ event_type: 'AMBIENT_AIR_TEMPERATURE', value: -3.5, unit: '°C' }),
      expect.objectContaining({ event_type: 'ICCID', value }),
    ])
  })

  it('sends late events to a client that follows with filterTimestamp', async () => {
    const { reply } = await get('filterTimestamp=2020-01-01&maxResults=10000')
    const revision = reply.headers.get('x-modify-timestamp') ?? ''
    await send([{ deviceId: DEVICE, recordedTimestamp: '2019-05-05T05:05:05Z', eventType: 'MILEAGE', value: 7 }])
    expect((await get(`filterTimestamp=${revision}`)).body).toEqual([
      expect.objectContaining({ event_type: 'MILEAGE', value: 7 }),
    ])
  })
})
