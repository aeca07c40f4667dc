import { afterAll, describe, expect, it } from 'vitest'
import { randomRecording } from '../../lab/simulation/random-recording.ts'
import { samplesOf } from '../../lab/simulation/recording.ts'
import type { DeviceId } from '../../src/model/sample.ts'
import { apiServerOn, BASE, type TestClient } from '../api.ts'
import { IS_DEEP } from '../deep.ts'
import { startService } from '../service.ts'
import { settled } from '../settled.ts'
import { DONGLES } from '../simulated-drives.ts'
import { everythingOf, type SyncedObject, syncOneByOne } from '../sync-client.ts'
import { send } from './send.ts'
import { interleaved, type Packet, packetsOf, shuffled } from './uploads.ts'

const LISTS = ['/trips', '/dtcs', '/vehicles', '/devices'] as const
/** Everything is settled between them, so that clients see what later turns out to be wrong. */
const BURSTS = 5
/** Four clients that sync share a process with the service. */
const REST_MS = 100

const service = await startService()
const api = await apiServerOn(service.database, service.config)
const key = await service.key('Fleet')
const headers = { authorization: `Bearer ${key}` }
const get: TestClient['get'] = path => api.inject({ url: BASE + path, headers })
const client = { accountId: 0, token: key, get, send: () => Promise.reject(new Error('it only reads')) }
afterAll(async () => {
  await api.close()
  await service.stop()
})

describe('a client that syncs while late uploads merge and split trips', () => {
  /** @returns what happened to trips that clients could see. */
  async function uploadInBursts(packets: readonly Packet[]) {
    const longestMs = new Map<unknown, number>()
    const seen = { merged: false, split: false }
    for (let burst = 0; burst < BURSTS; burst++) {
      const part = packets.filter((_, i) => i % BURSTS === burst)
      await send(part, { urls: [service.intakeUrl], key, connections: 3 })
      await settled(service.database)
      for (const trip of (await everythingOf<SyncedTrip>(client, '/trips')).values()) {
        const lastedMs = longestMs.get(trip.id) ?? 0
        if (trip.deleteTimestamp) seen.merged = true
        else if (durationMs(trip) < lastedMs - 60_000) seen.split = true
        longestMs.set(trip.id, Math.max(lastedMs, durationMs(trip)))
      }
    }
    return seen
  }

  it('ends with what the server has, and without what it has no more', async () => {
    const packets = shuffled(minutesOfDrives(), 1)
    let isDone = false
    const syncing = Promise.all(LISTS.map(path => syncOneByOne<SyncedTrip>(client, path, () => isDone, REST_MS)))
    let seen: Awaited<ReturnType<typeof uploadInBursts>>
    try {
      seen = await uploadInBursts(packets)
    } finally {
      // Whatever happens, the clients come to an end before the service does.
      isDone = true
      await syncing
    }
    const known = await syncing

    // Otherwise nothing was tested.
    expect(seen).toEqual({ merged: true, split: true })
    for (const [i, path] of LISTS.entries()) {
      const there = await everythingOf<SyncedTrip>(client, path)
      expect(there.size).toBeGreaterThan(0)
      expect(known[i]).toEqual(there)
    }
  })
})

interface SyncedTrip extends SyncedObject {
  readonly deleteTimestamp?: string | null
  readonly tripStartTimestamp: string
  readonly tripEndTimestamp: string
}

function durationMs({ tripStartTimestamp, tripEndTimestamp }: SyncedTrip): number {
  return Date.parse(tripEndTimestamp) - Date.parse(tripStartTimestamp)
}

/** About a minute of driving in each packet. */
function minutesOfDrives() {
  const senders = [DONGLES.ignition, DONGLES.engine, DONGLES.motion].map((kind, i) => {
    const recording = randomRecording({
      deviceId: (353_000_000_000_000 + i) as DeviceId,
      kind,
      fromMs: Date.UTC(2025, 2, 3, 5),
      drivesByCar: IS_DEEP ? [4, 3] : [3, 3],
      seed: 7 + i,
      shortestM: 3000,
      longestM: 12_000,
    })
    return packetsOf(samplesOf(recording), Math.round(60 / kind.fixS))
  })
  return interleaved(senders, 1)
}
