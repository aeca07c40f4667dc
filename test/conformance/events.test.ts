import { afterAll, describe, expect, test } from 'vitest'
import type { EventItem, Vehicle, VehicleList } from './shapes.ts'
import { INSTANT, nextOf, startWorld } from './world.ts'

const FIRST = 356307042441013
const SECOND = 356307042441021
const THIRD = 356307042441039
const at = (second: number) => `2020-02-22T14:37:${String(second).padStart(2, '0')}.000Z`

const world = await startWorld()
const fleet = await world.client('Fleet')
await fleet.measured(FIRST, at(0), {
  GPS_SPEED: 48.5,
  POSITION: 'POINT(8.4037 49.0069)',
  IS_MOVING: true,
  FUEL_TYPE: 'Diesel "B7"',
})
for (const second of [1, 2, 3]) await fleet.measured(FIRST, at(second), { GPS_SPEED: second, MILEAGE: 100 + second })
for (const second of [0, 2]) await fleet.measured(SECOND, at(second), { GPS_SPEED: 90 + second })
afterAll(() => world.stop())

const list = (query: string, as = fleet) => as.read<EventItem[]>(`/events${query}`)
/** Events as `<second> <type> <last digits of the device>`. */
const briefly = (events: readonly EventItem[]) =>
  events.map(event => `${event.recorded_timestamp.slice(17, 19)} ${event.event_type} ${event.device_id % 100}`)

describe('Event', () => {
  const eventOf = async (type: string) => (await list(`?deviceId=${FIRST}&eventType=${type}`))[0]
  const common = { device_id: FIRST, recorded_timestamp: at(0) }

  test('[C-EVENT-01, C-EVENT-07] events of GET /events have the common fields in snake_case', async () => {
    for (const event of await list('')) {
      expect(Object.keys(event)).toEqual(
        expect.arrayContaining(['event_type', 'data_type', 'value', 'device_id', 'recorded_timestamp']),
      )
      expect(event.recorded_timestamp).toMatch(INSTANT)
    }
  })

  test('[C-EVENT-01] the same events in lastEvents have them in camelCase', async () => {
    const { lastEvents } = await fleet.read<Vehicle>(`/vehicles/IMEI_${FIRST}`)
    const snake = await list(`?deviceId=${FIRST}`)
    for (const last of lastEvents) {
      const { deviceId, recordedTimestamp, eventType, dataType, value, unit, unitId } = last
      const event = snake.findLast(({ event_type: type }) => type === eventType)
      expect(event).toEqual({
        event_type: eventType,
        data_type: dataType,
        value,
        ...(dataType === 'NUMBER' ? { unit, unit_id: unitId } : {}),
        device_id: deviceId,
        recorded_timestamp: recordedTimestamp,
      })
    }
    expect(lastEvents).toHaveLength(5)
  })

  test('[C-EVENT-02, D-REPLY-03] NUMBER: a float, with unit and unit_id', async () => {
    expect(await eventOf('GPS_SPEED')).toEqual({
      ...common,
      event_type: 'GPS_SPEED',
      data_type: 'NUMBER',
      value: 48.5,
      unit: 'km/h',
      unit_id: 121,
    })
  })

  test('[C-EVENT-03, D-REPLY-03] BOOLEAN: a boolean, without unit', async () => {
    expect(await eventOf('IS_MOVING')).toEqual({
      ...common,
      event_type: 'IS_MOVING',
      data_type: 'BOOLEAN',
      value: true,
    })
  })

  test('[C-EVENT-04, D-REPLY-03] STRING: a text, without unit', async () => {
    const expected = { ...common, event_type: 'FUEL_TYPE', data_type: 'STRING', value: 'Diesel "B7"' }
    expect(await eventOf('FUEL_TYPE')).toEqual(expected)
  })

  test('[C-EVENT-05, C-GEO-01, D-REPLY-03] GEO: a point text with longitude first, without unit', async () => {
    const expected = { ...common, event_type: 'POSITION', data_type: 'GEO', value: 'POINT(8.4037 49.0069)' }
    expect(await eventOf('POSITION')).toEqual(expected)
  })

  test('[C-EVENT-06] an event of another dataType than its type has is not taken', async () => {
    const event = { deviceId: FIRST, recordedTimestamp: at(30), eventType: 'GPS_SPEED', value: 1, dataType: 'STRING' }
    const answer = await fleet.ingest([event])
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('dataType')])
  })

  test('[C-RECORDS-01] an event can be queried, is in lastEvents, and its type is in /eventTypes', async () => {
    expect((await eventOf('MILEAGE'))?.value).toBe(101)
    const { lastEvents } = await fleet.read<Vehicle>(`/vehicles/IMEI_${FIRST}`)
    expect(lastEvents).toContainEqual(expect.objectContaining({ eventType: 'MILEAGE', value: 103 }))
    const types = await fleet.read('/eventTypes')
    expect(types).toContainEqual({ eventType: 'MILEAGE', dataType: 'NUMBER', unit: 'km', unitId: 111 })
  })

  test('[D-REPLY-09] numbers come back as they were measured, to the last bit, and are no strings', async () => {
    const client = await world.client('Numbers')
    const values = [0.1, 1 / 3, -40, 0, 1e21, 5e-324, 123456789.123456, Number.MAX_VALUE]
    for (const [index, value] of values.entries()) await client.measured(31, at(index), { GPS_ALTITUDE: value })
    expect((await list('', client)).map(({ value }) => value)).toEqual(values)
  })

  test('[D-REPLY-02] event times are kept in milliseconds', async () => {
    const client = await world.client('Milliseconds')
    await client.measured(32, '2020-02-22T14:37:07.797999Z', { GPS_SPEED: 1 })
    await client.measured(32, '2020-02-22T14:37:07.798Z', { GPS_SPEED: 2 })
    expect((await list('', client)).map(event => event.recorded_timestamp)).toEqual([
      '2020-02-22T14:37:07.797Z',
      '2020-02-22T14:37:07.798Z',
    ])
  })
})

describe('GET /events', () => {
  const ofFirst = [
    '00 FUEL_TYPE 13',
    '00 GPS_SPEED 13',
    '00 IS_MOVING 13',
    '00 POSITION 13',
    '01 GPS_SPEED 13',
    '01 MILEAGE 13',
    '02 GPS_SPEED 13',
    '02 MILEAGE 13',
    '03 GPS_SPEED 13',
    '03 MILEAGE 13',
  ]

  test('[C-EVENTS-09] is a JSON array', async () => {
    expect(Array.isArray(await list(''))).toBe(true)
    expect(await list('?deviceId=1')).toEqual([])
  })

  test.each<[title: string, query: string, expected: readonly string[]]>([
    ['[C-EVENTS-02, D-REPLY-14] deviceId: by recordedTimestamp, then event type name', `?deviceId=${FIRST}`, ofFirst],
    ['[C-EVENTS-03] vehicleId', `?vehicleId=IMEI_${SECOND}`, ['00 GPS_SPEED 21', '02 GPS_SPEED 21']],
    [
      '[C-EVENTS-05] eventType is a list',
      `?deviceId=${FIRST}&eventType=MILEAGE,POSITION&toTimestamp=${at(1)}`,
      ['00 POSITION 13', '01 MILEAGE 13'],
    ],
    [
      '[C-EVENTS-06, D-REPLY-23, D-READ-25] fromTimestamp, included',
      `?deviceId=${FIRST}&fromTimestamp=${at(3)}`,
      ['03 GPS_SPEED 13', '03 MILEAGE 13'],
    ],
    [
      '[C-EVENTS-07, D-REPLY-23, D-READ-25] toTimestamp, included',
      `?deviceId=${SECOND}&toTimestamp=${at(0)}`,
      ['00 GPS_SPEED 21'],
    ],
    [
      '[C-EVENTS-01] an id with fromTimestamp and toTimestamp',
      `?deviceId=${FIRST}&fromTimestamp=${at(1)}&toTimestamp=${at(1)}`,
      ['01 GPS_SPEED 13', '01 MILEAGE 13'],
    ],
    [
      '[C-EVENTS-08, D-REPLY-19] maxResults alone keeps the newest, still ascending',
      `?deviceId=${FIRST}&maxResults=3`,
      ['02 MILEAGE 13', '03 GPS_SPEED 13', '03 MILEAGE 13'],
    ],
    [
      '[C-EVENTS-08, D-REPLY-18] maxResults and fromTimestamp keep the first',
      `?deviceId=${FIRST}&maxResults=2&fromTimestamp=2020-01-01`,
      ['00 FUEL_TYPE 13', '00 GPS_SPEED 13'],
    ],
    [
      '[D-READ-27] without any id, the whole fleet in the range',
      `?fromTimestamp=${at(2)}&toTimestamp=${at(2)}`,
      ['02 GPS_SPEED 13', '02 GPS_SPEED 21', '02 MILEAGE 13'],
    ],
    [
      '[D-READ-27] without any id, bounded by maxResults',
      '?fromTimestamp=2020-01-01&maxResults=1',
      ['00 FUEL_TYPE 13'],
    ],
  ])('%s', async (_title, query, expected) => {
    expect(briefly(await list(query))).toEqual(expected)
  })

  test('[C-EVENTS-04] tripId: the events of its vehicle between its start and end', async () => {
    const trip = await world.rows.trip(await world.vehicleOf(FIRST), { start: at(1), end: at(2) })
    expect(briefly(await list(`?tripId=${trip}`))).toEqual([
      '01 GPS_SPEED 13',
      '01 MILEAGE 13',
      '02 GPS_SPEED 13',
      '02 MILEAGE 13',
    ])
    // A trip has one id: another spelling of the number names no trip here, either.
    for (const spelling of [`00${trip}`, `${trip}.0`]) {
      expect(await list(`?tripId=${spelling}`)).toEqual([])
      expect((await fleet.get(`/trips/${spelling}`)).status).toBe(404)
    }
  })

  test('[D-READ-27] without any id, events of other accounts are not shown', async () => {
    const stranger = await world.client('Strangers')
    expect(await list('', stranger)).toEqual([])
  })

  test('[D-REPLY-20] Link headers lead through all of it, every event once, in either direction', async () => {
    for (const query of [
      `?deviceId=${FIRST}&maxResults=3`,
      `?deviceId=${FIRST}&maxResults=3&fromTimestamp=2020-01-01`,
    ]) {
      const pages: string[][] = []
      for (let next: string | undefined = `/events${query}`; next !== undefined; ) {
        const answer = await fleet.get<EventItem[]>(next)
        pages.push(briefly(answer.body))
        next = nextOf(answer)
      }
      expect(pages.map(page => page.length)).toEqual([3, 3, 3, 1])
      expect((query.includes('from') ? pages : pages.toReversed()).flat()).toEqual(ofFirst)
    }
  })

  test('[D-REPLY-37] without positions, POSITION events are left out and the rest is answered', async () => {
    const blind = await world.client('Fleet', ['events', 'vehicles'])
    expect(briefly(await list(`?deviceId=${FIRST}`, blind))).toEqual(ofFirst.filter(text => !text.includes('POSITION')))
    expect(await list('?eventType=POSITION', blind)).toEqual([])
    expect(await list('?eventType=POSITION&filterTimestamp=1970-01-01', blind)).toEqual([])
    const { lastEvents } = await blind.read<Vehicle>(`/vehicles/IMEI_${FIRST}`)
    expect(lastEvents.map(({ eventType }) => eventType)).toEqual(['FUEL_TYPE', 'GPS_SPEED', 'IS_MOVING', 'MILEAGE'])
  })

  test('[D-REPLY-37, D-REPLY-46] cells, course and altitude need positions, IMSI and ICCID need administration', async () => {
    const places = { POSITION: 'POINT(8.4 49.1)', NETWORK_CELL_INFO: '262;01;47', GPS_COURSE: 17, GPS_ALTITUDE: 115 }
    const cards = { IMSI: '262011234567890', ICCID: '89490200001234567890' }
    const others = { GPS_SPEED: 48, MILEAGE: 7 }
    await world.client('Cards').then(owner => owner.measured(THIRD, at(4), { ...places, ...cards, ...others }))
    for (const [permissions, shown] of [
      [[], others],
      [['positions'], { ...others, ...places }],
      [['administration'], { ...others, ...cards }],
      [['positions', 'administration'], { ...others, ...places, ...cards }],
    ] as const) {
      const reader = await world.client('Cards', ['events', 'vehicles', ...permissions])
      const expected = Object.keys(shown).sort()
      const everyType = Object.keys({ ...others, ...places, ...cards }).join()
      for (const query of ['', '&filterTimestamp=1970-01-01', `&eventType=${everyType}`])
        expect((await list(`?deviceId=${THIRD}${query}`, reader)).map(event => event.event_type)).toEqual(expected)
      for (const query of ['', `?lastEventTypes=${everyType}`]) {
        const { lastEvents } = await reader.read<Vehicle>(`/vehicles/IMEI_${THIRD}${query}`)
        expect(lastEvents.map(({ eventType }) => eventType)).toEqual(expected)
      }
      const { vehicles } = await reader.read<VehicleList>('/vehicles')
      expect(vehicles.flatMap(({ lastEvents }) => lastEvents.map(({ eventType }) => eventType))).toEqual(expected)
    }
  })
})
