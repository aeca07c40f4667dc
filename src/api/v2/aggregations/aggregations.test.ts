import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { startApi } from '../../../../test/api.ts'
import { deep } from '../../../../test/deep.ts'
import { fleetRows } from '../../../../test/fleet-rows.ts'
import { expectDocumented } from '../../../../test/openapi-conformity.ts'
import { requiredEventType } from '../../../catalogue/event-types.ts'
import type { Aggregation } from './aggregations.ts'

const MILEAGE = String(requiredEventType('MILEAGE').id)

const api = await startApi()
const rows = fleetRows(api.database)
const client = await api.client('Fleet')
const stranger = await api.client('Other')
const golf = await rows.vehicle(client.accountId, { deviceId: 11, vin: 'WVWZZZ1KZAW000001' })
const polo = await rows.vehicle(client.accountId, { deviceId: 12 })
// 2020-01-06 is a Monday.
await rows.trip(golf, { start: '2020-01-05T10:00:00Z', metres: 1100, seconds: 60 })
await rows.trip(golf, { start: '2020-01-06T10:00:00Z', metres: 2200, seconds: 120 })
await rows.trip(golf, { start: '2020-01-06T12:00:00Z', metres: 3303, seconds: 121 })
await rows.trip(polo, { start: '2020-01-06T23:59:59.999Z', metres: 4400, seconds: 240 })
await rows.trip(polo, { start: '2020-01-07T00:00:00Z', metres: 5500, seconds: 300, isOpen: true })
await rows.trip(polo, { start: '2020-01-06T08:00:00Z', metres: 9999, seconds: 999, deleted: '2020-01-08T00:00:00Z' })

afterAll(() => api.stop())

async function list(query: string, as = client): Promise<Aggregation[]> {
  const response = await as.get(`/aggregations?${query}`)
  expect(response.statusCode === 200 ? 200 : response.body).toBe(200)
  await expectDocumented(response, 'GET', '/aggregations')
  return response.json<Aggregation[]>()
}

/** `2020-01-06 VINWVW… SUM 5.503`, in the order of the reply. */
const lines = async (query: string, as = client) =>
  (await list(query, as)).map(
    row => `${row.bin.replace('T00:00:00.000Z', '')} ${row.vehicleId} ${row.aggregationType} ${row.value}`,
  )

describe('GET /aggregations', () => {
  it.each([
    ['aggregation=DISTANCE', 'aggregation', /DRIVEN_DISTANCE, TRIP_DURATION/],
    ['aggregationType=MEDIAN', 'aggregationType', /MIN, MAX, AVG, SUM, START, END, DIFFERENCE/],
    ['aggregationType=MIN;MAX', 'aggregationType', /MIN/],
    ['bin=DAY', 'bin', /VEHICLE, FLEET/],
    ['binSize=HOUR', 'binSize', /DAY, WEEK, MONTH, YEAR/],
    ['fromTimestamp=2020', 'fromTimestamp', /ISO 8601/],
    ['toTimestamp=2020-13-01', 'toTimestamp', /ISO 8601/],
    ['timeZone=Berlin', 'timeZone', /IANA/],
    ['timeZone=CST', 'timeZone', /IANA/],
    ['timeZone=UTC%2B2', 'timeZone', /IANA/],
    ['timeZone=Europe/Atlantis', 'timeZone', /IANA/],
    ['timeZone=SystemV/AST4', 'timeZone', /IANA/],
    ['timeZone=../etc/passwd', 'timeZone', /IANA/],
  ])('%s is refused with a message that names %s and what is allowed', async (query, parameter, allowed) => {
    const response = await client.get(`/aggregations?${query}`)
    await expectDocumented(response, 'GET', '/aggregations')
    expect(response.statusCode).toBe(400)
    const { errorMessage } = response.json<{ errorMessage: string }>()
    expect(errorMessage).toMatch(new RegExp(`^${parameter} `))
    expect(errorMessage).toMatch(allowed)
  })

  it('shows a stranger nothing and needs the permission', async () => {
    expect(await list('', stranger)).toEqual([])
    expect(await list('vehicleId=IMEI_12', stranger)).toEqual([])
    const response = await (await api.client('Fleet', ['trips'])).get('/aggregations')
    expect(response.statusCode).toBe(403)
    await expectDocumented(response, 'GET', '/aggregations')
  })
})

it.each([
  ['Europe/Berlin', 'DAY', '2020-03-29T00:30:00Z', '2020-03-28T23:00:00.000Z'],
  ['Europe/Berlin', 'DAY', '2020-03-29T21:59:59Z', '2020-03-28T23:00:00.000Z'],
  ['Europe/Berlin', 'DAY', '2020-03-29T22:00:00Z', '2020-03-29T22:00:00.000Z'],
  ['Europe/Berlin', 'WEEK', '2020-10-25T22:59:59Z', '2020-10-18T22:00:00.000Z'],
  ['Europe/Berlin', 'WEEK', '2020-10-25T23:00:00Z', '2020-10-25T23:00:00.000Z'],
  ['Europe/Berlin', 'MONTH', '2020-10-31T23:30:00Z', '2020-10-31T23:00:00.000Z'],
  ['europe/berlin', 'YEAR', '2020-12-31T23:30:00Z', '2020-12-31T23:00:00.000Z'],
  // Midnight comes twice; the day begins with the first.
  ['America/Havana', 'DAY', '2022-11-06T04:30:00Z', '2022-11-06T04:00:00.000Z'],
  ['America/Havana', 'DAY', '2022-11-06T05:30:00Z', '2022-11-06T04:00:00.000Z'],
  // There is no midnight.
  ['America/Sao_Paulo', 'DAY', '2018-11-04T03:10:00Z', '2018-11-04T03:00:00.000Z'],
  ['Asia/Kathmandu', 'DAY', '2020-01-01T18:15:00Z', '2020-01-01T18:15:00.000Z'],
  ['UTC', 'WEEK', '2021-01-03T12:00:00Z', '2020-12-28T00:00:00.000Z'],
])('bins in %s, the %s of %s begins at %s', async (timeZone, binSize, start, bin) => {
  const fleet = await api.client(`${timeZone} ${binSize} ${start}`)
  const vehicle = await rows.vehicle(fleet.accountId, { deviceId: Date.parse(start) / 1000 + timeZone.length })
  await rows.trip(vehicle, { start })
  const query = `timeZone=${timeZone}&binSize=${binSize}&aggregation=TRIP_DURATION&aggregationType=SUM`
  expect((await list(query, fleet)).map(row => row.bin)).toEqual([bin])
})

it('the odometer is START and END where there is one, carried over trips without a reading', async () => {
  const fleet = await api.client('Odometers')
  const vehicle = await rows.vehicle(fleet.accountId, { deviceId: 2000 })
  const trip = (start: string, metres: number, reading?: object) =>
    rows.trip(vehicle, { start, metres, ...(reading ? { meters: { [MILEAGE]: reading } } : {}) })
  await trip('2020-01-01T08:00:00Z', 1000)
  await trip('2020-01-02T08:00:00Z', 2000, { start: 50_000.5, end: 50_002.6 })
  await trip('2020-01-03T08:00:00Z', 3000)
  await trip('2020-01-03T09:00:00Z', 4000, { start: 50_010 })
  await trip('2020-01-03T10:00:00Z', 5000)
  await trip('2020-01-04T08:00:00Z', 6000, { end: 60_000 })
  await trip('2020-01-05T08:00:00Z', 7000, { start: 1e300, end: -1e308 })
  const query = 'vehicleId=IMEI_2000&aggregation=DRIVEN_DISTANCE&aggregationType=START,END,DIFFERENCE'
  expect(await lines(query, fleet)).toEqual([
    '2020-01-01 IMEI_2000 DIFFERENCE 1',
    '2020-01-01 IMEI_2000 END 1',
    '2020-01-01 IMEI_2000 START 0',
    '2020-01-02 IMEI_2000 DIFFERENCE 2.1',
    '2020-01-02 IMEI_2000 END 50002.6',
    '2020-01-02 IMEI_2000 START 50000.5',
    '2020-01-03 IMEI_2000 DIFFERENCE 12',
    '2020-01-03 IMEI_2000 END 50019',
    '2020-01-03 IMEI_2000 START 50007',
    '2020-01-04 IMEI_2000 DIFFERENCE 6',
    '2020-01-04 IMEI_2000 END 60000',
    '2020-01-04 IMEI_2000 START 59994',
    '2020-01-05 IMEI_2000 DIFFERENCE 7',
    '2020-01-05 IMEI_2000 END 28',
    '2020-01-05 IMEI_2000 START 21',
  ])
})

describe('the growth of the odometer', () => {
  let devices = 3000

  /** The statistics of a car with these trips, each from an hour to another: by type, in the order of the bins. */
  async function valuesOf(trips: readonly Drive[], query: string): Promise<Record<string, number[]>> {
    const deviceId = ++devices
    const fleet = await api.client(`Growth ${deviceId}`)
    const vehicle = await rows.vehicle(fleet.accountId, { deviceId })
    for (const { from, to, metres, reading } of trips)
      await rows.trip(vehicle, {
        start: atHour(from),
        end: atHour(to),
        metres,
        ...(reading ? { meters: { [MILEAGE]: { start: reading[0], end: reading[1] } } } : {}),
      })
    const values: Record<string, number[]> = {}
    for (const row of await list(`vehicleId=IMEI_${deviceId}&aggregation=DRIVEN_DISTANCE&${query}`, fleet))
      values[row.aggregationType] = [...(values[row.aggregationType] ?? []), row.value]
    return values
  }

  interface Drive {
    /** Hours since the begin of 2020. */
    readonly from: number
    readonly to: number
    readonly metres: number
    readonly reading?: readonly [start: number, end: number]
  }
  const atHour = (hour: number) => new Date(Date.UTC(2020, 0, 1) + hour * 3_600_000).toISOString()

  it('is DIFFERENCE, without what a swapped instrument cluster changed, in a trip and between two', async () => {
    const trips: Drive[] = [
      { from: 8, to: 9, metres: 10_000, reading: [120_000, 120_010] },
      // Swapped while driving, and again in the night.
      { from: 32, to: 33, metres: 12_000, reading: [120_010, 5] },
      { from: 56, to: 57, metres: 20_000, reading: [80_000, 80_020] },
      // Driven 15 km that no dongle told of.
      { from: 58, to: 59, metres: 10_000, reading: [80_035, 80_045] },
    ]
    const types = 'aggregationType=START,END,DIFFERENCE,SUM'
    expect(await valuesOf(trips, `binSize=YEAR&${types}`)).toEqual({
      START: [120_000],
      END: [80_045],
      DIFFERENCE: [10 + 12 + 20 + 15 + 10],
      SUM: [52],
    })
    expect(await valuesOf(trips, `binSize=DAY&${types}`)).toEqual({
      START: [120_000, 120_010, 80_000],
      END: [120_010, 5, 80_045],
      DIFFERENCE: [10, 12, 45],
      SUM: [10, 12, 30],
    })
  })

  it.each<[what: string, second: Drive, grown: number]>([
    ['as much as a car drives in the time', { from: 2, to: 3, metres: 5000, reading: [1260, 1265] }, 10 + 250 + 5],
    ['more than a car drives in the time', { from: 2, to: 3, metres: 5000, reading: [1260.001, 1265.001] }, 10 + 5],
    ['nothing', { from: 2, to: 3, metres: 5000, reading: [1010, 1015] }, 10 + 5],
    ['backwards', { from: 2, to: 3, metres: 5000, reading: [1009.999, 1014.999] }, 10 + 5],
    // The car had driven 15 km before its odometer was read.
    ['more, but it was read late', { from: 2, to: 3, metres: 20_000, reading: [1275, 1280] }, 10 + 265 + 5],
    [
      'more, and it was not read late enough',
      { from: 2, to: 3, metres: 20_000, reading: [1275.001, 1280.001] },
      10 + 5,
    ],
    ['by overlapping trips of two dongles', { from: 0.5, to: 3, metres: 5000, reading: [1011, 1016] }, 10 + 5],
  ])('between two trips is driven where it is possible: %s', async (_what, second, grown) => {
    const first: Drive = { from: 0, to: 1, metres: 10_000, reading: [1000, 1010] }
    expect(await valuesOf([first, second], 'aggregationType=DIFFERENCE')).toEqual({ DIFFERENCE: [grown] })
    // The same on two days, and in a bin of both.
    const later = ({ from, to, ...rest }: Drive): Drive => ({ ...rest, from: from + 22.9, to: to + 22.9 })
    const asked = 'aggregationType=DIFFERENCE&binSize=MONTH'
    expect(await valuesOf([later(first), later(second)], asked)).toEqual({ DIFFERENCE: [grown] })
  })

  it.each<[what: string, reading: readonly [number, number], grown: number]>([
    ['as the trip was long', [500, 510], 10],
    ['a step of a coarse odometer more', [500, 511], 11],
    ['more than that', [500, 511.001], 10],
    ['less, because it was read late', [500, 502], 2],
    ['not at all', [500, 500], 0],
    ['backwards', [500, 499.999], 10],
  ])('within a trip is what it shows, unless it jumped: %s', async (_what, reading, grown) => {
    const trip: Drive = { from: 0, to: 1, metres: 10_000, reading }
    expect(await valuesOf([trip], 'aggregationType=DIFFERENCE')).toEqual({ DIFFERENCE: [grown] })
  })

  it('goes over trips without a reading from one reading to the next, and counts these where it jumped', async () => {
    const unread = (from: number): Drive => ({ from, to: from + 1, metres: 7000 })
    const read = (from: number, start: number): Drive => ({
      from,
      to: from + 1,
      metres: 5000,
      reading: [start, start + 5],
    })
    const asked = 'binSize=MONTH&aggregationType=DIFFERENCE'
    // Their length is a measurement, too, and the odometer knows better.
    expect(await valuesOf([unread(0), read(8, 100), unread(30), unread(32), read(50, 118), unread(60)], asked)).toEqual(
      {
        DIFFERENCE: [7 + 5 + 13 + 5 + 7],
      },
    )
    expect(await valuesOf([unread(0), read(8, 100), unread(30), unread(32), read(50, 104), unread(60)], asked)).toEqual(
      {
        DIFFERENCE: [7 + 5 + 14 + 5 + 7],
      },
    )
    expect(await valuesOf([unread(0), unread(30)], asked)).toEqual({ DIFFERENCE: [14] })
  })
})

it('sums of days add up exactly to those of weeks, months and years, and of vehicles to the fleet', async () => {
  let run = 0
  const trips = fc.array(
    fc.record({
      vehicle: fc.integer({ min: 0, max: 2 }),
      minute: fc.integer({ min: 0, max: 3 * 366 * 24 * 60 }),
      metres: fc.integer({ min: 0, max: 2_000_000_000 }),
      seconds: fc.integer({ min: 0, max: 2_000_000_000 }),
    }),
    { maxLength: 12 },
  )
  await fc.assert(
    fc.asyncProperty(trips, fc.constantFrom('UTC', 'Europe/Berlin', 'America/Havana'), async (driven, timeZone) => {
      const fleet = await api.client(`Sums ${run}`)
      const vehicles = await Promise.all(
        [0, 1, 2].map(index => rows.vehicle(fleet.accountId, { deviceId: 1_000_000 + run * 10 + index })),
      )
      run++
      for (const { vehicle, minute, metres, seconds } of driven)
        await rows.trip(vehicles[vehicle] ?? golf, {
          start: new Date(Date.UTC(2019, 0, 1, 0, minute)).toISOString(),
          metres,
          seconds,
        })
      const totals = {
        DRIVEN_DISTANCE: driven.reduce((sum, trip) => sum + trip.metres, 0),
        TRIP_DURATION: driven.reduce((sum, trip) => sum + trip.seconds, 0),
      }
      for (const bin of ['VEHICLE', 'FLEET'])
        for (const binSize of ['DAY', 'WEEK', 'MONTH', 'YEAR']) {
          const all = await list(`bin=${bin}&binSize=${binSize}&timeZone=${timeZone}`, fleet)
          const sum = { DRIVEN_DISTANCE: 0, TRIP_DURATION: 0 }
          for (const row of all)
            if (row.aggregationType === 'SUM')
              sum[row.eventType] += row.eventType === 'TRIP_DURATION' ? row.value : Math.round(row.value * 1000)
          expect(sum).toEqual(totals)
          // Without an odometer, one bin starts where the one before ends.
          for (const vehicleId of new Set(all.map(row => row.vehicleId))) {
            const edges = (type: string) =>
              all.filter(row => row.vehicleId === vehicleId && row.aggregationType === type).map(row => row.value)
            expect(edges('START').slice(2)).toEqual(edges('END').slice(0, -2))
          }
        }
    }),
    { numRuns: deep(5) },
  )
})
