import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ingestEventsOf } from '../lab/bench/made-samples.ts'
import { shardOf } from '../src/db/shards.ts'
import { sql } from '../src/db/sql.ts'
import type { DeviceId, EventValue, Sample } from '../src/model/sample.ts'
import { sampleWith } from './sample-with.ts'
import { startService, type TestService } from './service.ts'
import { settled } from './settled.ts'

/** What became of an upload, as far as its sender can know. */
export type Answer =
  | 'acknowledged'
  /** It can not be taken, now or later. */
  | 'refused'
  /** Nothing was heard, or that it must be sent again. */
  | 'unanswered'

/** How one device reports. */
export interface Uplink {
  /**
   * Sends samples of the device.
   * @param withinMs how long to wait for the answer; what comes later is ignored
   */
  send(samples: readonly Sample[], withinMs: number): Promise<Answer>
  close(): Promise<void>
}

interface Door {
  readonly port: number
  stop(): Promise<void>
}

/** What every gateway must be able to show. */
export interface GatewayAdapter {
  readonly name: string
  /** What it needs beside the service, for example a broker, and the settings that follow from it. */
  readonly surroundings?: () => Promise<{ readonly environment: Record<string, string>; stop(): Promise<void> }>
  /** Where its devices report, if that is a port of its own. */
  readonly door?: (service: TestService) => Promise<Door>
  /** @param port on which its devices report */
  readonly connect: (service: TestService, deviceId: DeviceId, port: number) => Promise<Uplink>
  /** What becomes of an upload with a sample of the year 2099 in it (decisions.md, *Vehicles and devices*). */
  readonly misdated: 'kept apart' | 'refused'
  /** What a device hears that is unknown and may not join; acknowledged where its messages would come for ever. */
  readonly stranger: Answer
  /** Event types that it tells of these samples beyond what is in them. */
  readonly adds?: readonly string[]
}

/** Longer than any answer takes on a busy machine. */
const PATIENCE_MS = 100_000
/** Long enough for an answer that must not come. */
const SUSPICION_MS = 400

const START_MS = Date.UTC(2026, 0, 12, 8)
const SAMPLES_AN_UPLOAD = 10
/** Satellite time counts so far and begins again. */
const ROUND_MS = 1024 * 7 * 86_400_000

/** Two drives of five minutes to the north with a quarter of an hour between them; values that every protocol can tell exactly. */
function drives(deviceId: DeviceId): Sample[] {
  const samples: Sample[] = []
  for (const drive of [0, 1])
    for (let step = 0; step <= 30; step++) {
      const metres = drive * 4500 + step * 150
      const values: Record<string, EventValue> = {
        IS_IGNITION_ON: step < 30,
        GPS_SPEED: step < 30 ? 54 : 0,
        POSITION: { lon: 13.4, lat: Number((52.4 + metres / 100_000).toFixed(7)) },
        MILEAGE: 48_000 + metres / 1000,
        BATTERY_VOLTAGE: 12.5,
      }
      samples.push(sampleWith(deviceId, START_MS + drive * 20 * 60_000 + step * 10_000, values))
    }
  return samples
}

function uploadsOf(samples: readonly Sample[]): Sample[][] {
  const uploads: Sample[][] = []
  for (let from = 0; from < samples.length; from += SAMPLES_AN_UPLOAD)
    uploads.push(samples.slice(from, from + SAMPLES_AN_UPLOAD))
  return uploads
}

/** In what order a dongle may deliver its uploads. */
const DELIVERIES: Readonly<Record<string, (uploads: Sample[][]) => Sample[][]>> = {
  'in order': uploads => uploads,
  'each twice': uploads => uploads.flatMap(upload => [upload, upload]),
  'the newest first': uploads => uploads.toReversed(),
  'live, and then what was buffered': uploads => [...uploads.slice(4), ...uploads.slice(0, 4)],
}

let lastDevice = 356_307_042_000_000
const newDevice = () => (lastDevice += 1) as DeviceId

/** The suite that all gateways pass: the same samples in, the same answers out, nothing acknowledged before its commit. */
export function testGateway(adapter: GatewayAdapter): void {
  describe(`the gateway ${adapter.name}`, () => {
    let surroundings: { readonly environment: Record<string, string>; stop(): Promise<void> } | undefined
    let service: TestService
    let key: string
    let door: Door | undefined
    beforeAll(async () => {
      surroundings = await adapter.surroundings?.()
      service = await startService(surroundings?.environment)
      key = await service.key('fleet')
      door = await adapter.door?.(service)
    })
    afterAll(async () => {
      await door?.stop()
      await service?.stop()
      await surroundings?.stop()
    })

    const connect = (deviceId: DeviceId) => adapter.connect(service, deviceId, door?.port ?? 0)

    /** Sends uploads one after the other; each must be acknowledged. */
    async function deliver(deviceId: DeviceId, uploads: readonly Sample[][]): Promise<void> {
      const uplink = await connect(deviceId)
      for (const upload of uploads) expect(await uplink.send(upload, PATIENCE_MS)).toBe('acknowledged')
      await uplink.close()
    }

    async function get(path: string): Promise<unknown> {
      const reply = await fetch(service.baseUrl + path, { headers: { authorization: `Bearer ${key}` } })
      return reply.json()
    }

    /** What the API tells of a device and its car, without what must differ. */
    async function answersOf(deviceId: DeviceId): Promise<unknown> {
      const answers = await Promise.all(
        [
          `/devices/${deviceId}`,
          `/vehicles/IMEI_${deviceId}`,
          `/trips?vehicleId=IMEI_${deviceId}`,
          `/events?deviceId=${deviceId}&maxResults=1000`,
        ].map(get),
      )
      return comparable(answers, deviceId, adapter.adds ?? [])
    }

    async function storedSamples(deviceId: DeviceId): Promise<number> {
      const [row] = await service.database.rows<{ count: number }>(
        sql`select count(*)::integer as count from samples where device_id = ${deviceId}`,
      )
      return row?.count ?? 0
    }

    async function ingest(samples: readonly Sample[]): Promise<void> {
      const reply = await fetch(`${service.url}/ingest/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(samples.flatMap(ingestEventsOf)),
      })
      expect(reply.status).toBe(200)
    }

    it('gives the answers that these measurements give, whatever order they come in', async () => {
      const reference = newDevice()
      await ingest(drives(reference))
      const devices = Object.keys(DELIVERIES).map(order => ({ order, deviceId: newDevice() }))
      for (const { order, deviceId } of devices)
        await deliver(deviceId, DELIVERIES[order]?.(uploadsOf(drives(deviceId))) ?? [])
      await settled(service.database)
      const expected = await answersOf(reference)
      for (const { order, deviceId } of devices)
        expect({ order, answers: await answersOf(deviceId) }).toEqual({ order, answers: expected })
    })

    it('a wrong clock spoils nothing', async () => {
      const deviceId = newDevice()
      const good = drives(deviceId).slice(0, 3)
      const misdated = sampleWith(deviceId, Date.UTC(2099, 0, 1), { GPS_SPEED: 54, POSITION: { lon: 13.4, lat: 52.4 } })
      const uplink = await connect(deviceId)
      const answers = [await uplink.send([...good, misdated], PATIENCE_MS), await uplink.send(good, PATIENCE_MS)]
      expect(answers).toEqual([adapter.misdated === 'refused' ? 'refused' : 'acknowledged', 'acknowledged'])
      await uplink.close()
      expect(await storedSamples(deviceId)).toBe(3)
      const apart = await service.database.rows(sql`select from misdated_samples where device_id = ${deviceId}`)
      expect(apart).toHaveLength(adapter.misdated === 'refused' ? 0 : 1)
    })

    it("makes no trip of 20 years ago of a dongle's clock that is 1024 weeks behind, but keeps what a client has of then", async () => {
      const deviceId = newDevice()
      const ago = drives(deviceId).map(sample => ({
        ...sample,
        timeMs: sample.timeMs - START_MS + Date.now() - ROUND_MS,
      }))
      const uplink = await connect(deviceId)
      expect(await uplink.send(ago, PATIENCE_MS)).toBe('acknowledged')
      await uplink.close()
      await settled(service.database, { silentOf: [deviceId] })
      const isRecording = adapter.misdated === 'refused'
      expect(await storedSamples(deviceId)).toBe(isRecording ? ago.length : 0)
      const trips = await service.database.rows(sql`select from trips where device_id = ${deviceId}`)
      expect(trips).toHaveLength(isRecording ? 2 : 0)
    })

    it('acknowledges nothing before it is committed', async () => {
      const deviceId = newDevice()
      const [first = [], second = []] = uploadsOf(drives(deviceId))
      const uplink = await connect(deviceId)
      expect(await uplink.send(first, PATIENCE_MS)).toBe('acknowledged')
      const holder = new Client({ connectionString: service.config.databaseUrl })
      await holder.connect()
      await holder.query('select pg_advisory_lock(7412, $1)', [shardOf(deviceId)])
      let answer: Answer | undefined
      const sent = uplink.send(second, PATIENCE_MS).then(result => (answer = result))
      await sleep(SUSPICION_MS)
      expect(answer).toBeUndefined()
      expect(await storedSamples(deviceId)).toBe(first.length)
      await holder.end()
      expect(await sent).toBe('acknowledged')
      expect(await storedSamples(deviceId)).toBe(first.length + second.length)
      await uplink.close()
    })

    it('acknowledges nothing without the database; what is repeated when it is back is stored once', async () => {
      const deviceId = newDevice()
      const [first = [], second = []] = uploadsOf(drives(deviceId))
      const uplink = await connect(deviceId)
      expect(await uplink.send(first, PATIENCE_MS)).toBe('acknowledged')
      const giveBack = await takeDatabaseAway(service)
      try {
        expect(await uplink.send(second, SUSPICION_MS)).toBe('unanswered')
      } finally {
        await giveBack()
      }
      let answer: Answer = 'unanswered'
      for (let tries = 0; tries < 100 && answer === 'unanswered'; tries++) answer = await uplink.send(second, 1000)
      expect(answer).toBe('acknowledged')
      expect(await storedSamples(deviceId)).toBe(first.length + second.length)
      await uplink.close()
    })
  })

  it(`the gateway ${adapter.name} stores nothing of a stranger where strangers may not join`, async () => {
    const surroundings = await adapter.surroundings?.()
    const service = await startService({ ...surroundings?.environment, UNKNOWN_DEVICES: 'reject' })
    try {
      await service.key('fleet')
      const door = await adapter.door?.(service)
      const deviceId = newDevice()
      const uplink = await adapter.connect(service, deviceId, door?.port ?? 0)
      const withinMs = adapter.stranger === 'unanswered' ? SUSPICION_MS : PATIENCE_MS
      expect(await uplink.send(drives(deviceId).slice(0, 3), withinMs)).toBe(adapter.stranger)
      await uplink.close()
      await door?.stop()
      const known = await service.database.rows(sql`select from devices`)
      expect(known).toEqual([])
    } finally {
      await service.stop()
      await surroundings?.stop()
    }
  })
}

/** Cuts all connections to the database of a service and lets no new one in. @returns what lets them in again. */
async function takeDatabaseAway({ config }: TestService): Promise<() => Promise<void>> {
  const name = new URL(config.databaseUrl).pathname.slice(1)
  const admin = new Client({ connectionString: inject('adminUrl') })
  await admin.connect()
  await admin.query(`alter database ${name} connection limit 0`)
  await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  return async () => {
    await admin.query(`alter database ${name} connection limit -1`)
    await admin.end()
  }
}

/** What depends on when and in which order things were stored. */
const DIFFERS: ReadonlySet<string> = new Set(['modifyTimestamp', 'modify_timestamp', 'received_timestamp'])

function comparable(value: unknown, deviceId: DeviceId, left: readonly string[]): unknown {
  if (Array.isArray(value))
    return value.filter(item => !left.includes(eventTypeOf(item))).map(item => comparable(item, deviceId, left))
  if (typeof value === 'string') return value.replaceAll(String(deviceId), 'IMEI')
  if (value === deviceId) return 'IMEI'
  if (typeof value === 'number') return Number(value.toFixed(6))
  if (typeof value !== 'object' || value === null) return value
  const isTrip = 'tripStartTimestamp' in value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !DIFFERS.has(name) && !(isTrip && name === 'id'))
      .map(([name, item]) => [name, comparable(item, deviceId, left)]),
  )
}

function eventTypeOf(item: unknown): string {
  const { eventType, event_type } = (item ?? {}) as { readonly eventType?: string; readonly event_type?: string }
  return eventType ?? event_type ?? ''
}
