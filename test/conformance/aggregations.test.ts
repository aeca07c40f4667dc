import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requiredEventType } from '../../src/catalogue/event-types.ts'
import { sql } from '../../src/db/sql.ts'
import { eventually } from '../eventually.ts'
import type { VehicleRows } from '../fleet-rows.ts'
import type { Aggregation } from './shapes.ts'
import { type Client, INSTANT, startWorld, type World } from './world.ts'

const CAR = 'VINWVWZZZ1JZ3W386752'
const VAN = 'VINWVWZZZ1JZ3W386753'
const ALL_TYPES = ['AVG', 'DIFFERENCE', 'END', 'MAX', 'MIN', 'START', 'SUM']

let world: World
let fleet: Client
let car: VehicleRows
let van: VehicleRows

beforeAll(async () => {
  world = await startWorld()
  fleet = await world.client('Fleet')
  car = await world.rows.vehicle(fleet.accountId, { deviceId: 356307042441013, vin: CAR.slice(3) })
  van = await world.rows.vehicle(fleet.accountId, { deviceId: 356307042441021, vin: VAN.slice(3) })
  const trip = (start: string, metres: number, seconds: number) => world.rows.trip(car, { start, metres, seconds })
  // A Saturday; the second trip ends on the Sunday.
  await trip('2020-02-22T10:00:00Z', 10_000, 600)
  await trip('2020-02-22T23:30:00Z', 5_001, 300)
  await trip('2020-02-24T00:00:00Z', 3_000, 180)
  await trip('2020-03-01T23:59:59Z', 7_500, 420)
  await trip('2021-01-01T00:00:00Z', 1, 1)
  const odometer = { [requiredEventType('MILEAGE').id]: { start: 1000.5, end: 1002.5 } }
  await world.rows.trip(van, { start: '2020-02-22T12:00:00Z', metres: 2_000, seconds: 100, meters: odometer })
})
afterAll(() => world.stop())

const list = (query: string) => fleet.read<Aggregation[]>(`/aggregations${query}`)
/** `<vehicle> <first day of the bin> <subject> <statistic> <value>`, of those requested. */
const sums = async (query: string) =>
  (await list(`?aggregation=DRIVEN_DISTANCE&aggregationType=SUM&${query}`)).map(
    ({ vehicleId, bin, value }) => `${vehicleId.slice(-3)} ${bin.slice(0, 10)} ${value}`,
  )
const valuesOf = async (query: string) =>
  Object.fromEntries((await list(query)).map(({ aggregationType, value }) => [aggregationType, value]))

describe('Aggregation', () => {
  let row: Aggregation

  beforeAll(async () => {
    const rows = await list(`?vehicleId=${CAR}&aggregation=DRIVEN_DISTANCE&aggregationType=SUM`)
    row = rows[0] as Aggregation
  })

  test.each<[title: string, field: keyof Aggregation, expected: unknown]>([
    ['[C-AGGREGATION-01] vehicleId', 'vehicleId', CAR],
    ['[C-AGGREGATION-02, D-AGGREGATION-03] eventType', 'eventType', 'DRIVEN_DISTANCE'],
    ['[C-AGGREGATION-03, D-AGGREGATION-03] dataType', 'dataType', 'NUMBER'],
    ['[C-AGGREGATION-05, D-REPLY-09] value is a number', 'value', 15.001],
    ['[C-AGGREGATION-06, D-AGGREGATION-02] unitId', 'unitId', 111],
    ['[C-AGGREGATION-07, D-AGGREGATION-02] unit', 'unit', 'km'],
    ['[C-AGGREGATION-08] bin', 'bin', '2020-02-22T00:00:00.000Z'],
  ])('%s', (_title, field, expected) => {
    expect(row[field]).toEqual(expected)
  })

  test('[C-AGGREGATION-04] aggregationType is one of the documented ones, or SUM', async () => {
    const types = new Set((await list(`?vehicleId=${CAR}`)).map(({ aggregationType }) => aggregationType))
    expect([...types].sort()).toEqual(ALL_TYPES)
  })

  test('[D-AGGREGATION-02, D-AGGREGATION-03] TRIP_DURATION is in s, 160', async () => {
    expect(
      await list(`?vehicleId=${CAR}&aggregation=TRIP_DURATION&aggregationType=SUM&toTimestamp=2020-02-23`),
    ).toEqual([
      {
        vehicleId: CAR,
        eventType: 'TRIP_DURATION',
        dataType: 'NUMBER',
        aggregationType: 'SUM',
        value: 900,
        unitId: 160,
        unit: 's',
        bin: '2020-02-22T00:00:00.000Z',
      },
    ])
  })
})

describe('GET /aggregations', () => {
  test('[C-AGGREGATIONS-11] is a JSON array', async () => {
    expect(Array.isArray(await list(''))).toBe(true)
    expect(await list('?vehicleId=NONE')).toEqual([])
  })

  test('[C-AGGREGATIONS-01] monthly mileage of one vehicle', async () => {
    expect(await sums(`vehicleId=${CAR}&binSize=MONTH`)).toEqual([
      '752 2020-02-01 18.001',
      '752 2020-03-01 7.5',
      '752 2021-01-01 0.001',
    ])
  })

  test('[C-AGGREGATIONS-02] vehicleId leaves the trips of that vehicle', async () => {
    expect(await sums(`vehicleId=${VAN}`)).toEqual(['753 2020-02-22 2'])
  })

  test('[C-AGGREGATIONS-03, D-AGGREGATION-09] ALL is the entire fleet, as is no vehicleId', async () => {
    const whole = ['ALL 2020-01-01 27.501', 'ALL 2021-01-01 0.001']
    expect(await sums('vehicleId=ALL&binSize=YEAR')).toEqual(whole)
    expect(await sums('binSize=YEAR')).toEqual(whole)
  })

  test('[C-AGGREGATIONS-04, D-AGGREGATION-02] aggregation: one, both separated by a comma, default both', async () => {
    const subjects = async (query: string) => [...new Set((await list(query)).map(({ eventType }) => eventType))]
    expect(await subjects('?aggregation=TRIP_DURATION')).toEqual(['TRIP_DURATION'])
    expect(await subjects('?aggregation=TRIP_DURATION,%20DRIVEN_DISTANCE')).toEqual([
      'DRIVEN_DISTANCE',
      'TRIP_DURATION',
    ])
    expect(await subjects('')).toEqual(['DRIVEN_DISTANCE', 'TRIP_DURATION'])
  })

  test('[C-AGGREGATIONS-05, D-AGGREGATION-04] MIN, MAX, AVG, SUM over the trips of the bin', async () => {
    const day = `vehicleId=${CAR}&toTimestamp=2020-02-23&aggregationType=MIN,MAX,AVG,SUM`
    expect(await valuesOf(`?${day}&aggregation=DRIVEN_DISTANCE`)).toEqual({
      AVG: 7.5005,
      MAX: 10,
      MIN: 5.001,
      SUM: 15.001,
    })
    expect(await valuesOf(`?${day}&aggregation=TRIP_DURATION`)).toEqual({ AVG: 450, MAX: 600, MIN: 300, SUM: 900 })
  })

  test('[C-AGGREGATIONS-06, D-AGGREGATION-07] aggregationType: separated by commas, default all seven', async () => {
    const types = async (query: string) =>
      (await list(`?vehicleId=${VAN}&aggregation=TRIP_DURATION${query}`)).map(({ aggregationType }) => aggregationType)
    expect(await types('')).toEqual(ALL_TYPES)
    expect(await types('&aggregationType=SUM,AVG')).toEqual(['AVG', 'SUM'])
  })

  test('[C-AGGREGATIONS-07, D-AGGREGATION-08] bin VEHICLE is a row per vehicle, FLEET one row for ALL', async () => {
    expect(await sums('bin=VEHICLE&toTimestamp=2020-02-23')).toEqual(['752 2020-02-22 15.001', '753 2020-02-22 2'])
    expect(await sums('bin=FLEET&toTimestamp=2020-02-23')).toEqual(['ALL 2020-02-22 17.001'])
  })

  test('[D-AGGREGATION-09] bin is VEHICLE by default when a vehicle is asked for', async () => {
    expect(await list(`?vehicleId=${CAR}`)).toEqual(await list(`?vehicleId=${CAR}&bin=VEHICLE`))
    expect(await list('?vehicleId=ALL')).toEqual(await list('?vehicleId=ALL&bin=FLEET'))
    expect(await list('')).toEqual(await list('?bin=FLEET'))
    expect(await sums('vehicleId=ALL&bin=VEHICLE&toTimestamp=2020-02-23')).toHaveLength(2)
  })

  test('[D-AGGREGATION-10] bin FLEET with one vehicle is the sum of that vehicle under ALL', async () => {
    expect(await sums(`vehicleId=${CAR}&bin=FLEET&toTimestamp=2020-02-23`)).toEqual(['ALL 2020-02-22 15.001'])
  })

  test('[C-AGGREGATIONS-08, D-AGGREGATION-12] binSize: first instant of the bin in UTC, weeks from Monday, default DAY', async () => {
    const days = ['752 2020-02-22 15.001', '752 2020-02-24 3', '752 2020-03-01 7.5', '752 2021-01-01 0.001']
    expect(await sums(`vehicleId=${CAR}`)).toEqual(days)
    expect(await sums(`vehicleId=${CAR}&binSize=DAY`)).toEqual(days)
    expect(await sums(`vehicleId=${CAR}&binSize=WEEK`)).toEqual([
      '752 2020-02-17 15.001',
      '752 2020-02-24 10.5',
      '752 2020-12-28 0.001',
    ])
    expect(await sums(`vehicleId=${CAR}&binSize=YEAR`)).toEqual(['752 2020-01-01 25.501', '752 2021-01-01 0.001'])
    for (const { bin } of await list('?binSize=MONTH')) expect(bin).toMatch(INSTANT)
  })

  test('[C-AGGREGATIONS-09, C-AGGREGATIONS-10, D-REPLY-24] fromTimestamp and toTimestamp are of the start of a trip, included', async () => {
    expect(await sums(`vehicleId=${CAR}&fromTimestamp=2020-03-01T23:59:59Z`)).toEqual([
      '752 2020-03-01 7.5',
      '752 2021-01-01 0.001',
    ])
    expect(await sums(`vehicleId=${CAR}&toTimestamp=2020-02-22T10:00:00Z`)).toEqual(['752 2020-02-22 10'])
    expect(await sums(`vehicleId=${CAR}&fromTimestamp=2020-02-22T10:00:00.001Z&toTimestamp=2020-02-23`)).toEqual([
      '752 2020-02-22 5.001',
    ])
  })

  test('[D-AGGREGATION-01] a trip belongs to the bin in which it starts, though it ends in the next', async () => {
    expect(await sums(`vehicleId=${CAR}&toTimestamp=2020-02-23T23:59:59Z`)).toEqual(['752 2020-02-22 15.001'])
  })

  test('[D-REPLY-17] rows are ordered by bin, vehicle id, event type, aggregation type', async () => {
    const rows = await list('?bin=VEHICLE')
    const keys = rows.map(row => `${row.bin} ${row.vehicleId} ${row.eventType} ${row.aggregationType}`)
    expect(keys).toEqual([...keys].sort())
    expect(keys).toHaveLength(5 * 2 * 7)
  })
})

describe('running totals', () => {
  const total = 'aggregation=DRIVEN_DISTANCE&aggregationType=START,END,DIFFERENCE'

  test('[D-AGGREGATION-05] START, END and DIFFERENCE are the total before and after the trips of the bin', async () => {
    expect(await valuesOf(`?vehicleId=${CAR}&${total}&toTimestamp=2020-02-23`)).toEqual({
      START: 0,
      END: 15.001,
      DIFFERENCE: 15.001,
    })
    const second = `fromTimestamp=2020-02-23&toTimestamp=2020-02-25`
    expect(await valuesOf(`?vehicleId=${CAR}&${total}&${second}`)).toEqual({
      START: 15.001,
      END: 18.001,
      DIFFERENCE: 3,
    })
    const seconds = 'aggregation=TRIP_DURATION&aggregationType=START,END,DIFFERENCE'
    expect(await valuesOf(`?vehicleId=${CAR}&${seconds}&${second}`)).toEqual({ START: 900, END: 1080, DIFFERENCE: 180 })
  })

  test('[D-AGGREGATION-05] DIFFERENCE is what the odometer grew: a swapped instrument cluster is left out', async () => {
    const swapped = await world.rows.vehicle(fleet.accountId, { deviceId: 356307042441039 })
    for (const [day, start, end] of [
      [10, 119_990, 120_000],
      [11, 3, 22],
      [12, 30, 35],
    ] as const)
      await world.rows.trip(swapped, {
        start: `2020-02-${day}T08:00:00Z`,
        metres: (end - start) * 1000,
        meters: { [requiredEventType('MILEAGE').id]: { start, end } },
      })
    const query = `?vehicleId=${swapped.publicId}&binSize=MONTH&${total}`
    expect(await valuesOf(query)).toEqual({ START: 119_990, END: 35, DIFFERENCE: 10 + 19 + 8 + 5 })
  })

  test('[D-AGGREGATION-06] the odometer, where there is one', async () => {
    expect(await valuesOf(`?vehicleId=${VAN}&${total}`)).toEqual({ START: 1000.5, END: 1002.5, DIFFERENCE: 2 })
  })

  test('[D-AGGREGATION-11] exist for VEHICLE only', async () => {
    expect(await list(`?bin=FLEET&${total}`)).toEqual([])
    const types = new Set((await list('?bin=FLEET')).map(({ aggregationType }) => aggregationType))
    expect([...types]).toEqual(['AVG', 'MAX', 'MIN', 'SUM'])
  })
})

describe('sums by day', () => {
  test('days that the service sums up in the background change no answer', async () => {
    const { database } = world.service
    const client = await world.client('Days')
    const vehicle = await world.rows.vehicle(client.accountId, { deviceId: 19 })
    const answers = () =>
      Promise.all(
        ['bin=FLEET', 'bin=VEHICLE', 'bin=FLEET&binSize=MONTH', 'fromTimestamp=2020-01-01T12:00:00Z'].map(query =>
          client.read<Aggregation[]>(`/aggregations?${query}`),
        ),
      )
    for (const start of ['2020-01-01T08:00:00Z', '2020-01-01T18:00:00Z', '2020-01-31T23:59:59.999Z'])
      await world.rows.trip(vehicle, { start, metres: 1234, seconds: 56 })
    await world.rows.trip(vehicle, { start: '2020-01-31T12:00:00Z', metres: 10, seconds: 5, isOpen: true })
    const before = await answers()
    await eventually(async () => {
      const due = sql`select from due_account_days where account_id = ${client.accountId}`
      expect(await database.rows(due)).toEqual([])
    })
    expect(await answers()).toEqual(before)
    expect(before.map(rows => rows.length)).toEqual([2 * 2 * 4, 2 * 2 * 7, 2 * 4, 2 * 2 * 4])
  })
})

describe('time zones and sums', () => {
  let client: Client

  beforeAll(async () => {
    client = await world.client('Zones')
    const vehicle = await world.rows.vehicle(client.accountId, { deviceId: 17 })
    for (const start of [
      '2020-03-28T23:30:00Z',
      '2020-03-29T21:59:59Z',
      '2020-03-29T22:30:00Z',
      '2020-10-24T22:30:00Z',
      '2020-10-25T22:30:00Z',
      '2020-10-25T23:30:00Z',
    ])
      await world.rows.trip(vehicle, { start, metres: 1001, seconds: 61 })
  })

  test('[D-AGGREGATION-13] timeZone: days of 23 and 25 hours begin and end where the clocks there say', async () => {
    const rows = await client.read<Aggregation[]>(
      '/aggregations?timeZone=Europe/Berlin&aggregation=TRIP_DURATION&aggregationType=SUM',
    )
    expect(rows.map(({ bin, value }) => [bin, value / 61])).toEqual([
      ['2020-03-28T23:00:00.000Z', 2],
      ['2020-03-29T22:00:00.000Z', 1],
      ['2020-10-24T22:00:00.000Z', 2],
      ['2020-10-25T23:00:00.000Z', 1],
    ])
  })

  test('[D-AGGREGATION-13] an unknown timeZone is 400 naming it', async () => {
    expect(await client.refusalOf('/aggregations?timeZone=Europe/Atlantis')).toContain('timeZone')
  })

  test('[D-AGGREGATION-14, D-REPLY-10] DAY rows add up exactly to WEEK, MONTH and YEAR rows', async () => {
    const busy = await world.client('Sums')
    const vehicle = await world.rows.vehicle(busy.accountId, { deviceId: 18 })
    for (let trip = 0; trip < 60; trip++)
      await world.rows.trip(vehicle, {
        start: new Date(Date.UTC(2020, 0, 1) + trip * 11 * 3_600_000).toISOString(),
        metres: 100 + trip * 37,
        seconds: 60 + trip,
      })
    const inMetres = async (binSize: string, zone: string) =>
      (
        await busy.read<Aggregation[]>(
          `/aggregations?aggregation=DRIVEN_DISTANCE&aggregationType=SUM&binSize=${binSize}&timeZone=${zone}`,
        )
      ).reduce((sum, { value }) => {
        const metres = Math.round(value * 1000)
        expect(value).toBe(metres / 1000)
        return sum + metres
      }, 0)
    const whole = 60 * 100 + 37 * ((59 * 60) / 2)
    for (const zone of ['UTC', 'America/New_York'])
      for (const binSize of ['DAY', 'WEEK', 'MONTH', 'YEAR']) expect(await inMetres(binSize, zone)).toBe(whole)
  })
})
