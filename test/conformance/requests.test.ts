import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DeviceList, DtcList, EventItem, TripList } from './shapes.ts'
import { type Client, startWorld, type World } from './world.ts'

const DEVICE = 356307042441013
const OTHER = 356307042441021

let world: World
let fleet: Client
let stranger: Client

beforeAll(async () => {
  world = await startWorld()
  fleet = await world.client('Fleet')
  stranger = await world.client('Strangers')
  await fleet.measured(DEVICE, '2020-02-22T14:37:07.797Z', { GPS_SPEED: 1, MILEAGE: 2 })
  await fleet.measured(OTHER, '2020-02-23T00:00:00Z', { GPS_SPEED: 3 })
  await stranger.measured(17, '2020-02-22T14:37:07.797Z', { GPS_SPEED: 4 })
  const vehicle = await world.vehicleOf(DEVICE)
  await world.rows.trip(vehicle, { start: '2020-02-22T14:37:07.797Z' })
  await world.rows.dtc(vehicle, { recorded: '2020-02-22T14:37:07.797Z', ecuTypeId: 1 })
})
afterAll(() => world.stop())

const devicesOf = async (query: string) =>
  (await fleet.read<DeviceList>(`/devices?${query}`)).devices.map(({ id }) => id)
const eventsOf = (query: string) => fleet.read<EventItem[]>(`/events?${query}`)
const countOf = (body: unknown) =>
  (Array.isArray(body)
    ? body
    : Object.values(body as object)
        .flat()
        .slice(0, -1)
  ).length
const LISTS = ['devices', 'vehicles', 'trips', 'dtcs', 'events'] as const

describe('timestamps in', () => {
  test.each<[title: string, text: string]>([
    ['[D-READ-08, C-CONVENTION-04] Z and a fraction', '2020-02-22T14:37:07.797Z'],
    ['[D-READ-08, C-CONVENTION-04] no zone is UTC', '2020-02-22T14:37:07.797'],
    ['[D-READ-08] an offset', '2020-02-22T16:37:07.797%2B02:00'],
    ['[D-READ-08] a + that arrives decoded as a space', '2020-02-22T16:37:07.797+02:00'],
    ['[D-READ-08] a negative offset', '2020-02-22T09:07:07.797-05:30'],
    ['[D-READ-08] a space for the T', '2020-02-22%2014:37:07.797'],
    ['[D-READ-09] nine fraction digits', '2020-02-22T14:37:07.797000000Z'],
    ['[D-READ-09] thirty fraction digits', `2020-02-22T14:37:07.797${'0'.repeat(27)}Z`],
  ])('%s', async (_title, text) => {
    expect(await eventsOf(`fromTimestamp=${text}&toTimestamp=${text}`)).toHaveLength(2)
    const trips = (await fleet.read<TripList>(`/trips?fromTimestamp=${text}&toTimestamp=${text}`)).trips
    expect(trips).toHaveLength(1)
  })

  test('[D-READ-08] a date alone is midnight UTC', async () => {
    expect(await eventsOf('fromTimestamp=2020-02-23&toTimestamp=2020-02-23')).toMatchObject([{ value: 3 }])
  })

  test('[D-READ-08] without seconds, as Java writes full minutes', async () => {
    expect(await eventsOf('fromTimestamp=2020-02-22T14:37Z&toTimestamp=2020-02-22t16:38%2B02:00')).toHaveLength(2)
  })

  test('[D-READ-09] no fraction, and one digit', async () => {
    expect(await eventsOf('fromTimestamp=2020-02-22T14:37:07Z&toTimestamp=2020-02-22T14:37:07.8Z')).toHaveLength(2)
    expect(await eventsOf('fromTimestamp=2020-02-22T14:37:07.8Z&toTimestamp=2020-02-22T15:00:00Z')).toEqual([])
  })

  test('[D-READ-10] anything else is 400 naming the parameter', async () => {
    for (const list of LISTS)
      for (const name of ['fromTimestamp', 'toTimestamp', 'filterTimestamp'])
        for (const text of ['soon', '1582382227', '2020-2-2', '2020-02-22T14', '22.02.2020', '2020-02-22T25:00:00Z'])
          expect(await fleet.refusalOf(`/${list}?${name}=${text}`)).toContain(name)
    for (const path of [`/devices/${DEVICE}`, `/vehicles/IMEI_${DEVICE}`, '/trip/1', '/trips/1'])
      expect(await fleet.refusalOf(`${path}?filterTimestamp=soon`)).toContain('filterTimestamp')
  })

  test('[D-READ-11] impossible dates are refused', async () => {
    for (const text of ['2020-02-30', '2021-02-29', '2020-04-31T00:00:00Z', '2020-13-01', '2020-00-00'])
      expect(await fleet.refusalOf(`/events?fromTimestamp=${text}`)).toContain('fromTimestamp')
  })
})

describe('parameters', () => {
  test('[D-READ-12] an empty one counts as absent', async () => {
    for (const list of LISTS)
      for (const name of [
        'fromTimestamp',
        'toTimestamp',
        'filterTimestamp',
        'maxResults',
        'deviceId',
        'vehicleId',
        'isOnline',
        'cursor',
      ]) {
        const { status, body } = await fleet.get(`/${list}?${name}=`)
        expect([name, status, countOf(body)]).toEqual([name, 200, countOf(await fleet.read(`/${list}`))])
      }
    expect(await devicesOf('deviceIds=&isOnline=&isPluggedIn=')).toEqual([DEVICE, OTHER])
    expect(await fleet.read<unknown[]>('/aggregations?vehicleId=&bin=&binSize=&aggregation=&timeZone=')).not.toEqual([])
  })

  test('[D-READ-13] lists are separated by commas, spaces around them trimmed', async () => {
    expect(await devicesOf(`deviceIds=%20${OTHER}%20,%20${DEVICE},`)).toEqual([DEVICE, OTHER])
    expect(await eventsOf('eventType=MILEAGE%20,%20%20GPS_SPEED')).toHaveLength(3)
  })

  test('[D-READ-14] a repeated parameter is the same list', async () => {
    expect(await devicesOf(`deviceIds=${OTHER}&deviceIds=${DEVICE}`)).toEqual([DEVICE, OTHER])
    expect(await eventsOf('eventType=MILEAGE&eventType=GPS_SPEED')).toHaveLength(3)
    const query = 'aggregation=DRIVEN_DISTANCE&aggregation=TRIP_DURATION&aggregationType=SUM&aggregationType=MAX'
    expect(await fleet.read(`/aggregations?${query}`)).toHaveLength(4)
  })

  test('[D-READ-15] booleans and enumerations in any letter case', async () => {
    for (const word of ['true', 'TRUE', 'True']) expect(await devicesOf(`isOnline=${word}`)).toEqual([DEVICE, OTHER])
    for (const word of ['false', 'FALSE', 'fAlSe']) expect(await devicesOf(`isPluggedIn=${word}`)).toEqual([])
    const upper = await fleet.read(
      '/aggregations?bin=VEHICLE&binSize=YEAR&aggregationType=SUM&aggregation=TRIP_DURATION',
    )
    const lower = await fleet.read(
      '/aggregations?bin=vehicle&binSize=Year&aggregationType=sum&aggregation=trip_duration',
    )
    expect(lower).toEqual(upper)
  })

  test.each<[title: string, query: string, named: readonly string[]]>([
    ['[D-READ-16] isOnline', '/devices?isOnline=yes', ['isOnline', 'true', 'false']],
    ['[D-READ-16] isPluggedIn', '/devices?isPluggedIn=1', ['isPluggedIn', 'true', 'false']],
    ['[D-READ-16] includeDeleted', '/trips?includeDeleted=maybe', ['includeDeleted', 'true', 'false']],
    ['[D-READ-16] bin', '/aggregations?bin=DRIVER', ['bin', 'VEHICLE', 'FLEET']],
    ['[D-READ-16] binSize', '/aggregations?binSize=HOUR', ['binSize', 'DAY', 'WEEK', 'MONTH', 'YEAR']],
    ['[D-READ-16] aggregation', '/aggregations?aggregation=FUEL', ['aggregation', 'DRIVEN_DISTANCE', 'TRIP_DURATION']],
    [
      '[D-READ-16] aggregationType',
      '/aggregations?aggregationType=SUM,MEDIAN',
      ['aggregationType', 'MIN', 'MAX', 'AVG', 'SUM', 'START', 'END', 'DIFFERENCE'],
    ],
  ])('%s: another word is 400 that lists what is allowed', async (_title, query, named) => {
    const message = await fleet.refusalOf(query)
    for (const text of named) expect(message).toContain(text)
  })

  test('[D-READ-18] maxResults that is no integer of at least 1 is 400', async () => {
    for (const list of LISTS)
      for (const text of ['0', '-1', '1.5', '1e3', 'ten', '0x10', '+5%2C6'])
        expect(await fleet.refusalOf(`/${list}?maxResults=${text}`)).toContain('maxResults')
  })

  test('[D-READ-19] a device id that is no positive integer below 2^53 is 400', async () => {
    for (const text of ['0', '-1', '1.5', 'abc', '9007199254740992', '99999999999999999999']) {
      expect(await fleet.refusalOf(`/devices/${text}`)).toContain('deviceId')
      expect(await fleet.refusalOf(`/devices?deviceIds=${DEVICE},${text}`)).toContain('deviceIds')
      for (const path of ['/vehicles', '/trips', '/events', '/dtcs', `/vehicles/IMEI_${DEVICE}`])
        expect(await fleet.refusalOf(`${path}?deviceId=${text}`)).toContain('deviceId')
    }
    expect(await devicesOf('deviceIds=9007199254740991')).toEqual([])
  })

  test('[D-READ-20] an unknown device id is 404 as a path, nothing as a filter', async () => {
    expect((await fleet.get('/devices/4711')).status).toBe(404)
    expect(await devicesOf('deviceIds=4711')).toEqual([])
    for (const list of ['vehicles', 'trips', 'dtcs'] as const)
      expect(await fleet.read(`/${list}?deviceId=4711`)).toMatchObject({ [list]: [] })
    expect(await eventsOf('deviceId=4711')).toEqual([])
  })

  test('[D-READ-21] an id as a filter that does not exist or belongs to another account: an empty list', async () => {
    for (const id of [
      'deviceId=4711',
      'deviceId=17',
      'vehicleId=IMEI_17',
      'vehicleId=NONE',
      'tripId=4711',
      'tripId=x',
    ]) {
      expect([id, await eventsOf(id)]).toEqual([id, []])
      if (id.startsWith('tripId')) continue
      for (const list of ['trips', 'dtcs'] as const)
        expect(await fleet.read(`/${list}?${id}`)).toMatchObject({ [list]: [] })
    }
    expect(await devicesOf('deviceIds=17')).toEqual([])
    expect(await fleet.read('/vehicles?deviceId=17')).toMatchObject({ vehicles: [] })
    expect(await fleet.read('/aggregations?vehicleId=IMEI_17')).toEqual([])
    expect(await stranger.read<unknown[]>('/events?tripId=1')).toEqual([])
  })

  test('[D-READ-21] an id in another spelling than its own does not exist', async () => {
    const client = await world.client('Spelling')
    const read = (query: string) => client.read<EventItem[]>(`/events?${query}`)
    await client.measured(356307042441047, '2020-02-23T08:10:00Z', { MILEAGE: 48230 })
    const vehicle = await world.vehicleOf(356307042441047)
    const trip = await world.rows.trip(vehicle, { start: '2020-02-23T08:00:00Z' })
    const id = vehicle.publicId
    expect(await read(`tripId=${trip}`)).toHaveLength(1)
    expect(await read(`vehicleId=${id}`)).not.toEqual([])
    for (const spelling of [
      `0${trip}`,
      `00${trip}`,
      `%2B${trip}`,
      `${trip}.0`,
      `${trip}e0`,
      `%20${trip}`,
      `${trip}%09`,
    ]) {
      expect([spelling, await read(`tripId=${spelling}`)]).toEqual([spelling, []])
      expect(await read(`tripId=${spelling}&filterTimestamp=2020-01-01`)).toEqual([])
      for (const path of [`/trips/${spelling}`, `/trip/${spelling}`, `/trips/${spelling}/explain`])
        expect([path, (await client.get(path)).status]).toEqual([path, 404])
    }
    for (const spelling of [id.toLowerCase(), id.replace('_', '_0'), `%20${id}`, `${id}%20`]) {
      expect([spelling, await read(`vehicleId=${spelling}`)]).toEqual([spelling, []])
      for (const list of ['trips', 'dtcs'] as const)
        expect(await client.read(`/${list}?vehicleId=${spelling}`)).toMatchObject({ [list]: [] })
      expect(await client.read(`/aggregations?vehicleId=${spelling}`)).toEqual([])
      expect((await client.get(`/vehicles/${spelling}`)).status).toBe(404)
      const settings = await client.send('PUT', `/vehicles/${spelling}/settings`, { numberPlate: 'KA-TC 1' })
      expect(settings.status).toBe(404)
    }
  })

  test('[D-READ-22] an event type that is not in the catalogue matches nothing', async () => {
    expect(await eventsOf('eventType=ODOMETER')).toEqual([])
    expect(await eventsOf('eventType=ODOMETER,MILEAGE')).toHaveLength(1)
  })

  test('[D-READ-23] an unknown parameter is ignored', async () => {
    for (const list of LISTS) expect((await fleet.get(`/${list}?colour=red&__proto__=1&maxresults=0`)).status).toBe(200)
    for (const path of ['/eventTypes', '/units', `/devices/${DEVICE}`, '/trip/1'])
      expect((await fleet.get(`${path}?colour=red`)).status).toBe(200)
  })

  test('[D-READ-24] fromTimestamp later than toTimestamp: an empty list', async () => {
    const range = 'fromTimestamp=2030-01-01&toTimestamp=2000-01-01'
    for (const list of ['devices', 'vehicles', 'trips', 'dtcs'] as const)
      expect(await fleet.read(`/${list}?${range}`)).toMatchObject({ [list]: [] })
    expect(await eventsOf(range)).toEqual([])
    expect(await fleet.read(`/aggregations?${range}`)).toEqual([])
  })

  test('[D-READ-25] both ends of a range are included', async () => {
    const range = 'fromTimestamp=2020-02-22T14:37:07.797Z&toTimestamp=2020-02-22T14:37:07.797Z'
    expect(await eventsOf(range)).toHaveLength(2)
    expect((await fleet.read<TripList>(`/trips?${range}`)).trips).toHaveLength(1)
    expect((await fleet.read<DtcList>(`/dtcs?${range}`)).dtcs).toHaveLength(1)
    expect(await fleet.read(`/aggregations?${range}&aggregationType=SUM`)).toHaveLength(2)
  })

  test('[D-READ-26] of several filters all must hold', async () => {
    expect(await devicesOf(`deviceIds=${DEVICE},${OTHER}&isOnline=true&isPluggedIn=true`)).toEqual([DEVICE, OTHER])
    expect(await devicesOf(`deviceIds=${DEVICE}&isOnline=false`)).toEqual([])
    expect(await eventsOf(`deviceId=${OTHER}&vehicleId=IMEI_${DEVICE}`)).toEqual([])
    expect(await eventsOf(`deviceId=${DEVICE}&tripId=1&eventType=MILEAGE`)).toHaveLength(1)
    expect((await fleet.read<TripList>(`/trips?deviceId=${OTHER}&vehicleId=IMEI_${DEVICE}`)).trips).toEqual([])
    expect((await fleet.read<DtcList>(`/dtcs?deviceId=${DEVICE}&toTimestamp=2020-01-01`)).dtcs).toEqual([])
  })
})

describe('Accept-Language', () => {
  const languageOf = async (header: string) => {
    const { status, headers, body } = await fleet.get<DtcList>('/dtcs', { 'accept-language': header })
    expect(status).toBe(200)
    const tag = headers.get('content-language')
    expect(body.dtcs[0]?.ecuType).toBe(tag === 'de-DE' ? 'Motor' : 'Engine')
    return tag
  }

  test.each<[title: string, header: string, language: string]>([
    ['[C-CONVENTION-06, D-READ-30] *', '*', 'en-US'],
    ['[C-CONVENTION-06, D-READ-30] en', 'en', 'en-US'],
    ['[C-CONVENTION-06, D-READ-30] de', 'de', 'de-DE'],
    ['[C-CONVENTION-06, D-READ-30] en-US', 'en-US', 'en-US'],
    ['[C-CONVENTION-06, D-READ-30] de-DE', 'de-DE', 'de-DE'],
    ['[D-READ-30] any letter case', 'DE-de', 'de-DE'],
    ['[D-READ-30] a list with weights, the greatest first', 'en;q=0.5, de;q=0.8', 'de-DE'],
    ['[D-READ-30] a list without weights, the first one', 'de, en', 'de-DE'],
    ['[D-READ-30] languages that do not exist are passed over', 'fr-FR, de;q=0.9, en;q=0.8', 'de-DE'],
    ['[D-READ-30] weight 0 is not wanted', 'de;q=0, en;q=0.1', 'en-US'],
    ['[D-READ-30] any but one', 'en;q=0, *', 'de-DE'],
    ['[D-READ-30] any but one by its whole tag', '*;q=0.3, en-US;q=0.0', 'de-DE'],
    ['[D-READ-30] any but the other', 'de;q=0, *;q=0.1', 'en-US'],
    ['[D-READ-30] rather any but one', 'en;q=0.1, *;q=0.5', 'de-DE'],
    ['[D-READ-30] not that one, and nothing else named', 'en;q=0', 'de-DE'],
    ['[D-READ-30] with an underscore', 'de_CH', 'de-DE'],
    ['[D-READ-31] any but both', 'de;q=0, en;q=0, *', 'en-US'],
    ['[D-READ-30] a longer tag', 'de-CH-1996', 'de-DE'],
    ['[D-READ-31] a language that does not exist', 'fr', 'en-US'],
    ['[D-READ-31] nonsense', ';;q=,,=', 'en-US'],
    ['[D-READ-31] nothing', '', 'en-US'],
  ])('%s', async (_title, header, language) => {
    expect(await languageOf(header)).toBe(language)
  })

  test('[C-CONVENTION-06] the default is en-US', async () => {
    expect((await fleet.get('/dtcs')).headers.get('content-language')).toBe('en-US')
  })

  test('[C-ENDPOINTS-02, D-READ-32] every endpoint accepts it, and says Content-Language and Vary: Accept-Language', async () => {
    for (const path of [
      ...LISTS.map(list => `/${list}`),
      `/devices/${DEVICE}`,
      `/vehicles/IMEI_${DEVICE}`,
      '/trip/1',
      '/trips/1',
      '/aggregations',
      '/eventTypes',
      '/units',
    ]) {
      const { status, headers } = await fleet.get(path, { 'accept-language': 'de' })
      expect([path, status, headers.get('content-language')]).toEqual([path, 200, 'de-DE'])
      expect(headers.get('vary')).toContain('Accept-Language')
    }
    const settings = `/vehicles/IMEI_${DEVICE}/settings`
    const { headers } = await fleet.send('PUT', settings, { alarmSystem: true }, { 'accept-language': 'de' })
    expect(headers.get('content-language')).toBe('de-DE')
  })
})
