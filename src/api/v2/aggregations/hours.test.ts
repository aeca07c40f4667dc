import { afterAll, describe, expect, it } from 'vitest'
import { startApi, type TestClient } from '../../../../test/api.ts'
import { fleetRows } from '../../../../test/fleet-rows.ts'
import { expectDocumented } from '../../../../test/openapi-conformity.ts'
import type { DrivingHour } from './hours.ts'

const HOUR_S = 3600

const api = await startApi()
const rows = fleetRows(api.database)

afterAll(() => api.stop())

let devices = 0

interface Drive {
  readonly start: string
  readonly seconds: number
}

/** As a row of trips. */
const during = ({ start, seconds }: Drive) => {
  const end = new Date(Date.parse(start) + seconds * 1000).toISOString()
  return { start, end, seconds }
}

/** An account with one car and these trips. */
async function accountWith(...trips: readonly Drive[]) {
  devices += 1
  const client = await api.client(`Fleet ${devices}`)
  const vehicle = await rows.vehicle(client.accountId, { deviceId: devices })
  for (const trip of trips) await rows.trip(vehicle, during(trip))
  return { client, vehicle, vehicleId: `IMEI_${devices}` }
}

async function hoursOf(client: TestClient, query: string): Promise<DrivingHour[]> {
  const response = await client.get(`/aggregations/hours?${query}`)
  expect(response.statusCode === 200 ? 200 : response.body).toBe(200)
  await expectDocumented(response, 'GET', '/aggregations/hours')
  return response.json<DrivingHour[]>()
}

/** `1 08h 600`: weekday, hour, seconds. */
const lines = async (client: TestClient, query = '') =>
  (await hoursOf(client, query)).map(
    ({ weekday, hour, duration }) => `${weekday} ${String(hour).padStart(2, '0')}h ${duration}`,
  )

describe('GET /aggregations/hours', () => {
  it('has the hours of the week in which a car drove, all weeks together, in order', async () => {
    // 2020-01-06 and 2020-01-13 are Mondays.
    const { client } = await accountWith(
      { start: '2020-01-07T08:10:00Z', seconds: 600 },
      { start: '2020-01-06T08:00:00Z', seconds: 1200 },
      { start: '2020-01-13T08:59:59.500Z', seconds: 1 },
    )
    expect(await lines(client)).toEqual(['1 08h 1200.5', '1 09h 0.5', '2 08h 600'])
  })

  it('a trip over midnight counts on both days, over the end of a week in both weekdays', async () => {
    const { client } = await accountWith({ start: '2020-01-05T22:50:00Z', seconds: 2 * HOUR_S })
    expect(await lines(client)).toEqual(['1 00h 3000', '7 22h 600', '7 23h 3600'])
    expect(await lines(client, 'timeZone=Europe/Berlin')).toEqual(['1 00h 3600', '1 01h 3000', '7 23h 600'])
  })

  it.each([
    [
      'to winter time has the hour that comes twice twice',
      '2020-10-25T00:30:00Z',
      3,
      ['7 02h 5400', '7 03h 3600', '7 04h 1800'],
    ],
    // From 00:30 UTC: half an hour from 01:30 on, then 03:00.
    [
      'to summer time leaves out the hour that does not come',
      '2020-03-29T00:30:00Z',
      2,
      ['7 01h 1800', '7 03h 3600', '7 04h 1800'],
    ],
  ])('over the change %s', async (_name, start, hours, expected) => {
    const { client } = await accountWith({ start, seconds: hours * HOUR_S })
    expect(await lines(client, 'timeZone=Europe/Berlin')).toEqual(expected)
  })

  it.each([
    ['Asia/Kathmandu', '2020-01-06T00:00:00Z', ['1 05h 900', '1 06h 2700']],
    // Clocks there go back by half an hour, from 02:00 to 01:30.
    ['Australia/Lord_Howe', '2020-04-04T14:30:00Z', ['7 01h 3600']],
  ])('in %s, where hours begin within those of UTC', async (timeZone, start, expected) => {
    const { client } = await accountWith({ start, seconds: HOUR_S })
    expect(await lines(client, `timeZone=${timeZone}`)).toEqual(expected)
  })

  it('of one vehicle and of trips that begin in the range; what was deleted counts for nothing', async () => {
    const { client, vehicle, vehicleId } = await accountWith({ start: '2020-01-06T08:00:00Z', seconds: 60 })
    const other = await rows.vehicle(client.accountId, { deviceId: 9_000_001 })
    await rows.trip(other, during({ start: '2020-01-06T10:00:00Z', seconds: 70 }))
    await rows.trip(vehicle, {
      ...during({ start: '2020-01-06T12:00:00Z', seconds: 80 }),
      deleted: '2020-01-08T00:00:00Z',
    })
    await rows.trip(vehicle, { ...during({ start: '2020-01-07T12:00:00Z', seconds: 90 }), isOpen: true })
    expect(await lines(client)).toEqual(['1 08h 60', '1 10h 70', '2 12h 90'])
    expect(await lines(client, `vehicleId=${vehicleId}`)).toEqual(['1 08h 60', '2 12h 90'])
    expect(await lines(client, 'vehicleId=IMEI_404')).toEqual([])
    const range = 'fromTimestamp=2020-01-06T10:00:00Z&toTimestamp=2020-01-07T12:00:00Z'
    expect(await lines(client, range)).toEqual(['1 10h 70', '2 12h 90'])
    expect(await lines(client, 'toTimestamp=2020-01-06T09:59:59.999Z')).toEqual(['1 08h 60'])
    expect(await lines(await api.client('Stranger'), `vehicleId=${vehicleId}`)).toEqual([])
  })

  it.each([
    ['timeZone=Europe/Atlantis', /^timeZone .*IANA/],
    ['fromTimestamp=2020', /^fromTimestamp .*ISO 8601/],
  ])('%s is refused with a message that says what is allowed', async (query, message) => {
    const response = await (await api.client('Curious')).get(`/aggregations/hours?${query}`)
    await expectDocumented(response, 'GET', '/aggregations/hours')
    expect(response.statusCode).toBe(400)
    expect(response.json<{ errorMessage: string }>().errorMessage).toMatch(message)
  })

  it('needs the permission for aggregations', async () => {
    const response = await (await api.client('Trips only', ['trips'])).get('/aggregations/hours')
    expect(response.statusCode).toBe(403)
  })
})
