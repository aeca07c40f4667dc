import { describe, expect, it, test } from 'vitest'
import { eventTypeById } from '../../catalogue/event-types.ts'
import type { Report } from '../shared/reports.ts'
import { readLocations, readQuery } from './read-report.ts'

const NOW_MS = Date.UTC(2026, 2, 2)
const TIME_MS = Date.UTC(2026, 2, 1, 7, 15, 30)

const named = ({ events, ...rest }: Report) => ({
  ...rest,
  events: Object.fromEntries([...events].map(([id, value]) => [eventTypeById(id).name, value])),
})
const query = (text: string) => named(readQuery(new URLSearchParams(text), NOW_MS))
const json = (location: unknown, deviceId: unknown = '902064') =>
  readLocations({ location, device_id: deviceId }).map(named)

describe('the form with parameters', () => {
  it('has the speed in knots, and what it says of the phone is not of the car', () => {
    const text =
      'id=902064&timestamp=1772349330&lat=49.01&lon=8.4&speed=26.99785&bearing=84&altitude=115&accuracy=4&batt=87&charge=true'
    expect(query(text)).toEqual({
      deviceId: 902064,
      timeMs: TIME_MS,
      leftOut: [],
      events: { POSITION: { lon: 8.4, lat: 49.01 }, GPS_SPEED: 50, GPS_COURSE: 84, GPS_ALTITUDE: 115, GPS_HDOP: 0.8 },
    })
  })

  it.each([
    ['1772349330', TIME_MS],
    ['1772349330000', TIME_MS],
    ['1772349330250', TIME_MS + 250],
    ['1772349330.5', TIME_MS + 500],
    ['2026-03-01T07:15:30Z', TIME_MS],
    ['1.77234933E9', TIME_MS],
    ['2026-03-01 07:15:30', TIME_MS],
    ['2026-03-01t08:15+01:00', TIME_MS - 30_000],
  ])('reads the time %s', (text, timeMs) => {
    expect(query(`id=1&timestamp=${encodeURIComponent(text)}&lat=1&lon=1`).timeMs).toBe(timeMs)
  })

  it('without a time is of the moment of its receipt', () => {
    expect(query('deviceid=17&location=49.01,8.4')).toMatchObject({
      deviceId: 17,
      timeMs: NOW_MS,
      events: { POSITION: { lon: 8.4, lat: 49.01 } },
    })
  })

  it.each([
    ['true', true],
    ['True', true],
    ['1', true],
    ['ON', true],
    ['yes', true],
    ['false', false],
    ['OFF', false],
    ['0', false],
    ['No', false],
    ['maybe', undefined],
    ['2', undefined],
  ])('reads ignition=%s', (word, isOn) => {
    const { events, leftOut } = query(`id=1&lat=49&lon=8&ignition=${word}&motion=${word}&valid=${word}`)
    expect([events.IS_IGNITION_ON, events.IS_MOVING]).toEqual([isOn, isOn])
    expect('POSITION' in events).toBe(isOn === true)
    expect(leftOut).toEqual(isOn === undefined ? ['ignition'] : [])
  })

  it('takes what scripts send by the names that Traccar has for it', () => {
    expect(
      query('id=1&ignition=true&rpm=933&vin=WVWZZZ1JZ3W386752&cell=262,02,7001,5126,-90&odometer=5&x=y'),
    ).toMatchObject({
      events: {
        IS_IGNITION_ON: true,
        ENGINE_RPM_AVERAGE: 933,
        VIN: 'WVWZZZ1JZ3W386752',
        NETWORK_CELL_INFO: '262;2;7001;5126',
      },
      leftOut: expect.toSatisfy((names: string[]) => names.toSorted().join() === 'odometer,x'),
    })
  })

  it.each(['lat=49&lon=8&valid=false', 'lat=0&lon=0', 'lat=91&lon=8', 'lat=49', 'lat=49&lon=8&accuracy=1500'])(
    'has no position where %s',
    text => {
      expect(query(`id=1&speed=30&${text}`).events).toEqual({})
    },
  )

  it.each([
    ['accuracy=120', 24],
    ['hdop=12.5', 2.5],
    ['accuracy=7.5&hdop=1', 1.5],
    ['accuracy=0', undefined],
    ['accuracy=-1', undefined],
    ['accuracy=good', undefined],
  ])('has the accuracy as HDOP, as OsmAnd and phones name it: %s', (text, hdop) => {
    expect(query(`id=1&lat=49&lon=8&${text}`).events).toEqual({
      POSITION: { lon: 8, lat: 49 },
      ...(hdop === undefined ? {} : { GPS_HDOP: hdop }),
    })
  })

  it.each([
    ['lat=1&lon=1', 'id'],
    ['id=phone&lat=1&lon=1', 'id'],
    ['deviceid=9007199254740993', 'deviceid'],
    ['id=1&timestamp=yesterday', 'timestamp'],
    ['id=1&timestamp=1e99', 'timestamp'],
    ['id=1&lat={0}&lon={1}', 'lat'],
  ])('is refused where its settings are wrong: %s', (text, name) => {
    expect(() => query(text)).toThrow(expect.objectContaining({ status: 400, message: expect.stringContaining(name) }))
  })
})

describe('the JSON form', () => {
  const location = {
    timestamp: '2026-03-01T07:15:30.000Z',
    coords: { latitude: 49.01, longitude: 8.4, accuracy: 5, speed: 12.5, heading: 84, altitude: 115 },
    is_moving: true,
    odometer: 120345,
    battery: { level: 0.79, is_charging: false },
    activity: { type: 'in_vehicle' },
    event: 'motionchange',
    extras: {},
  }

  it('has the speed in m/s', () => {
    expect(json(location)).toEqual([
      {
        deviceId: 902064,
        timeMs: TIME_MS,
        leftOut: [],
        events: {
          POSITION: { lon: 8.4, lat: 49.01 },
          GPS_SPEED: 45,
          GPS_COURSE: 84,
          GPS_ALTITUDE: 115,
          GPS_HDOP: 1,
          IS_MOVING: true,
        },
      },
    ])
  })

  it.each([
    ['true', true],
    [1, true],
    ['OFF', false],
    [0, false],
    [null, undefined],
    [[], undefined],
  ])('reads is_moving %j', (given, isMoving) => {
    const [report] = json({ ...location, is_moving: given, timestamp: '2026-03-01T07:15Z' })
    expect([report?.events.IS_MOVING, report?.timeMs]).toEqual([isMoving, TIME_MS - 30_000])
  })

  it('says -1 for what the phone does not know', () => {
    const coords = { latitude: 49.01, longitude: 8.4, speed: -1, heading: -1, altitude: 0, altitude_accuracy: -1 }
    expect(json({ ...location, coords, is_moving: false })[0]?.events).toEqual({
      POSITION: { lon: 8.4, lat: 49.01 },
      IS_MOVING: false,
    })
  })

  it('may hold several locations, or none with coordinates', () => {
    const later = { timestamp: '2026-03-01T07:15:40.000Z', is_moving: true }
    expect(json([location, later], 17).map(({ deviceId, timeMs }) => [deviceId, timeMs])).toEqual([
      [17, TIME_MS],
      [17, TIME_MS + 10_000],
    ])
  })

  it.each([
    [location, 'my-phone', 'device_id'],
    [null, '1', 'location'],
    [{ ...location, timestamp: null }, '1', 'location.timestamp'],
    [{ ...location, coords: {} }, '1', 'location.coords.latitude'],
    [[location, { timestamp: 'x' }], '1', 'location[1].timestamp'],
  ])('is refused where a field without which it cannot be kept is wrong (%#)', (body, deviceId, name) => {
    expect(() => json(body, deviceId)).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringContaining(name) }),
    )
  })
})

test('a body that is no object is refused', () => {
  for (const body of [null, 5, 'x', [], [[]]]) expect(() => readLocations(body)).toThrow(/must be an object|device_id/)
})
