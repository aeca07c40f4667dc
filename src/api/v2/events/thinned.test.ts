import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ingestClient, type SentEvent } from '../../../../test/ingest-client.ts'
import { startService, type TestService } from '../../../../test/service.ts'
import { settled } from '../../../../test/settled.ts'
import { bucketsOf } from './thinning.ts'

const DEVICE = 356307042441013
const START_MS = Date.UTC(2020, 1, 22, 12)
const SECONDS = 3600
/** More samples than come in one chunk. */
const SAMPLES = 3000
const RANGE = 'fromTimestamp=2020-02-22T12:00:00Z&toTimestamp=2020-02-22T12:59:59.999Z'
const RANGE_MS = { fromMs: START_MS, toMs: START_MS + SECONDS * 1000 }

interface EventItem {
  readonly event_type: string
  readonly value: unknown
  readonly device_id: number
  readonly recorded_timestamp: string
}

describe('GET /events with maxPoints', () => {
  let service: TestService
  let key: string

  const get = async (query: string, token = key) => {
    const reply = await fetch(`${service.baseUrl}/events?${query}`, { headers: { authorization: `Bearer ${token}` } })
    return { reply, body: (await reply.json()) as EventItem[] }
  }
  /** Every event of a query, page by page. */
  const walk = async (query: string) => {
    const events: EventItem[] = []
    let path: string | undefined = `/cc/v2.0/events?${query}&maxResults=10000`
    while (path !== undefined) {
      const reply: Response = await fetch(service.url + path, { headers: { authorization: `Bearer ${key}` } })
      events.push(...((await reply.json()) as EventItem[]))
      path = /<(.*)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1]
    }
    return events
  }

  beforeAll(async () => {
    service = await startService()
    key = await service.key('Fleet')
    const client = ingestClient(service.intakeUrl, key)
    const events: SentEvent[] = []
    for (let index = 0; index < SAMPLES; index++) {
      // A silence of ten minutes in the middle.
      const second = index < SAMPLES / 2 ? index : index + 600
      const recordedTimestamp = new Date(START_MS + second * 1000).toISOString()
      const send = (eventType: string, value: SentEvent['value']) =>
        events.push({ deviceId: DEVICE, recordedTimestamp, eventType, value })
      send('GPS_SPEED', Math.round(60 + 40 * Math.sin(index / 50)) + (index % 7) / 8)
      send('BATTERY_VOLTAGE', index % 1000 < 500 ? 12.25 : 14.5)
      send('IS_MOVING', index % 400 > 20)
      if (index % 500 === 0) send('MILEAGE', index)
      if (index === 700) send('ICCID', 'Größe "groß" ° 日本 🚗 \\')
      send('POSITION', { lat: 49, lon: 8 + index / 10_000 })
    }
    await client.store(events)
  })
  afterAll(() => service.stop())

  it('gives, as they are without it, the events of each bucket that draw the picture', async () => {
    const query = `deviceId=${DEVICE}&${RANGE}&eventType=GPS_SPEED`
    const whole = await walk(query)
    expect(whole).toHaveLength(SAMPLES)
    const { body } = await get(`${query}&maxPoints=400`)
    const { fromMs, bucketMs } = bucketsOf(RANGE_MS, 400)
    const indexOf = (event: EventItem) => Math.floor((Date.parse(event.recorded_timestamp) - fromMs) / bucketMs)
    const expected = Array.from({ length: 100 }, (_, index) => {
      const bucket = whole.filter(event => indexOf(event) === index)
      const values = bucket.map(({ value }) => Number(value))
      const places = [0, values.indexOf(Math.min(...values)), values.indexOf(Math.max(...values)), bucket.length - 1]
      return bucket.filter((_event, place) => places.includes(place))
    }).flat()
    expect(body).toEqual(expected)
    expect(body.length).toBeLessThanOrEqual(400)
  })

  it('gives short series whole, in the order and the shape of the list, whatever maxResults says', async () => {
    const query = `deviceId=${DEVICE}&${RANGE}&eventType=BATTERY_STATE,BATTERY_VOLTAGE,ICCID,IS_MOVING,MILEAGE,NONSENSE`
    const { reply, body } = await get(`${query}&maxPoints=10000&maxResults=1`)
    expect(reply.headers.get('link')).toBeNull()
    expect(body).toEqual(await walk(query))
  })

  it('thins each event type on its own, in one order', async () => {
    const query = `deviceId=${DEVICE}&${RANGE}&maxPoints=40`
    const types = ['BATTERY_STATE', 'GPS_SPEED', 'IS_MOVING', 'MILEAGE']
    const { body } = await get(`${query}&eventType=${types.join(',')}`)
    for (const type of types)
      expect(body.filter(event => event.event_type === type)).toEqual((await get(`${query}&eventType=${type}`)).body)
    expect(body.filter(event => event.event_type === 'MILEAGE')).toHaveLength(6)
    const places = body.map(event => `${event.recorded_timestamp} ${event.event_type}`)
    expect(places).toEqual([...places].sort())
  })

  it('shows both ends of a silence', async () => {
    const { body } = await get(`deviceId=${DEVICE}&${RANGE}&eventType=GPS_SPEED&maxPoints=40`)
    const times = body.map(event => event.recorded_timestamp)
    const before = times.indexOf('2020-02-22T12:24:59.000Z')
    expect(times[before + 1]).toBe('2020-02-22T12:35:00.000Z')
  })

  it('is for a vehicle, too, and shows another account and unknown ids nothing', async () => {
    const query = `${RANGE}&eventType=GPS_SPEED&maxPoints=40`
    const { body } = await get(`deviceId=${DEVICE}&${query}`)
    expect((await get(`vehicleId=IMEI_${DEVICE}&${query}`)).body).toEqual(body)
    const stranger = await service.key('Strangers')
    for (const id of [`deviceId=${DEVICE}`, `vehicleId=IMEI_${DEVICE}`])
      expect((await get(`${id}&${query}`, stranger)).body).toEqual([])
    for (const id of ['deviceId=5', 'vehicleId=VINNOTHERE', 'tripId=7', 'tripId=x'])
      expect((await get(`${id}&${query}`)).body).toEqual([])
    expect((await get(`deviceId=${DEVICE}&${RANGE}&eventType=NONSENSE&maxPoints=40`)).body).toEqual([])
  })

  it('is for a vehicle over weeks, from each device only the time in which it was in there', async () => {
    const vin = 'WVWZZZ1KZAW000001'
    const [first, second] = [356307042441021, 356307042441039]
    const dayMs = 86_400_000
    const fromMs = Date.UTC(2021, 2, 1)
    const events: SentEvent[] = []
    const send = (deviceId: number, day: number, eventType: string, value: SentEvent['value']) =>
      events.push({ deviceId, recordedTimestamp: new Date(fromMs + day * dayMs).toISOString(), eventType, value })
    for (let day = 0; day < 60; day++) {
      // A VIN counts when it was read twice.
      if (day < 2) send(first, day, 'VIN', vin)
      if (day < 2) send(second, day, 'VIN', 'WBA3A5C58DF000002')
      if (day === 25 || day === 26) send(second, day, 'VIN', vin)
      send(first, day, 'MILEAGE', 1000 + day)
      send(second, day, 'MILEAGE', 5000 + day)
    }
    await ingestClient(service.intakeUrl, key).store(events)
    await settled(service.database)
    const query = `vehicleId=VIN${vin}&fromTimestamp=2021-03-01&toTimestamp=2021-06-01&eventType=MILEAGE`
    const whole = await walk(query)
    expect(new Set(whole.map(event => event.device_id))).toEqual(new Set([first, second]))
    expect(whole.length).toBeLessThan(2 * 60)
    expect((await get(`${query}&maxPoints=100`)).body).toEqual(whole)
    const { body } = await get(`${query}&maxPoints=16`)
    expect(body.length).toBeLessThan(whole.length)
    for (const deviceId of [first, second]) {
      const ofDevice = body.filter(event => event.device_id === deviceId)
      const all = whole.filter(event => event.device_id === deviceId)
      expect([ofDevice[0], ofDevice.at(-1)]).toEqual([all[0], all.at(-1)])
      expect(ofDevice.length).toBeLessThanOrEqual(16)
    }
  })

  it('is for a trip, within the range that is asked for', async () => {
    const reply = await fetch(`${service.baseUrl}/trips`, { headers: { authorization: `Bearer ${key}` } })
    const { trips } = (await reply.json()) as { trips: { id: string; tripEndTimestamp: string }[] }
    const [trip] = trips
    const query = `tripId=${trip?.id}&${RANGE}&eventType=IS_MOVING`
    const whole = await walk(query)
    expect(whole.length).toBeGreaterThan(100)
    expect((await get(`${query}&maxPoints=10000`)).body).toEqual(whole)
  })

  const ID = `deviceId=${DEVICE}`
  const TYPE = 'eventType=GPS_SPEED'
  it.each([
    [`${RANGE}&${TYPE}&maxPoints=40`, 'deviceId, vehicleId or tripId'],
    [`${ID}&toTimestamp=2021-01-01&${TYPE}&maxPoints=40`, 'fromTimestamp'],
    [`${ID}&fromTimestamp=2020-01-01&${TYPE}&maxPoints=40`, 'toTimestamp'],
    [`${ID}&${RANGE}&maxPoints=40`, 'eventType'],
    [`${ID}&${RANGE}&eventType=GPS_SPEED,POSITION&maxPoints=40`, 'POSITION'],
    [`${ID}&${RANGE}&${TYPE}&maxPoints=40&filterTimestamp=2020-01-01`, 'filterTimestamp'],
    [`${ID}&${RANGE}&${TYPE}&maxPoints=40&cursor=abc`, 'cursor'],
    [`${ID}&${RANGE}&${TYPE}&maxPoints=0`, 'maxPoints'],
    [`${ID}&${RANGE}&${TYPE}&maxPoints=10001`, 'maxPoints'],
    [`${ID}&${RANGE}&${TYPE}&maxPoints=4.5`, 'maxPoints'],
    [
      `${ID}&${RANGE}&maxPoints=10000&eventType=GPS_SPEED,MILEAGE,FUEL_LEVEL,BATTERY_VOLTAGE,IS_MOVING,ICCID,VIN,` +
        'ENGINE_RPM_MAX,ENGINE_RPM_MIN,ENGINE_LOAD_MAX,ENGINE_LOAD_MIN',
      '10000 times 11 times 1',
    ],
  ])('refuses %s, naming %s', async (query, name) => {
    const { reply, body } = await get(query)
    expect(reply.status).toBe(400)
    expect(body).toEqual({ errorMessage: expect.stringContaining(name) })
  })
})
