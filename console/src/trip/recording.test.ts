import { expect, it } from 'vitest'
import { madeIncident } from '../../../test/console/made-incident.ts'
import type { EventItem, Trip } from '../api/types.ts'
import {
  codeOccurrences,
  idlingMs,
  metersOf,
  occurrencesOf,
  recordingOf,
  standstills,
  stopsOf,
  withIncidents,
} from './recording.ts'

const at = (second: number) => new Date(second * 1000).toISOString()
const event = (second: number, event_type: string, value: number | boolean | string, unit?: string): EventItem => ({
  event_type,
  data_type: typeof value === 'number' ? 'NUMBER' : typeof value === 'boolean' ? 'BOOLEAN' : 'STRING',
  value,
  ...(unit === undefined ? {} : { unit }),
  device_id: 1,
  recorded_timestamp: at(second),
})

it('puts together what was measured at one place', () => {
  const { track } = recordingOf([
    event(5, 'GPS_ALTITUDE', 115),
    event(5, 'GPS_COURSE', 90),
    event(5, 'GPS_SPEED', 42),
    event(5, 'POSITION', 'POINT(8.4 49.01)'),
    event(9, 'POSITION', 'POINT(8.5 49.02)'),
    event(60, 'POSITION', 'POINT(8.6 49.03)'),
    event(61, 'POSITION', 'somewhere'),
  ])
  expect(track).toEqual([
    { timeMs: 5000, longitude: 8.4, latitude: 49.01, speedKmh: 42, altitudeM: 115, courseDeg: 90 },
    { timeMs: 9000, longitude: 8.5, latitude: 49.02, speedKmh: 42, altitudeM: undefined, courseDeg: undefined },
    {
      timeMs: 60_000,
      longitude: 8.6,
      latitude: 49.03,
      speedKmh: undefined,
      altitudeM: undefined,
      courseDeg: undefined,
    },
  ])
})

it('takes the speed from what reports it most often', () => {
  const { speed } = recordingOf([
    event(1, 'GPS_SPEED', 10),
    event(1, 'VEHICLE_SPEED_AVERAGE', 11),
    event(2, 'VEHICLE_SPEED_AVERAGE', 12),
  ])
  expect(speed).toEqual({ timesMs: [1000, 2000], values: [11, 12] })
})

it('knows that a car stood where nothing was measured for a while, if it was at the same place afterwards', () => {
  const { standing } = recordingOf([
    event(0, 'POSITION', 'POINT(8.4 49.01)'),
    event(0, 'GPS_SPEED', 0),
    event(400, 'GPS_SPEED', 0),
    event(400, 'POSITION', 'POINT(8.4003 49.0102)'),
    event(1000, 'GPS_SPEED', 0),
    event(1000, 'POSITION', 'POINT(8.41 49.01)'),
  ])
  expect(standing).toEqual([{ fromMs: 0, toMs: 490_000 }])
})

it('tells what happened, with its value', () => {
  expect(occurrencesOf([event(1, 'HARSH_BRAKING', 4.6, 'm/s²'), event(2, 'GPS_SPEED', 50, 'km/h')])).toEqual([
    { kind: 'happening', timeMs: 1000, severity: 'warning', eventType: 'HARSH_BRAKING', value: 4.6, unit: 'm/s²' },
  ])
})

it('tells that a state changed, not that it was reported again', () => {
  const ignition = [true, true, false, false, true].map((isOn, second) => event(second, 'IS_IGNITION_ON', isOn))
  expect(occurrencesOf(ignition)).toEqual([
    { kind: 'switch', timeMs: 2000, severity: 'info', eventType: 'IS_IGNITION_ON', isOn: false },
    { kind: 'switch', timeMs: 4000, severity: 'info', eventType: 'IS_IGNITION_ON', isOn: true },
  ])
})

it('tells the fault codes that came up on the way once, by their first report, and not what a list of codes repeats', () => {
  expect(occurrencesOf([event(1, 'OBD_DTC_PERMANENT', 'P0420')])).toEqual([])
  const dtc = (second: number, code: string) => ({ code, recordedTimestamp: at(second) })
  expect(codeOccurrences([dtc(2, 'P0301'), dtc(4, 'P0420'), dtc(6, 'P0301')])).toEqual(
    [
      [4, 'P0420'],
      [2, 'P0301'],
    ]
      .toReversed()
      .map(([second, code]) => ({ kind: 'code', timeMs: Number(second) * 1000, severity: 'critical', code })),
  )
})

it('is not confused by event types named like properties of objects', () => {
  expect(occurrencesOf([event(1, 'constructor', 'x'), event(1, 'toString', true)])).toEqual([])
})

it('puts incidents among what the dongle reported, which is told once', () => {
  const found = occurrencesOf([
    event(1, 'HARSH_BRAKING', 4.6, 'm/s²'),
    event(5, 'POTHOLE', 2, 'm/s²'),
    event(9, 'HARSH_BRAKING', 4.2, 'm/s²'),
  ])
  const braking = madeIncident({
    kind: 'HARSH_BRAKING',
    startTimestamp: at(1),
    endTimestamp: at(2),
    severity: 'critical',
  })
  const speeding = madeIncident({ startTimestamp: at(4), endTimestamp: null })
  expect(withIncidents(found, [speeding, braking]).map(({ kind, timeMs }) => [kind, timeMs])).toEqual([
    ['incident', 1000],
    ['incident', 4000],
    ['happening', 5000],
    ['happening', 9000],
  ])
})

const isElsewhere = () => false

/** A speed every ten seconds. */
const curve = (...values: number[]) => ({ timesMs: values.map((_, index) => index * 10_000), values })

it('a car stands from the first reading without speed to the next with one', () => {
  expect(standstills(curve(0, 30, 0, 2, 0, 40, 0), isElsewhere)).toEqual([
    { fromMs: 0, toMs: 10_000 },
    { fromMs: 20_000, toMs: 50_000 },
  ])
})

it('a reading does not hold where nothing was heard for long', () => {
  const silent = { timesMs: [0, 3_600_000, 3_610_000], values: [0, 0, 50] }
  expect(standstills(silent, isElsewhere)).toEqual([
    { fromMs: 0, toMs: 90_000 },
    { fromMs: 3_600_000, toMs: 3_610_000 },
  ])
})

it('a car that is at the same place before and after a silence stood in between', () => {
  const isThere = () => true
  expect(standstills({ timesMs: [0, 400_000, 410_000], values: [0, 0, 50] }, isThere)).toEqual([
    { fromMs: 0, toMs: 410_000 },
  ])
  expect(standstills({ timesMs: [0, 400_000], values: [0, 50] }, isThere)).toEqual([{ fromMs: 0, toMs: 400_000 }])
})

it('a stop is long, and on the way', () => {
  const minutes = (fromMin: number, toMin: number) => ({ fromMs: fromMin * 60_000, toMs: toMin * 60_000 })
  const standing = [minutes(0, 5), minutes(10, 11), minutes(20, 25), minutes(55, 60)]
  expect(stopsOf(standing, 0, 60 * 60_000)).toEqual([minutes(20, 25)])
})

it('idling lasts as long as the engine is on', () => {
  const standing = [{ fromMs: 0, toMs: 100_000 }]
  expect(idlingMs(standing, [])).toBe(100_000)
  expect(
    idlingMs(standing, [
      event(0, 'IS_IGNITION_ON', true),
      event(40, 'IS_IGNITION_ON', false),
      event(70, 'IS_IGNITION_ON', true),
    ]),
  ).toBe(70_000)
  expect(idlingMs(standing, [event(90, 'IS_IGNITION_ON', false)])).toBe(90_000)
})

const level = (eventType: string, unit: string, start: number, end: number): Trip['aggregations'] =>
  (['START', 'END'] as const).map(aggregationType => ({
    eventType,
    dataType: 'NUMBER',
    aggregationType,
    value: aggregationType === 'START' ? start : end,
    unit,
    unit_id: 1,
  }))

const trip = (distance: number, aggregations: Trip['aggregations']): Trip => ({
  id: '1',
  deviceId: 1,
  vehicleId: 'VIN1',
  tripStartAddress: null,
  tripEndAddress: null,
  distance,
  duration: 3600,
  tripStartTimestamp: '2026-01-01T00:00:00.000Z',
  tripEndTimestamp: '2026-01-01T01:00:00.000Z',
  aggregations,
  deleteTimestamp: null,
  modifyTimestamp: '2026-01-01T01:00:00.000000Z',
})

it('is in litres where they are known, over 100 km where the way was long enough', () => {
  const aggregations = [...level('FUEL_LEVEL_PERCENT', '%', 80, 70), ...level('FUEL_LEVEL', 'l', 40, 37)]
  const litres = { kind: 'fuel', start: 40, end: 37, unit: 'l', digits: 1, used: 3, per100Km: 6 }
  expect(metersOf(trip(50, aggregations))).toEqual([litres])
  expect(metersOf(trip(5, aggregations))).toEqual([{ ...litres, per100Km: undefined }])
})

it('a share of the tank says nothing of litres', () => {
  expect(metersOf(trip(50, level('FUEL_LEVEL_PERCENT', '%', 80, 70)))).toMatchObject([
    { unit: '%', used: 10, per100Km: undefined },
  ])
})

it('a hybrid uses both, and one that was refuelled or charged says nothing of what it used', () => {
  const both = [...level('FUEL_LEVEL', 'l', 40, 38), ...level('HV_BATTERY_SOC', '%', 60, 40)]
  expect(metersOf(trip(50, both)).map(({ kind, used }) => [kind, used])).toEqual([
    ['fuel', 2],
    ['battery', 20],
  ])
  expect(metersOf(trip(50, level('FUEL_LEVEL', 'l', 10, 50)))).toMatchObject([{ start: 10, end: 50, used: undefined }])
  expect(metersOf(trip(50, level('MILEAGE', 'km', 50, 10)))).toMatchObject([{ used: undefined }])
})
