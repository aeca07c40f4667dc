import { afterAll, describe, expect, it } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import { rebuildDevice } from '../../src/derive/rebuild.ts'
import { moveDevice } from '../../src/fleet/with-consequences.ts'
import type { DeviceId } from '../../src/model/sample.ts'
import { apiServerOn, BASE, type TestClient } from '../api.ts'
import { IS_DEEP } from '../deep.ts'
import { startService } from '../service.ts'
import { settled } from '../settled.ts'
import { everythingOf, type SyncedObject, syncOneByOne } from '../sync-client.ts'
import { type Scenario, type Uploads, uploadsOf } from './scenario.ts'
import { send } from './send.ts'
import { byStart, countingAtOnce, shownTrips } from './shown-trips.ts'

const LISTS = ['/trips', '/vehicles', '/devices'] as const
/** Three clients that sync share a process with the service. */
const REST_MS = 100

const SCENARIO: Scenario = {
  seed: 11,
  from: '2025-03-04T05:00Z',
  dongles: ['ignition', 'engine'],
  drivesByCar: IS_DEEP ? [3, 2] : [2, 1],
  sharesCars: false,
  ridesAlong: true,
  disturbances: ['gpsNoise', 'tunnels', 'reboots', 'deaths'],
  packetSize: 25,
  inPieces: 0.2,
  disorder: 'shuffled',
  repeated: 0.2,
  connections: 4,
  rests: 1,
}

const MORE_SCENARIOS: readonly (readonly [string, Partial<Scenario>])[] = [
  ['live first', { disorder: 'live first', seed: 12, dongles: ['ignition without odometer', 'ignition'] }],
  ['some of it late', { disorder: 'some late', seed: 13, dongles: ['ignition', 'ignition'] }],
]

/** With a second node: each packet of a dongle may be stored by another one than the packet before. */

const service = await startService()
const nodes = [service.intakeUrl, await service.secondIntake()]
const api = await apiServerOn(service.database, service.config)
afterAll(async () => {
  await api.close()
  await service.stop()
})

describe('dongles that ride along in the same cars, uploaded in any order over several connections', () => {
  let runs = 0

  function clientWith(key: string): TestClient {
    const headers = { authorization: `Bearer ${key}` }
    const get: TestClient['get'] = path => api.inject({ url: BASE + path, headers })
    return { accountId: 0, token: key, get, send: () => Promise.reject(new Error('it only reads')) }
  }

  async function countSuperseded(firstDevice: number): Promise<number | undefined> {
    const [row] = await service.database.rows<{ count: number }>(sql`
      select count(*)::integer as count from trips
      where device_id between ${firstDevice} and ${firstDevice + 9} and superseded_by is not null`)
    return row?.count
  }

  /** As statistics tell it. */
  async function metresOf(client: TestClient, bin: string, binSize: string): Promise<number> {
    const query = `aggregation=DRIVEN_DISTANCE&aggregationType=SUM&bin=${bin}&binSize=${binSize}`
    const bins = (await client.get(`/aggregations?${query}`)).json<{ value: number }[]>()
    return bins.reduce((sum, { value }) => sum + Math.round(value * 1000), 0)
  }

  /** Uploads all of it while clients sync, which must know in the end what is there. */
  async function upload(scenario: Scenario, andThen: (client: TestClient, firstDevice: number) => Promise<void>) {
    const firstDevice = 354_000_000_000_000 + runs++ * 10
    const key = await service.key(`Fleet ${runs}`)
    const client = clientWith(key)
    const uploads = uploadsOf(scenario, { firstDevice })
    let isDone = false
    const syncing = Promise.all(LISTS.map(path => syncOneByOne<SyncedObject>(client, path, () => isDone, REST_MS)))
    try {
      for (const part of uploads.parts) {
        await send(part, { urls: nodes, key, connections: scenario.connections })
        await settled(service.database)
      }
      await andThen(client, firstDevice)
    } finally {
      // Whatever happens, the clients come to an end before the service does.
      isDone = true
      await syncing
    }
    const known = await syncing
    for (const [i, path] of LISTS.entries()) expect(known[i]).toEqual(await everythingOf(client, path))
    return { client, firstDevice, uploads }
  }

  /** What counts is what would count had all been known at once, and nothing counts twice. */
  async function expectOneAtATime(client: TestClient, { inOrder }: Uploads) {
    const shown = shownTrips((await client.get('/trips?maxResults=10000')).body)
    const atOnce = await countingAtOnce(service.database, inOrder)
    expect(shown.sort(byStart)).toEqual(atOnce.sort(byStart))
    const metres = shown.reduce((sum, trip) => sum + trip.distanceM, 0)
    for (const bin of ['FLEET', 'VEHICLE'])
      for (const binSize of ['DAY', 'YEAR']) expect(await metresOf(client, bin, binSize)).toBe(metres)
    for (const samples of inOrder) {
      const deviceId = (samples[0]?.deviceId ?? 0) as DeviceId
      expect(await rebuildDevice(service.database, deviceId, { isCheck: true })).toEqual([])
    }
  }

  it.each<readonly [string, Partial<Scenario>]>([
    ['shuffled', {}],
    ['three at once', { disorder: 'delayed', seed: 14, dongles: ['engine', 'ignition', 'ignition without odometer'] }],
    ...(IS_DEEP ? MORE_SCENARIOS : []),
  ])('drive once: %s', async (_, wishes) => {
    const { client, firstDevice, uploads } = await upload({ ...SCENARIO, ...wishes }, async () => {})
    // Otherwise nothing was tested.
    expect(await countSuperseded(firstDevice)).toBeGreaterThan(2)
    await expectOneAtATime(client, uploads)
  })

  it('drive once from when an operator puts the other one into the car, and each for itself from when it is put back', async () => {
    const scenario: Scenario = {
      ...SCENARIO,
      seed: 15,
      dongles: ['ignition', 'motion'],
      drivesByCar: [3],
      connections: 2,
    }
    const superseded: unknown[] = []
    const { client, uploads } = await upload(scenario, async (own, firstDevice) => {
      superseded.push(await countSuperseded(firstDevice))
      const deviceId = (firstDevice + 1) as DeviceId
      const { vehicles } = (await own.get('/vehicles')).json<{ vehicles: { id: string }[] }>()
      const [imei = '', vin = ''] = vehicles.map(({ id }) => id).sort()
      for (const [name, at] of [
        [vin, '2025-01-01'],
        [imei, '2025-01-02'],
        [vin, '2025-01-03'],
        [imei, '2025-06-01'],
      ] as const) {
        const to = { kind: 'named', name } as const
        const request = { deviceId, to, accountId: undefined, atMs: Date.parse(at) }
        expect(await moveDevice(service.database, request)).toMatchObject({ kind: 'moved' })
        await settled(service.database)
        superseded.push(await countSuperseded(firstDevice))
      }
    })
    const [apart, together, apartAgain, togetherAgain, inTheEnd] = superseded
    expect([apart, apartAgain, inTheEnd]).toEqual([0, 0, together])
    expect(together).toBeGreaterThan(1)
    expect(togetherAgain).toBe(together)
    await expectOneAtATime(client, uploads)
  })
})
