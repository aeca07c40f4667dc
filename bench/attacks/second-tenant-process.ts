// The second tenant, in a process of its own: see second-tenant.ts.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { StreamClient } from '../../test/stream-client.ts'
import { Measured, type Phase } from './measurement.ts'
import type { WatchNews, WatchOrder } from './second-tenant.ts'
import { WatchedDongle } from './watched-dongle.ts'

/** Nobody waits for longer: then it is an error. */
const PATIENCE_MS = 60_000

/** Doors, and how often the second tenant comes to each; below the limit of requests together. */
const EVERY_MS = { vehicles: 400, events: 400, health: 500, ingest: 1000, dongle: 1000 }

const [order] = (await once(process, 'message')) as [WatchOrder]
if (order.kind !== 'watch') throw new Error(`told ${order.kind} before what to watch`)
const { url, teltonikaPort, tenant } = order
const [sensor = '', driven = ''] = tenant.imeis

const measured = new Measured()
const underWay = new Set<Promise<void>>()
let phase: Phase | undefined

const dongle = new WatchedDongle(teltonikaPort, driven, PATIENCE_MS)
let stream = await openStream()

async function openStream(lastEventId?: string): Promise<StreamClient> {
  const query = `resources=events&eventTypes=BATTERY_VOLTAGE&deviceId=${sensor}`
  const opened = await StreamClient.open({ url, token: tenant.userToken, query, lastEventId })
  await opened.ready()
  return opened
}

async function get(path: string): Promise<void> {
  await ask(path, { headers: { authorization: `Bearer ${tenant.userToken}` } })
}

async function ask(path: string, options: RequestInit): Promise<void> {
  const reply = await fetch(url + path, { ...options, signal: AbortSignal.timeout(PATIENCE_MS) })
  const body = await reply.text()
  if (!reply.ok) throw new Error(`${reply.status} ${body.slice(0, 200)}`)
}

async function ingest(recordedTimestamp: string): Promise<void> {
  const event = { deviceId: Number(sensor), recordedTimestamp, eventType: 'BATTERY_VOLTAGE', value: 14.25 }
  await ask('/ingest/events', {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    body: JSON.stringify([event]),
  })
}

/** Settles when that event has come; a stream that ended goes on with a new one, and that is an error. */
async function follow(recordedTimestamp: string): Promise<void> {
  const followed = stream
  const isThere = (client: StreamClient) =>
    client.frames.some(({ data }) => JSON.stringify(data).includes(recordedTimestamp))
  await followed.until(client => client.end !== undefined || isThere(client), PATIENCE_MS)
  if (isThere(followed)) return
  if (stream === followed) stream = await openStream(followed.lastEventId)
  throw new Error(`the live stream ended: ${followed.end}`)
}

/** What is sent over HTTP, and when it comes on the live stream: both counted from the same moment. */
async function sendAndFollow(): Promise<void> {
  const recordedTimestamp = new Date().toISOString()
  const sentMs = performance.now()
  const isSent = await measure('POST /ingest/events', ingest(recordedTimestamp))
  if (isSent) await measure('live stream', follow(recordedTimestamp), sentMs)
}

/** Takes the time of something that was just begun. @returns whether it worked */
async function measure(door: string, done: Promise<void>, startedMs = performance.now()): Promise<boolean> {
  const begunIn = phase
  try {
    await done
    if (begunIn) measured.succeeded(door, begunIn, performance.now() - startedMs)
    return true
  } catch (error) {
    if (begunIn) measured.failed(door, begunIn, messageOf(error))
    return false
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}

/** Begins something again and again, whether or not what was begun before is done: who waits does not hold up others. */
function repeat(everyMs: number, begin: () => Promise<unknown>): NodeJS.Timeout {
  return setInterval(() => {
    const begun = begin().then(() => void underWay.delete(begun))
    underWay.add(begun)
  }, everyMs)
}

const from = encodeURIComponent(new Date(Date.now() - 60_000).toISOString())
const vehicles = () => get('/cc/v2.0/vehicles')
const events = () => get(`/cc/v2.0/events?deviceId=${sensor}&fromTimestamp=${from}`)
const health = () => ask('/healthz', {})

// Whatever is slow only once is so before it counts.
for (const begin of [vehicles, events, health, () => dongle.send()]) await begin()
await sendAndFollow()

const timers = [
  repeat(EVERY_MS.vehicles, () => measure('GET /vehicles', vehicles())),
  repeat(EVERY_MS.events, () => measure('GET /events', events())),
  repeat(EVERY_MS.health, () => measure('/healthz', health())),
  repeat(EVERY_MS.ingest, sendAndFollow),
  repeat(EVERY_MS.dongle, () => measure('Teltonika', dongle.send())),
]

process.on('message', (told: WatchOrder) => {
  if (told.kind === 'phase') phase = told.phase
  if (told.kind === 'end') void end()
})

async function end(): Promise<void> {
  for (const timer of timers) clearInterval(timer)
  await Promise.race([Promise.all(underWay), sleep(PATIENCE_MS * 2)])
  stream.cut()
  await dongle.close()
  const result: WatchNews = { kind: 'result', measurements: measured.all() }
  process.send?.(result, () => process.exit())
}

const ready: WatchNews = { kind: 'ready' }
process.send?.(ready)
