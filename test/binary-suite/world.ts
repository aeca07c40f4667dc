import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, onTestFinished } from 'vitest'
import { shardOf } from '../../src/db/shards.ts'
import { LIMITS } from '../../src/gateways/shared/binary/limits.ts'
import type { DeviceId, Sample } from '../../src/model/sample.ts'
import { startGateway, type TestGateway, type TestGatewayOptions } from '../binary-gateway.ts'
import { createTestDatabase, type TestDatabase } from '../database.ts'
import { sampleWith } from '../sample-with.ts'
import { Dongle, type ProtocolClient } from './client.ts'

/** No protocol of dongles begins with this. */
export const HTTP_REQUEST = Buffer.from('GET / HTTP/1.1\r\nHost: tacho\r\n\r\n')

const START_MS = Date.UTC(2026, 0, 10)

/** Longer than the silence of a sender that does not wait for answers. */
export const waitLikeADongle = () => sleep(LIMITS.unansweredMs * 2)

export function sampleAt(deviceId: DeviceId, second: number): Sample {
  return sampleWith(deviceId, START_MS + second * 1000, { GPS_SPEED: 50, POSITION: { lon: 13.4, lat: 52.5 } })
}

/** Keeps what a device sends from being committed. @returns a function that lets it continue. */
export async function holdBack(deviceId: DeviceId, { databaseUrl }: TestGateway): Promise<() => Promise<void>> {
  const holder = new Client({ connectionString: databaseUrl })
  await holder.connect()
  await holder.query('select pg_advisory_lock(7412, $1)', [shardOf(deviceId)])
  return () => holder.end()
}

let lastImei = 350_000_000_000_000
export const newImei = () => (lastImei += 1) as DeviceId

/** The address of a database, while tests run. */
export type SharedDatabase = () => string

/** Within a file or `describe`: one database for all gateways, from before the first test until after the last. */
export function sharedDatabase(): SharedDatabase {
  let database: TestDatabase | undefined
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database?.drop())
  return () => {
    if (!database) throw new Error('the database is there only while tests run')
    return database.url
  }
}

/** The dongles of a protocol, and gateways to which they report. */
export class World {
  readonly client: ProtocolClient
  readonly #database: SharedDatabase
  readonly #common: TestGatewayOptions
  #gateway: TestGateway | undefined
  readonly #open = new Set<Dongle>()

  /** Within `describe`: one gateway for all tests that need no other one, from before the first until after the last. */
  constructor(client: ProtocolClient, database: SharedDatabase, common: TestGatewayOptions = {}) {
    this.client = client
    this.#database = database
    this.#common = common
    beforeAll(async () => {
      this.#gateway = await startGateway(client.protocol, database(), common)
    })
    afterEach(() => Promise.all([...this.#open].map(dongle => dongle.close())))
    afterAll(() => this.#gateway?.stop())
  }

  get gateway(): TestGateway {
    if (!this.#gateway) throw new Error('the gateway is there only while tests run')
    return this.#gateway
  }

  /** A gateway for one test. */
  async ownGateway(options: TestGatewayOptions): Promise<TestGateway> {
    const own = await startGateway(this.client.protocol, this.#database(), { ...this.#common, ...options })
    onTestFinished(() => own.stop())
    return own
  }

  connect({ port }: TestGateway = this.gateway): Promise<Dongle> {
    return this.#untilFinished(Dongle.connect(this.client, port))
  }

  logIn(deviceId: DeviceId, { port }: TestGateway = this.gateway): Promise<Dongle> {
    return this.#untilFinished(Dongle.logIn(this.client, port, String(deviceId)))
  }

  /** A gateway that is stopping waits for dongles that do not close their side. */
  async #untilFinished(connected: Promise<Dongle>): Promise<Dongle> {
    const dongle = await connected
    this.#open.add(dongle)
    dongle.socket.once('close', () => this.#open.delete(dongle))
    return dongle
  }

  loginOf(deviceId: DeviceId): Buffer {
    return this.client.login.of(String(deviceId))
  }

  /** A frame with so many records, the first one at this second. */
  frameOf(deviceId: DeviceId, records: number, fromSecond: number): Buffer {
    return this.client.frame.of(Array.from({ length: records }, (_, index) => sampleAt(deviceId, fromSecond + index)))
  }

  datagramOf(deviceId: DeviceId, packetId: number, seconds: readonly number[]): Buffer {
    return this.client.datagram.of(
      deviceId,
      packetId,
      seconds.map(second => sampleAt(deviceId, second)),
    )
  }

  /** A metric of the protocol, summed over these labels. */
  metric(name: string, labels: Readonly<Record<string, string>> = {}, gateway = this.gateway): Promise<number> {
    return gateway.metric(`tacho_${this.client.protocol.name}_${name}`, labels)
  }
}
