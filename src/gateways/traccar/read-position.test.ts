import { describe, expect, it, test } from 'vitest'
import { eventTypeById } from '../../catalogue/event-types.ts'
import { type Odometer, readForwardedPosition } from './read-position.ts'

type Fields = Readonly<Record<string, unknown>>

const TIME = '2026-03-02T07:15:30.000+00:00'

/** As Traccar writes it for an OBD dongle on the road. */
const forwarded = (position: Fields = {}, attributes: Fields = {}) => ({
  position: {
    id: 812,
    attributes: { distance: 13.2, totalDistance: 88412.7, ...attributes },
    deviceId: 7,
    protocol: 'teltonika',
    serverTime: '2026-03-02T07:15:31.204+00:00',
    deviceTime: TIME,
    fixTime: TIME,
    valid: true,
    latitude: 49.01,
    longitude: 8.4,
    altitude: 115,
    speed: 26.99785,
    course: 84,
    address: null,
    accuracy: 0,
    network: null,
    geofenceIds: null,
    ...position,
  },
  device: { id: 7, attributes: {}, name: 'Caddy', uniqueId: '356307042441013', status: 'online' },
})

const read = (body: unknown, odometer: Odometer = 'OBD') => {
  const { events, ...rest } = readForwardedPosition(body, '', odometer)
  return { ...rest, events: Object.fromEntries([...events].map(([id, value]) => [eventTypeById(id).name, value])) }
}

test.each([
  [120, { POSITION: { lon: 8.4, lat: 49.01 }, GPS_HDOP: 24 }, []],
  [2000, {}, ['coarseFix']],
])('a fix may be off by its accuracy of %s m', (accuracy, events, leftOut) => {
  const report = read(forwarded({ accuracy, altitude: 0, speed: undefined, course: undefined }))
  expect(report.events).toEqual(events)
  expect(report.leftOut).toEqual(expect.arrayContaining(leftOut))
})

test('a report of a driving car becomes events in the units of the catalogue', () => {
  const attributes = {
    ignition: true,
    motion: true,
    rpm: 1850,
    obdSpeed: 50,
    engineLoad: 37,
    throttle: 21,
    coolantTemp: 88,
    power: 14.25,
    battery: 4.1,
    fuelLevel: 63,
    fuel: 31.5,
    fuelConsumption: 4.2,
    obdOdometer: 1234567,
    odometer: 88001,
    vin: 'WVWZZZ1JZ3W386752',
    iccid: '8949020000012345678',
    versionFw: 3,
    dtcs: 'P0301 P0420',
    hours: 3600000,
    sat: 11,
    hdop: 0.8,
    io24: 5,
  }
  const network = {
    radioType: 'gsm',
    cellTowers: [
      { radioType: 'gsm', cellId: 5126, locationAreaCode: 7001, mobileCountryCode: 262, mobileNetworkCode: 2 },
    ],
  }
  expect(read(forwarded({ network }, attributes))).toEqual({
    deviceId: 356307042441013,
    timeMs: Date.parse(TIME),
    leftOut: ['distance', 'totalDistance', 'battery', 'hours', 'io24'],
    events: {
      POSITION: { lon: 8.4, lat: 49.01 },
      GPS_ALTITUDE: 115,
      GPS_SPEED: 50,
      GPS_COURSE: 84,
      GPS_HDOP: 0.8,
      GPS_SATELLITES_IN_USE: 11,
      IS_IGNITION_ON: true,
      IS_MOVING: true,
      IS_DONGLE_PLUGGED_IN: true,
      VEHICLE_SPEED_AVERAGE: 50,
      ENGINE_RPM_AVERAGE: 1850,
      ENGINE_LOAD_AVERAGE: 37,
      THROTTLE_POSITION_AVERAGE: 21,
      ENGINE_COOLANT_TEMPERATURE: 88,
      BATTERY_VOLTAGE: 14.25,
      FUEL_LEVEL: 31.5,
      FUEL_LEVEL_PERCENT: 63,
      FUEL_RATE_AVERAGE: 4.2,
      MILEAGE: 1234.567,
      VIN: 'WVWZZZ1JZ3W386752',
      ICCID: '8949020000012345678',
      FIRMWARE_VERSION: '3',
      OBD_DTC_PERMANENT: 'P0301 P0420',
      NETWORK_CELL_INFO: '262;2;7001;5126',
    },
  })
})

describe('a position that was not measured for this report', () => {
  it.each([
    ['not valid', { valid: false }, {}],
    ['marked as outdated', { outdated: true }, {}],
    ['the fix before, repeated', { fixTime: '2026-03-02T07:14:58.000+00:00' }, {}],
    ['no fix ever', { fixTime: '1980-01-06T00:00:00.000+00:00', latitude: 0, longitude: 0 }, {}],
    ['of cells of the network', {}, { approximate: true }],
    ['nowhere', { latitude: 0, longitude: 0 }, {}],
    ['impossible', { latitude: 'NaN' }, {}],
  ])('leaves no trace: %s', (_reason, position, attributes) => {
    const { events } = read(forwarded(position, { ignition: true, ...attributes }))
    expect(events).toEqual({ IS_IGNITION_ON: true })
  })

  it('is told from a report that was put together a moment after its fix', () => {
    expect(read(forwarded({ fixTime: '2026-03-02T07:15:28.000+00:00' })).events).toHaveProperty('POSITION')
  })
})

const reports = [{ obdOdometer: 48211400, odometer: 3200 }, { odometer: 3300 }, { obdOdometer: 48212400 }, {}]
const mileages = (odometer: Odometer) =>
  reports.map(attributes => read(forwarded({}, attributes), odometer).events.MILEAGE)

it('MILEAGE comes from one meter, also where reports have only the other', () => {
  expect(mileages('OBD')).toEqual([48211.4, undefined, 48212.4, undefined])
  expect(mileages('DEVICE')).toEqual([3.2, 3.3, undefined, undefined])
})

describe('motion', () => {
  const isMoving = (motion: boolean, speed: number, position: Fields = {}) =>
    read(forwarded({ speed, ...position }, { motion })).events.IS_MOVING

  it('is believed where Traccar cannot have made it up', () => {
    expect(isMoving(true, 0)).toBe(true)
    expect(isMoving(false, 12)).toBe(false)
    expect(isMoving(true, 0, { valid: false })).toBe(true)
  })
  it('is believed where the fix leaves no doubt', () => {
    expect(isMoving(true, 12)).toBe(true)
    expect(isMoving(false, 0)).toBe(false)
  })
  it('is left out where scatter or a repeated fix may have made it', () => {
    expect(isMoving(true, 0.4)).toBeUndefined()
    expect(isMoving(true, 30, { valid: false })).toBeUndefined()
  })
})

test.each([
  ['ON', true],
  ['True', true],
  [1, true],
  ['1', true],
  ['OFF', false],
  ['0.0', false],
  [0, false],
  [2, undefined],
  ['', undefined],
])('ignition %j is %s', (ignition, isOn) => {
  const { events } = read(
    forwarded({ valid: 1, deviceTime: '1772435700', fixTime: '2026-03-02T08:15+01:00' }, { ignition }),
  )
  expect(events.IS_IGNITION_ON).toBe(isOn)
  expect(events).toHaveProperty('POSITION')
})

test('alarms count harsh driving, warn of a speed, and tell of the plug', () => {
  const events = (alarm: string, more: Fields = {}) => read(forwarded({}, { alarm, ...more })).events
  expect(events('hardBraking,hardCornering')).toMatchObject({ HARSH_BRAKING_COUNT: 1, HARSH_CORNERING_COUNT: 1 })
  expect(events('hardAcceleration')).toMatchObject({ HARSH_ACCELERATION_COUNT: 1 })
  expect(events('overspeed')).toMatchObject({ WARNING_OVERSPEEDING: 50 })
  expect(events('overspeed', { obdSpeed: 53 })).toMatchObject({ WARNING_OVERSPEEDING: 53 })
  expect(events('powerCut', { power: 12.3 })).toMatchObject({ IS_DONGLE_PLUGGED_IN: false, BATTERY_VOLTAGE: 12.3 })
  expect(events('powerRestored')).toMatchObject({ IS_DONGLE_PLUGGED_IN: true })
  expect(read(forwarded({}, { alarm: 'sos, accident' })).leftOut).toEqual(
    expect.arrayContaining(['alarm:sos', 'alarm:accident']),
  )
})

test('all bits set are no value, whatever the attribute, and are counted', () => {
  const allBits = { rpm: 65535, obdSpeed: 255, coolantTemp: 215, fuelLevel: 255, obdOdometer: 4294967295 }
  const { events, leftOut } = read(forwarded({ speed: 255 }, allBits))
  expect(Object.keys(events)).toEqual(expect.not.arrayContaining(['ENGINE_RPM_AVERAGE', 'GPS_SPEED', 'MILEAGE']))
  expect(leftOut).toEqual(expect.arrayContaining(Object.keys(allBits)))
})

test('padded texts and arrays of codes are read', () => {
  const padded = { vin: '\0wvwzzz1kzaw000001\0', dtcs: ['P0301', 'P0420'] }
  expect(read(forwarded({}, padded)).events).toMatchObject({
    VIN: 'WVWZZZ1KZAW000001',
    OBD_DTC_PERMANENT: '["P0301","P0420"]',
  })
})

test('a value that its sensor cannot have is left out and counted', () => {
  const { events, leftOut } = read(
    forwarded({}, { fuelLevel: 255, power: 'NaN', ignition: 'maybe', vin: 'a\0b', engineLoad: null }),
  )
  expect(events).not.toHaveProperty('FUEL_LEVEL_PERCENT')
  expect(leftOut).toEqual(['distance', 'totalDistance', 'fuelLevel', 'power', 'ignition', 'vin'])
})

test.each([
  [[], 'position'],
  ['text', 'position'],
  [{ device: { uniqueId: '1' } }, 'position'],
  [{ position: {}, device: {} }, 'device.uniqueId'],
  [{ position: {}, device: { uniqueId: 'caddy' } }, 'device.uniqueId'],
  [{ position: {}, device: { uniqueId: '9007199254740993' } }, 'device.uniqueId'],
  [{ position: {}, device: { uniqueId: '356307042441013' } }, 'position.deviceTime'],
  [{ position: { fixTime: TIME }, device: { uniqueId: '356307042441013' } }, 'position.deviceTime'],
  [{ position: { deviceTime: 'soon' }, device: { uniqueId: '356307042441013' } }, 'position.deviceTime'],
])('a body that can never be kept is refused naming the field: %j', (body, field) => {
  expect(() => read(body)).toThrow(expect.objectContaining({ status: 400, message: expect.stringContaining(field) }))
})
