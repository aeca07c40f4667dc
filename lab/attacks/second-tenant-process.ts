import { setTimeout as sleep } from 'node:timers/promises'
import type { DeviceId } from '../../src/model/sample.ts'
import type { Dongle } from '../../test/binary-suite/client.ts'
import { StreamClient } from '../../test/stream-client.ts'
import { logInTeltonika } from '../../test/teltonika-client.ts'
import { fullRecord } from '../bench/made-samples.ts'
import { writeTcpFrame } from '../teltonika-dongle/write-frame.ts'
import { Measured, type Measurement, type Phase, type Watched, type WatchOrder } from './second-tenant.ts'

// The second tenant, in a process of its own: see second-tenant.ts.

/** A longer wait is an error. */
const PATIENCE_MS = 60_000

/** Endpoints, and how often the second tenant comes to each; below the limit of requests together. */
const EVERY_MS = { vehicles: 400, events: 400, health: 400, ingest: 500, dongle: 500 }

const ENDPOINTS = [
  'GET /vehicles',
  'GET /events',
  '/healthz',
  'POST /ingest/events',
  'live stream',
  'Teltonika',
] as const
type Endpoint = (typeof ENDPOINTS)[number]

interface Visit {
  readonly everyMs: number
  readonly begin: () => Promise<unknown>
}

class Watch {
  readonly #watched: Watched
  readonly #sensor: string
  readonly #dongle: WatchedDongle
  readonly #measured = new Measured()
  readonly #underWay = new Set<Promise<void>>()
  #phase: Phase | undefined
  readonly #unmeasured = new Set<Endpoint>()
  #visits: readonly Visit[] = []
  #onMeasured = () => undefined as void
  #timers: readonly NodeJS.Timeout[] = []
  #stream: StreamClient | undefined

  constructor(watched: Watched) {
    const [sensor = '', driven = ''] = watched.tenant.imeis
    this.#watched = watched
    this.#sensor = sensor
    this.#dongle = new WatchedDongle(watched.teltonikaPort, driven)
  }

  async begin(): Promise<void> {
    this.#stream = await this.#openStream()
    const from = encodeURIComponent(new Date(Date.now() - 60_000).toISOString())
    const vehicles = () => this.#get('/cc/v2.0/vehicles')
    const events = () => this.#get(`/cc/v2.0/events?deviceId=${this.#sensor}&fromTimestamp=${from}`)
    const health = () => this.#ask('/healthz', {})
    const dongle = () => this.#dongle.send()
    // Whatever is slow only the first time is so before it counts.
    for (const begin of [vehicles, events, health, dongle]) await begin()
    await this.#sendAndFollow()
    this.#visits = [
      { everyMs: EVERY_MS.vehicles, begin: () => this.#measure('GET /vehicles', vehicles()) },
      { everyMs: EVERY_MS.events, begin: () => this.#measure('GET /events', events()) },
      { everyMs: EVERY_MS.health, begin: () => this.#measure('/healthz', health()) },
      { everyMs: EVERY_MS.ingest, begin: () => this.#sendAndFollow() },
      { everyMs: EVERY_MS.dongle, begin: () => this.#measure('Teltonika', dongle()) },
    ]
    this.#timers = this.#visits.map(visit => setInterval(() => this.#begin(visit), visit.everyMs))
  }

  /** Settles once something was begun and done at every endpoint in this phase, or nobody waits for that any longer. */
  async enter(phase: Phase): Promise<void> {
    this.#phase = phase
    for (const endpoint of ENDPOINTS) this.#unmeasured.add(endpoint)
    const isMeasured = new Promise<void>(resolve => {
      this.#onMeasured = resolve
    })
    for (const visit of this.#visits) this.#begin(visit)
    await Promise.race([isMeasured, sleep(PATIENCE_MS)])
  }

  async end(): Promise<readonly Measurement[]> {
    for (const timer of this.#timers) clearInterval(timer)
    await Promise.race([Promise.all(this.#underWay), sleep(PATIENCE_MS * 2)])
    this.#stream?.cut()
    await this.#dongle.close()
    return this.#measured.all()
  }

  async #openStream(lastEventId?: string): Promise<StreamClient> {
    const query = `resources=events&eventTypes=BATTERY_VOLTAGE&deviceId=${this.#sensor}`
    const opened = await StreamClient.open({
      url: this.#watched.url,
      token: this.#watched.tenant.userToken,
      query,
      lastEventId,
    })
    await opened.ready()
    return opened
  }

  async #get(path: string): Promise<void> {
    await this.#ask(path, { headers: { authorization: `Bearer ${this.#watched.tenant.userToken}` } })
  }

  async #ask(path: string, options: RequestInit): Promise<void> {
    const reply = await fetch(this.#watched.url + path, { ...options, signal: AbortSignal.timeout(PATIENCE_MS) })
    const body = await reply.text()
    if (!reply.ok) throw new Error(`${reply.status} ${body.slice(0, 200)}`)
  }

  async #ingest(recordedTimestamp: string): Promise<void> {
    const event = { deviceId: Number(this.#sensor), recordedTimestamp, eventType: 'BATTERY_VOLTAGE', value: 14.25 }
    await this.#ask('/ingest/events', {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#watched.tenant.key}`, 'content-type': 'application/json' },
      body: JSON.stringify([event]),
    })
  }

  /** Settles when that event has come; a stream that ended goes on with a new one, and that is an error. */
  async #follow(recordedTimestamp: string): Promise<void> {
    const followed = this.#stream
    if (!followed) throw new Error('there is no live stream')
    const isThere = (client: StreamClient) =>
      client.frames.some(({ data }) => JSON.stringify(data).includes(recordedTimestamp))
    await followed.until(client => client.end !== undefined || isThere(client), PATIENCE_MS)
    if (isThere(followed)) return
    if (this.#stream === followed) this.#stream = await this.#openStream(followed.lastEventId)
    throw new Error(`the live stream ended: ${followed.end}`)
  }

  /** Sends over HTTP, and waits for it on the live stream: both counted from the same instant. */
  async #sendAndFollow(): Promise<void> {
    const recordedTimestamp = new Date().toISOString()
    const sentMs = performance.now()
    const isSent = await this.#measure('POST /ingest/events', this.#ingest(recordedTimestamp))
    if (isSent) await this.#measure('live stream', this.#follow(recordedTimestamp), sentMs)
  }

  /** Takes the time of something that was just begun. @returns whether it worked */
  async #measure(endpoint: Endpoint, done: Promise<void>, startedMs = performance.now()): Promise<boolean> {
    const begunIn = this.#phase
    try {
      await done
      if (begunIn) this.#measured.succeeded(endpoint, begunIn, performance.now() - startedMs)
      return true
    } catch (error) {
      if (begunIn) this.#measured.failed(endpoint, begunIn, messageOf(error))
      return false
    } finally {
      if (begunIn === this.#phase) this.#unmeasured.delete(endpoint)
      if (this.#unmeasured.size === 0) this.#onMeasured()
    }
  }

  /** Begins although what was begun before is not done: waiting does not delay others. */
  #begin({ begin }: Visit): void {
    const begun = begin().then(() => void this.#underWay.delete(begun))
    this.#underWay.add(begun)
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}

let watch: Watch | undefined

async function obey(order: WatchOrder): Promise<readonly Measurement[]> {
  if (order.kind === 'watch') {
    watch = new Watch(order.watched)
    await watch.begin()
  }
  if (order.kind === 'phase') await watch?.enter(order.phase)
  return order.kind === 'end' && watch ? watch.end() : []
}

process.on('message', (order: WatchOrder) => void obey(order).then(answer => process.send?.(answer)))
process.on('disconnect', () => process.exit())

/** A dongle that stays connected and sends a record now and then; if it loses its connection, it reconnects. */
class WatchedDongle {
  readonly #port: number
  readonly #imei: string
  #client: Dongle | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #step = 0

  constructor(port: number, imei: string) {
    this.#port = port
    this.#imei = imei
  }

  /** Sends a record when the one before is acknowledged. Settles when it is acknowledged itself. */
  send(): Promise<void> {
    const sent = this.#turn.then(() => this.#exchange())
    this.#turn = sent.catch(() => undefined)
    return sent
  }

  async close(): Promise<void> {
    await this.#client?.close()
  }

  async #exchange(): Promise<void> {
    const socket = this.#client?.socket
    if (socket?.readableEnded || socket?.destroyed) await this.#leave()
    const client = (this.#client ??= await logInTeltonika(this.#port, this.#imei))
    const sample = fullRecord(Number(this.#imei) as DeviceId, Date.now() - 1000 * this.#step, this.#step++)
    try {
      client.write(writeTcpFrame([sample]))
      const stored = await client.acknowledgement(PATIENCE_MS)
      if (stored !== 1) throw new Error(`the dongle was answered ${stored}`)
    } catch (error) {
      await this.#leave()
      throw error
    }
  }

  async #leave(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    await client?.close()
  }
}
