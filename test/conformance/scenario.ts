import { afterAll, beforeAll, expect, test } from 'vitest'
import { positionsOf } from '../../src/derive/trips/route.ts'
import { distanceM } from '../../src/model/earth.ts'
import { settled } from '../settled.ts'
import { instant, type Place, type Samples, secondOf } from './made-up-drives.ts'

import type { Trip, TripList } from './shapes.ts'
import { type Client, startWorld, type World } from './world.ts'

/** What a dongle sends, and the trips that a client must then find. */
interface Scenario {
  /** With the ids of its statements. */
  readonly title: string
  readonly sent: Samples
  readonly trips: readonly Drive[]
  /** Where the car was: a route has no point farther than 100 m from it, and trips begin and end near it. */
  readonly road?: readonly Place[]
  /** What else a client reads, and the expected values. */
  readonly reads?: (known: Known) => unknown
  readonly as?: unknown
}

/** What can be read of a scenario. */
export interface Known {
  readonly trips: readonly Trip[]
  readonly vehicleId: string
  readonly fleet: Client
}

/** A drive as it really was: seconds and kilometres, and by how much a trip may differ from it. */
interface Drive {
  readonly from: number
  readonly to: number
  readonly km: number
  /** A minute by default. */
  readonly withinS?: number
  /** A fiftieth of the distance by default. */
  readonly withinKm?: number
}

const FARTHEST_M = 100
let lastDevice = 1000

/** Sends all scenarios to one service at once, each from a dongle of its own, and checks what the API then returns for each. */
export function testScenarios(scenarios: readonly Scenario[]): void {
  let world: World
  let fleet: Client
  const devices = scenarios.map(scenario => ({ scenario, deviceId: ++lastDevice }))

  beforeAll(async () => {
    world = await startWorld()
    fleet = await world.client('Fleet')
    for (const { scenario, deviceId } of devices) await sendSamples(fleet, deviceId, scenario.sent)
    await settled(world.service.database)
  })
  afterAll(() => world.stop())

  test.each(devices.map(device => [device.scenario.title, device] as const))('%s', async (_title, device) => {
    const { scenario, deviceId } = device
    const { trips } = await fleet.read<TripList>(`/trips?deviceId=${deviceId}`)
    expectDrives(trips, scenario.trips)
    if (scenario.road) expectOnRoad(trips, scenario.road)
    expect(await scenario.reads?.({ trips, fleet, vehicleId: `IMEI_${deviceId}` })).toEqual(scenario.as)
  })
}

/** Sends samples of a dongle by HTTP. @throws unless they were accepted. */
export async function sendSamples(client: Client, deviceId: number, samples: Samples): Promise<void> {
  const events = Object.entries(samples).flatMap(([at, values]) =>
    Object.entries(values).map(([eventType, value]) => ({
      deviceId,
      recordedTimestamp: instant(Number(at)),
      eventType,
      value,
    })),
  )
  const { status, text } = await client.ingest(events)
  if (status !== 200) throw new Error(`${status}: ${text}`)
}

/** Expects exactly one trip for each drive. */
export function expectDrives(trips: readonly Trip[], drives: readonly Drive[]): void {
  const found = trips.map((trip, index) => {
    const drive = drives[index]
    const { from, to, km, withinS = 60, withinKm = km / 50 } = drive ?? { from: NaN, to: NaN, km: NaN }
    return {
      from: near(secondOf(trip.tripStartTimestamp), from, withinS),
      to: near(secondOf(trip.tripEndTimestamp), to, withinS),
      km: near(trip.distance, km, withinKm),
    }
  })
  expect(found).toEqual(drives.map(({ from, to, km }) => ({ from, to, km })))
}

/** The expected value if the actual one is near enough, so that a failure shows only what is not. */
function near(value: number, expected: number, within: number): number {
  return Math.abs(value - expected) <= within ? expected : value
}

/** Expects that no point of a route, and neither end, is farther than 100 m from where the car was. */
export function expectOnRoad(trips: readonly Trip[], road: readonly Place[]): void {
  for (const { aggregations, tripStartAddress, tripEndAddress } of trips) {
    const route = aggregations.find(({ aggregationType }) => aggregationType === 'POLYLINE')
    const line = positionsOf(String(route?.value ?? ''))
    const ends = [tripStartAddress, tripEndAddress].filter(address => address !== null)
    expect([ends.length, line.length > 1]).toEqual([2, true])
    const elsewhere = [...line, ...ends].filter(point => !road.some(place => distanceM(place, point) <= FARTHEST_M))
    expect(elsewhere).toEqual([])
  }
}
