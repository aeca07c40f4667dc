import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { LOCKS, whenAlone } from '../src/db/locks.ts'
import { countOutdated } from '../src/derive/due.ts'
import { apiServerOn, BASE, type TestClient } from './api.ts'
import { IS_DEEP } from './deep.ts'
import { send } from './order/send.ts'
import { startService, type TestService } from './service.ts'
import { settled } from './settled.ts'
import { everythingOf, type SyncedObject, syncOneByOne } from './sync-client.ts'
import { LONGEST_REST_MS } from './test-clock.ts'
import { MINUTE_MS, START_MS, type StoredDongle, UpgradeWorld } from './upgrade-world.ts'

vi.setConfig({ testTimeout: 600_000 })

const LISTS = ['/trips', '/vehicles', '/devices'] as const
/** Three clients that sync share a process with the service. */
const REST_MS = 100
/** So long that they are folded again for some seconds: a sample every ten seconds. */
const [DRIVES, DRIVE_MINUTES] = [IS_DEEP ? 40 : 6, 40]
/** However soon they are folded again. */
const LEAST_SENT = 20

let service: TestService
let api: FastifyInstance
let world: UpgradeWorld
let key: string
const said: string[] = []

beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: line => void said.push((JSON.parse(line) as { msg: string }).msg) })
  service = await startService({}, log)
  api = await apiServerOn(service.database, service.config)
  key = await service.key('Fleet')
  world = await UpgradeWorld.on(service.config.databaseUrl)
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await api.close()
  await service.stop()
})

function syncingClient(): TestClient {
  const headers = { authorization: `Bearer ${key}` }
  const get: TestClient['get'] = path => api.inject({ url: BASE + path, headers })
  return { accountId: 0, token: key, get, send: () => Promise.reject(new Error('it only reads')) }
}

/** Lets a dongle drive now, a sample at a time: each is acknowledged. */
async function driveUntil(isOver: () => boolean, car: StoredDongle, beginMinute: number): Promise<void> {
  let acknowledged = 0
  for (const sample of car.drive(beginMinute, beginMinute + 100).slice(0, -1)) {
    await send([[sample]], { urls: [service.intakeUrl], key, connections: 1 })
    acknowledged++
    if (isOver() && acknowledged >= LEAST_SENT) break
    await sleep(100)
  }
}

async function waitingDevices(): Promise<number> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  return Number(/^tacho_refold_waiting_devices\S* (\d+)$/m.exec(metrics)?.[1])
}

test('after an upgrade, while dongles drive on, syncing clients end with what the current rules tell', async () => {
  const cars: StoredDongle[] = []
  for (let i = 0; i < 3; i++) cars.push(await world.drivenDongle(DRIVES, DRIVE_MINUTES))
  await settled(service.database)
  const tripsNow = await Promise.all(cars.map(car => car.trips()))
  // The work cannot begin before all of them are outdated, and known to be.
  const wasAlone = await whenAlone(service.database, LOCKS.histories, async () => {
    await cars[0]?.outdated('without ignition and engine')
    await cars[1]?.outdated('without positions')
    await cars[2]?.outdated('without trips')
    const knownAtOnce = () => {
      service.clock.hurry(LONGEST_REST_MS)
      return waitingDevices()
    }
    await expect.poll(knownAtOnce).toBe(3)
  })
  expect(wasAlone).toBe(true)
  expect(await Promise.all(cars.map(car => car.trips()))).not.toEqual(tripsNow)

  let isFolded = false
  let isSettled = false
  const client = syncingClient()
  const syncing = Promise.all(LISTS.map(path => syncOneByOne<SyncedObject>(client, path, () => isSettled, REST_MS)))
  const beginMinute = Math.floor((Date.now() - START_MS) / MINUTE_MS) - 120
  const driving = Promise.all(cars.map(car => driveUntil(() => isFolded, car, beginMinute)))
  try {
    service.clock.hurry(LONGEST_REST_MS)
    await expect.poll(() => countOutdated(service.database), { timeout: 500_000, interval: 300 }).toBe(0)
    isFolded = true
    await driving
    await settled(service.database)
  } finally {
    // Whatever happens, the clients come to an end before the service does.
    isFolded = true
    isSettled = true
    await Promise.allSettled([syncing, driving])
  }
  await expect.poll(waitingDevices).toBe(0)
  expect(said).toContain(
    'trips are worked out by newer rules than before: the history of 3 of 3 devices is folded again in the background',
  )
  // Said after the rest that follows the last of its work.
  await expect.poll(() => said).toContain('folded again 3 of 3 devices')

  for (const [i, car] of cars.entries()) {
    expect(await world.differencesOf(car.id)).toEqual([])
    const trips = await car.trips()
    const spans = (some: typeof trips) => some.map(({ start, end }) => ({ start, end }))
    expect(spans(trips.slice(0, -1))).toEqual(spans(tripsNow[i] ?? []))
    expect(trips.at(-1)?.start).toBe(START_MS + beginMinute * MINUTE_MS)
  }
  const known = await syncing
  for (const [i, path] of LISTS.entries()) {
    const there = await everythingOf(client, path)
    expect(there.size).toBeGreaterThan(0)
    const missing = [...there.values()].filter(
      object => JSON.stringify(known[i]?.get(object.id)) !== JSON.stringify(object),
    )
    expect(missing.map(({ modifyTimestamp }) => modifyTimestamp)).toEqual([])
  }
})
