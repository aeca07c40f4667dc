import { afterAll, expect, it } from 'vitest'
import { requiredEventType } from '../../src/catalogue/event-types.ts'
import { RULE_KINDS } from '../../src/catalogue/rule-kinds/index.ts'
import { rebuildDevice } from '../../src/derive/rebuild.ts'
import { type DeviceId, type Position, type Sample, valueIn } from '../../src/model/sample.ts'
import { parametersOf } from '../any-incident-history.ts'
import { apiServerOn, BASE, type TestClient } from '../api.ts'
import { eventually } from '../eventually.ts'
import { type Scenario, uploadsOf } from '../order/scenario.ts'
import { send } from '../order/send.ts'
import { startService } from '../service.ts'
import { settled } from '../settled.ts'
import { everythingOf, type SyncedObject, syncOneByOne } from '../sync-client.ts'
import { incidentsFoundBy, shownAsFound } from './found-by.ts'
import type { ShownIncident } from './incident-world.ts'

const LISTS = ['/incidents', '/rules', '/areas'] as const
/** Three clients that sync and two nodes share a process. */
const REST_MS = 100
const POSITION = requiredEventType('POSITION')

const SCENARIO: Scenario = {
  seed: 21,
  from: '2025-03-04T05:00Z',
  dongles: ['ignition', 'engine'],
  drivesByCar: [2, 1],
  sharesCars: false,
  ridesAlong: true,
  disturbances: ['gpsNoise', 'reboots'],
  packetSize: 25,
  inPieces: 0.2,
  disorder: 'shuffled',
  repeated: 0.2,
  connections: 4,
  rests: 2,
}

/** Each packet of a dongle may be stored by another node than the one before; both fold again and tell silence. */

const service = await startService()
const nodes = [service.intakeUrl, await service.secondIntake()]
const api = await apiServerOn(service.database, service.config)
afterAll(async () => {
  await api.close()
  await service.stop()
})

function clientWith(key: string): TestClient {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const get: TestClient['get'] = path => api.inject({ url: BASE + path, headers })
  const ask: TestClient['send'] = (method, path, body) =>
    api.inject({ method, url: BASE + path, headers, payload: JSON.stringify(body) })
  return { accountId: 0, token: key, get, send: ask }
}

/** Where a car was at a share of its way. */
function placeAt(samples: readonly Sample[], share: number): Position {
  const places = samples.flatMap(sample => {
    const place = valueIn(sample, POSITION)
    return typeof place === 'object' ? [place] : []
  })
  const place = places[Math.floor(places.length * share)]
  if (!place) throw new Error('no sample has a position')
  return place
}

it('incidents are what samples, rules and areas say, whichever of two nodes stores which packet', {
  timeout: 400_000,
}, async () => {
  const key = await service.key('Fleet')
  const client = clientWith(key)
  const uploads = uploadsOf(SCENARIO, { firstDevice: 354_100_000_000_000 })
  const told = uploads.inOrder.map(samples => [(samples[0]?.deviceId ?? 0) as DeviceId, samples] as const)
  const route = told[0]?.[1] ?? []
  const saved = async (method: 'POST' | 'PUT', path: string, body: object): Promise<string> => {
    const reply = await client.send(method, path, body)
    if (reply.statusCode >= 300) throw new Error(reply.body)
    return reply.json<{ id: string }>().id
  }
  const draw = (share: number, radiusM: number, validFromTimestamp = '2025-01-01', known?: string) => {
    const { lon, lat } = placeAt(route, share)
    const area = {
      name: `at ${share}`,
      geometry: { type: 'Point', coordinates: [lon, lat] },
      radiusM,
      validFromTimestamp,
    }
    return saved(known === undefined ? 'POST' : 'PUT', known === undefined ? '/areas' : `/areas/${known}`, area)
  }
  const ruleOf = (kind: (typeof RULE_KINDS)[number]) => ({
    name: kind.name,
    kind: kind.name,
    parameters: parametersOf(kind),
    ...(kind.hours === 'permitted' && {
      hours: { timeZone: 'UTC', days: Array.from({ length: 7 }, () => [{ from: '00:00', to: '06:00' }]) },
    }),
    fromTimestamp: '2025-01-01',
  })
  let isDone = false
  const syncing = Promise.all(LISTS.map(path => syncOneByOne<SyncedObject>(client, path, () => isDone, REST_MS)))
  try {
    const area = await draw(0.3, 400)
    const half = Math.floor(RULE_KINDS.length / 2)
    for (const kind of RULE_KINDS.slice(0, half)) await saved('POST', '/rules', ruleOf(kind))
    for (const [index, part] of uploads.parts.entries()) {
      const sending = send(part, { urls: nodes, key, connections: SCENARIO.connections })
      // While samples are stored and derived.
      if (index === 0) for (const kind of RULE_KINDS.slice(half)) await saved('POST', '/rules', ruleOf(kind))
      if (index === 1) {
        await draw(0.6, 300, '2025-03-04T08:00:00Z', area)
        await draw(0.8, 500)
      }
      await sending
      await settled(service.database)
    }
    await eventually(async () => {
      service.clock.hurry()
      expect((await client.get('/rules/progress')).json()).toMatchObject({ isDone: true })
      const { incidents } = (await client.get('/incidents?maxResults=10000&fromTimestamp=1970-01-01')).json<{
        incidents: ShownIncident[]
      }>()
      expect(shownAsFound(incidents)).toEqual(await incidentsFoundBy(service.database, ...told))
    })
  } finally {
    // Whatever happens, the clients come to an end before the service does.
    isDone = true
    await syncing
  }
  const known = await syncing
  const withoutTrips = (objects: ReadonlyMap<SyncedObject['id'], SyncedObject>) =>
    new Map([...objects].map(([id, object]) => [id, { ...object, tripId: null }]))
  for (const [index, path] of LISTS.entries())
    expect(withoutTrips(known[index] ?? new Map())).toEqual(withoutTrips(await everythingOf(client, path)))
  const all = [...(await everythingOf<ShownIncident>(client, '/incidents')).values()]
  const counting = all.filter(({ deleteTimestamp }) => deleteTimestamp === null)
  // Otherwise nothing was tested.
  expect(all.length - counting.length).toBeGreaterThan(5)
  expect(new Set(counting.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(6)
  for (const [deviceId] of told) expect(await rebuildDevice(service.database, deviceId, { isCheck: true })).toEqual([])
})
