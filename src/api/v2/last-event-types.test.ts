import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Vehicle, VehicleList } from '../../../test/conformance/shapes.ts'
import { type Client, nextOf, startWorld, type World } from '../../../test/conformance/world.ts'
import { deep } from '../../../test/deep.ts'
import { ingestClient, type SentEvent } from '../../../test/ingest-client.ts'
import { settled } from '../../../test/settled.ts'
import { EVENT_TYPES, type EventType } from '../../catalogue/event-types.ts'

const FIRST = 356307042441000
/** More than a page of the walk. */
const CARS = 120
const VIN = 'WVWZZZ1JZ3W386752'
const EVERY_TYPE = EVENT_TYPES.map(({ name }) => name)

let world: World
let fleet: Client

beforeAll(async () => {
  world = await startWorld()
  fleet = await world.client('Fleet')
  const client = ingestClient(world.service.intakeUrl, fleet.token)
  const events: SentEvent[] = []
  for (let car = 0; car < CARS; car++)
    for (const [index, type] of EVENT_TYPES.entries()) {
      // Every car measures other types; the first one all but the state of its battery, which follows from the voltage.
      if (type.name === 'BATTERY_STATE' || type.name === 'VIN' || (car > 0 && (index + car) % (2 + (car % 5)) === 0))
        continue
      const recordedTimestamp = new Date(Date.UTC(2020, 1, 22, 14, index, car)).toISOString()
      events.push({ deviceId: FIRST + car, recordedTimestamp, eventType: type.name, value: valueOf(type, car) })
    }
  // Two dongles in one car: each has types that the other one lacks, and of some the newer value.
  for (const [deviceId, minute] of [
    [FIRST + 3, 1],
    [FIRST + 4, 2],
    [FIRST + 3, 3],
    [FIRST + 4, 4],
  ] as const)
    events.push({ deviceId, recordedTimestamp: `2020-02-23T08:0${minute}:00Z`, eventType: 'VIN', value: VIN })
  await client.store(events)
  await settled(world.service.database)
})
afterAll(() => world.stop())

function valueOf({ name, dataType }: EventType, car: number): SentEvent['value'] {
  if (name === 'BATTERY_VOLTAGE') return 14
  if (dataType === 'STRING') return `{"${name}", ${car}} ° NULL`
  if (dataType === 'GEO') return { lon: 8.4 + car / 100, lat: car / 10_000_000 }
  return dataType === 'BOOLEAN' ? car % 2 === 0 : car + 0.25
}

const list = async (query: string, as = fleet) =>
  (await as.read<VehicleList>(`/vehicles?maxResults=500${query}`)).vehicles
const only = (types: readonly string[], vehicles: readonly Vehicle[]) =>
  vehicles.map(vehicle => ({
    ...vehicle,
    lastEvents: vehicle.lastEvents.filter(event => types.includes(event.eventType)),
  }))

describe('lastEventTypes of GET /vehicles', () => {
  let all: readonly Vehicle[]
  beforeAll(async () => {
    all = await list('')
  })

  it('leaves of lastEvents what was asked for, and everything else as it is', async () => {
    expect(all.filter(({ lastEvents }) => lastEvents.length > 40).length).toBeGreaterThan(CARS / 2)
    expect(all.find(({ id }) => id === `VIN${VIN}`)?.lastEvents.map(event => event.deviceId)).toEqual(
      expect.arrayContaining([FIRST + 3, FIRST + 4]),
    )
    const types = fc.oneof(
      fc.subarray(EVERY_TYPE, { minLength: 1, maxLength: 12 }),
      fc.subarray(EVERY_TYPE, { minLength: 1 }),
    )
    await fc.assert(
      fc.asyncProperty(types, async chosen => {
        expect(await list(`&lastEventTypes=${chosen.join(',')}`)).toEqual(only(chosen, all))
      }),
      { numRuns: deep(4) },
    )
  })

  it('spaces, repetition and unknown types do no harm; nothing known is nothing, empty is everything', async () => {
    const expected = only(['POSITION', 'GPS_SPEED'], all)
    expect(await list('&lastEventTypes=%20GPS_SPEED%20,,POSITION,GPS_SPEED,WARP_FACTOR')).toEqual(expected)
    expect(await list('&lastEventTypes=GPS_SPEED&lastEventTypes=POSITION')).toEqual(expected)
    expect(await list('&lastEventTypes=WARP_FACTOR')).toEqual(only([], all))
    expect(await list('&lastEventTypes=')).toEqual(all)
  })

  it('is kept by the links of a cut list, and changes nothing of the sync', async () => {
    const query = '&lastEventTypes=POSITION,BATTERY_STATE'
    const walked: Vehicle[] = []
    let page = await fleet.get<VehicleList>(`/vehicles?filterTimestamp=2000-01-01&maxResults=110${query}`)
    const { modifyTimestamp } = await fleet.read<VehicleList>('/vehicles?filterTimestamp=2000-01-01&maxResults=110')
    expect(page.body.modifyTimestamp).toBe(modifyTimestamp)
    for (;;) {
      walked.push(...page.body.vehicles)
      const next = nextOf(page)
      if (next === undefined) break
      page = await fleet.get<VehicleList>(next)
    }
    expect(walked).toEqual(only(['POSITION', 'BATTERY_STATE'], await list('&filterTimestamp=2000-01-01')))
    await fleet.measured(FIRST, '2020-02-24T08:00:00Z', { GPS_SPEED: 17 })
    const changed = await list(`&filterTimestamp=${page.body.modifyTimestamp}${query}`)
    expect(changed.map(({ id }) => id)).toEqual([`IMEI_${FIRST}`])
  })

  it('shows no positions to those who must not see them', async () => {
    const blind = await world.client('Fleet', ['vehicles'])
    const vehicles = await list('&lastEventTypes=POSITION,GPS_SPEED', blind)
    expect(vehicles).toEqual(only(['GPS_SPEED'], await list('')))
    const places = ['POSITION', 'NETWORK_CELL_INFO', 'GPS_COURSE', 'GPS_ALTITUDE', 'IMSI', 'ICCID']
    const shown = EVERY_TYPE.filter(type => !places.includes(type))
    expect(await list('', blind)).toEqual(only(shown, await list('')))
    expect(await list('&lastEventTypes=POSITION', blind)).toEqual(only([], vehicles))
  })
})

describe('lastEventTypes of GET /vehicles/{vehicleId}', () => {
  const car = `IMEI_${FIRST + 10}`
  const events = async (query: string) => (await fleet.read<Vehicle>(`/vehicles/${car}${query}`)).lastEvents

  it('leaves of lastEvents what was asked for, with an ETag of its own', async () => {
    const [whole] = only(['POSITION', 'ICCID'], [await fleet.read<Vehicle>(`/vehicles/${car}`)])
    const path = `/vehicles/${car}?lastEventTypes=POSITION,ICCID`
    const answer = await fleet.get<Vehicle>(path)
    expect(answer.body).toEqual(whole)
    const etag = answer.headers.get('etag') ?? ''
    expect(etag).not.toBe((await fleet.get(`/vehicles/${car}`)).headers.get('etag'))
    expect((await fleet.get(path, { 'if-none-match': etag })).status).toBe(304)
  })

  it('knows the latest state of a battery whose voltage says nothing any more', async () => {
    await fleet.measured(FIRST + 10, '2020-02-25T08:00:00Z', { BATTERY_VOLTAGE: 10.5 })
    await fleet.measured(FIRST + 10, '2020-02-25T09:00:00Z', { BATTERY_VOLTAGE: 12.25 })
    const state = { eventType: 'BATTERY_STATE', value: 'Warning', recordedTimestamp: '2020-02-25T08:00:00.000Z' }
    const voltage = { eventType: 'BATTERY_VOLTAGE', value: 12.25, recordedTimestamp: '2020-02-25T09:00:00.000Z' }
    for (const [query, expected] of [
      ['BATTERY_STATE', [state]],
      ['BATTERY_VOLTAGE', [voltage]],
      ['BATTERY_VOLTAGE,BATTERY_STATE', [state, voltage]],
    ] as const) {
      expect(await events(`?lastEventTypes=${query}`)).toMatchObject(expected)
      const listed = (await list(`&lastEventTypes=${query}`)).find(({ id }) => id === car)
      expect(listed?.lastEvents).toMatchObject(expected)
    }
  })

  it('has the alarm system of the settings', async () => {
    await fleet.send('PUT', `/vehicles/${car}/settings`, { settings: { alarmSystem: true } })
    const [alarm] = await events('?lastEventTypes=ALARM_SYSTEM')
    expect(alarm).toMatchObject({ eventType: 'ALARM_SYSTEM', value: true })
    expect((await events('?lastEventTypes=POSITION,ALARM_SYSTEM')).map(event => event.eventType)).toEqual([
      'ALARM_SYSTEM',
      'POSITION',
    ])
    expect((await events('?lastEventTypes=POSITION')).map(event => event.eventType)).toEqual(['POSITION'])
  })
})
