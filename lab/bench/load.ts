import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type ReceivedFrame, StreamClient } from '../../test/stream-client.ts'
import type { OrdinaryReport, OrdinaryTask } from './ordinary-dongles.ts'
import type { BenchResult } from './result.ts'
import { type RunningService, sendBodies } from './running-service.ts'
import type { IdleTask } from './teltonika-idlers.ts'

interface Load {
  readonly dongles: number
  /** CPU a record, of all processes together. */
  readonly atMostMs: number
  /** Until a record is acknowledged; told without a target for a fleet that needs a whole machine. */
  readonly p50AtMostMs?: number
  readonly p99AtMostMs?: number
}

const EVERY_MS = 10_000
/**
 * The usual one first. The most dongles last: what they leave behind, open trips and memory that is seldom given back, is nothing that
 * an installation with a hundred has.
 */
const LOADS: readonly Load[] = [
  { dongles: 1_000, atMostMs: 1, p50AtMostMs: 120, p99AtMostMs: 250 },
  { dongles: 100, atMostMs: 2 },
  { dongles: 5_000, atMostMs: 1 },
]
const CONNECTIONS = 1_000
/** Dongles join, their drives begin, and what runs once after a start has run. */
const WARM_UP_MS = 25_000
/** The first records: with a hundred a second it takes three minutes until the code for them is compiled, and then it is for months. */
const COMPILED_MS = 180_000
const MEASURED_MS = 40_000
/** Dongles of their own: what they report is no part of what others are measured with. */
const FIRST_DONGLE = 600_000
const MEGABYTE = 1024 * 1024
const LIMIT_AT_REST_MS = 20
const LIMIT_BYTES = 450 * MEGABYTE

/** What an installation pays at rest: nobody there, and dongles that are connected and silent. */
export async function benchAtRest(service: RunningService): Promise<BenchResult[]> {
  return [await measureRest(service, 0), await measureRest(service, CONNECTIONS)]
}

/** What a record costs when each dongle sends one every 10 seconds, and how long a dongle waits for its acknowledgement. */
export async function benchOrdinaryLoad(service: RunningService): Promise<BenchResult[]> {
  const results: BenchResult[] = []
  await withDongles(service, CONNECTIONS, EVERY_MS, () => sleep(COMPILED_MS))
  for (const load of LOADS) results.push(...(await measureLoad(service, load)))
  return results
}

async function measureRest(service: RunningService, dongles: number): Promise<BenchResult> {
  const { cpuMsASecond, bytes } = await withDongles(service, dongles, undefined, child => measure(service, child))
  return {
    name: `at rest, ${dongles} silent connections`,
    measured: `${cpuMsASecond.toFixed(1)} ms of CPU a second, ${megabytesOf(bytes)}, all processes`,
    against: `${LIMIT_AT_REST_MS} ms a second`,
    ratio: cpuMsASecond / LIMIT_AT_REST_MS,
    target: { atMost: 1 },
  }
}

async function measureLoad(service: RunningService, load: Load): Promise<BenchResult[]> {
  const { dongles, atMostMs, p50AtMostMs, p99AtMostMs } = load
  const { cpuMsASecond, bytes, waitsMs } = await withDongles(service, dongles, EVERY_MS, child =>
    measure(service, child),
  )
  const sorted = [...waitsMs].sort((a, b) => a - b)
  const waitAt = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  const [p50Ms, p99Ms] = [waitAt(0.5), waitAt(0.99)]
  const recordMs = (cpuMsASecond * (MEASURED_MS / 1000)) / waitsMs.length
  const name = `ordinary load, ${dongles} dongles`
  const waited = `acknowledged after ${p50Ms.toFixed(0)} ms (p50), ${p99Ms.toFixed(0)} (p99)`
  const results: BenchResult[] = [
    {
      name: `${name}: CPU a record`,
      measured:
        `${recordMs.toFixed(2)} ms, ${waitsMs.length} records, ${(cpuMsASecond / 10).toFixed(1)} % of a core, ` +
        `${megabytesOf(bytes)}, all processes; ${waited}`,
      against: `${atMostMs} ms`,
      ratio: recordMs / atMostMs,
      target: { atMost: 1 },
      figures: {
        cpuMsARecord: recordMs,
        memoryMb: bytes / MEGABYTE,
        recordsPerS: waitsMs.length / (MEASURED_MS / 1000),
      },
    },
  ]
  const isWithin = (what: string, measuredMs: number, limitMs: number | undefined) => {
    if (limitMs === undefined) return
    results.push({
      name: `${name}: acknowledgement, ${what}`,
      measured: `${measuredMs.toFixed(1)} ms`,
      against: `${limitMs} ms`,
      ratio: measuredMs / limitMs,
      target: { atMost: 1 },
    })
  }
  isWithin('p50', p50Ms, p50AtMostMs)
  isWithin('p99', p99Ms, p99AtMostMs)
  if (p99AtMostMs !== undefined)
    results.push({
      name: `${name}: memory`,
      measured: `${megabytesOf(bytes)} of all processes, what they share counted once`,
      against: megabytesOf(LIMIT_BYTES),
      ratio: bytes / LIMIT_BYTES,
      target: { atMost: 1 },
    })
  return results
}

interface Measured {
  readonly cpuMsASecond: number
  readonly bytes: number
  readonly waitsMs: readonly number[]
}

async function measure(service: RunningService, child: ChildProcess): Promise<Measured> {
  await sleep(WARM_UP_MS)
  child.send('measure')
  const before = await service.cost()
  const startedMs = performance.now()
  await sleep(MEASURED_MS)
  const seconds = (performance.now() - startedMs) / 1000
  const after = await service.cost()
  const reported = once(child, 'message')
  child.send('report')
  const [{ waitsMs }] = (await reported) as [OrdinaryReport]
  return { cpuMsASecond: ((after.cpuSeconds - before.cpuSeconds) * 1000) / seconds, bytes: after.bytes, waitsMs }
}

async function withDongles<T>(
  service: RunningService,
  dongles: number,
  everyMs: number | undefined,
  work: (child: ChildProcess) => Promise<T>,
): Promise<T> {
  const child = fork(fileURLToPath(new URL('ordinary-dongles.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] })
  const task: OrdinaryTask = { port: service.teltonikaPort, firstDongle: FIRST_DONGLE, dongles, everyMs }
  child.send(task)
  const [news] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as unknown[]
  if (news !== 'ready') throw new Error('the dongles could not log in')
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('the dongles gave up')))
  try {
    return await Promise.race([work(child), failed])
  } finally {
    failed.catch(() => undefined)
    child.kill()
  }
}

function megabytesOf(bytes: number): string {
  return `${Math.round(bytes / MEGABYTE)} MB`
}

const TELTONIKA_IDLE_CONNECTIONS = 10_000
const TELTONIKA_IDLE_LIMIT_BYTES = 300 * 1024 * 1024
/** Files and sockets of a process besides its connections. */
const OTHER_FILES = 200
/** For memory that was needed only to log in and to store the packets. */
const SETTLE_MS = 10_000

/** The memory of the intake process while 10,000 dongles that have reported are connected and idle. */
export async function benchTeltonikaIdle(service: RunningService): Promise<BenchResult> {
  const connections = Math.min(TELTONIKA_IDLE_CONNECTIONS, (await mostFiles()) - OTHER_FILES)
  const before = await service.residentBytes('intake')
  const child = fork(fileURLToPath(new URL('teltonika-idlers.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] })
  const task: IdleTask = { port: service.teltonikaPort, connections, atMs: Date.now() }
  child.send(task)
  const [news] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as unknown[]
  if (news !== 'idle') throw new Error('the dongles could not connect')
  await sleep(SETTLE_MS)
  const after = await service.residentBytes('intake')
  child.kill()
  await once(child, 'exit')
  const grownBytes = after - before
  const bytes = before + (grownBytes / connections) * TELTONIKA_IDLE_CONNECTIONS
  const megabytes = (count: number) => `${Math.round(count / 1024 / 1024)} MB`
  return {
    name: 'Teltonika TCP, 10,000 idle connections',
    measured:
      `${megabytes(bytes)} resident in the intake process, ${megabytes(before)} before they came` +
      (connections < TELTONIKA_IDLE_CONNECTIONS ? `, reckoned from ${connections}, because of ulimit -n` : ''),
    against: megabytes(TELTONIKA_IDLE_LIMIT_BYTES),
    ratio: bytes / TELTONIKA_IDLE_LIMIT_BYTES,
    target: { atMost: 1 },
  }
}

/** How many files a process may open; Node takes as many as it is allowed to. */
async function mostFiles(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const [, most = ''] = /^Max open files\s+\S+\s+(\d+)/m.exec(limits) ?? []
  return most === '' ? Number.POSITIVE_INFINITY : Number(most)
}

interface LoadHalfLoad {
  readonly dongles: number
  readonly recordsPerS: number
  readonly warmUpMs: number
}

/** Dongles that send at an even pace, in a process of their own. */
interface RunningLoad {
  /** @returns how long each record waited for its acknowledgement that got it meanwhile */
  measureWhile(work: () => Promise<unknown>): Promise<readonly number[]>
}

/** Works while dongles send so much. */
export async function withHalfLoad<T>(
  { teltonikaPort: port }: Pick<RunningService, 'teltonikaPort'>,
  { dongles, recordsPerS, warmUpMs }: LoadHalfLoad,
  work: (load: RunningLoad) => Promise<T>,
): Promise<T> {
  const child = fork(fileURLToPath(new URL('ordinary-dongles.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] })
  try {
    const task: OrdinaryTask = { port, firstDongle: 0, dongles, everyMs: (dongles * 1000) / recordsPerS }
    child.send(task)
    if ((await told(child)) !== 'ready') throw new Error('the dongles could not log in')
    await sleep(warmUpMs)
    return await work({
      async measureWhile(measured) {
        child.send('measure')
        await measured()
        child.send('report')
        return ((await told(child)) as OrdinaryReport).waitsMs
      },
    })
  } finally {
    child.kill()
  }
}

async function told(child: ChildProcess): Promise<unknown> {
  const gone = once(child, 'exit').then(() => Promise.reject(new Error('the dongles gave up')))
  gone.catch(() => undefined)
  const [message] = (await Promise.race([once(child, 'message'), gone])) as unknown[]
  return message
}

const DONGLES = 1000
const RECORDS_PER_S = 100
const STREAM_LATENCY_WARM_UP_MS = 40_000
const STREAM_LATENCY_MEASURED_MS = 30_000
const TARGET_MS = 1000

/** A position, with the time of its record: these dongles send a record in the millisecond in which they measure it. */
interface SeenPosition {
  readonly of: string
  readonly atMs: number
}

interface StreamedEvent {
  readonly device_id: number
  readonly recorded_timestamp: string
}

interface StreamedVehicle {
  readonly id: string
  readonly lastEvents: readonly { readonly recordedTimestamp: string }[]
}

/** How long after a dongle sends a record its position is on a stream, while a thousand send one every ten seconds. */
export async function benchStreamLatency(service: RunningService): Promise<BenchResult[]> {
  return withHalfLoad(
    service,
    { dongles: DONGLES, recordsPerS: RECORDS_PER_S, warmUpMs: STREAM_LATENCY_WARM_UP_MS },
    async () => {
      const stream = await StreamClient.open({
        url: service.url,
        token: service.key,
        query: 'resources=events,vehicles&eventTypes=POSITION&lastEventTypes=POSITION',
      })
      await stream.ready()
      const openedMs = Date.now()
      await sleep(STREAM_LATENCY_MEASURED_MS)
      stream.cut()
      const framesOf = (name: string) => stream.frames.filter(({ event }) => event === name)
      return [
        ...resultsOf('a position on the stream', waitsMsOf(framesOf('events'), eventPositions, openedMs)),
        ...resultsOf('a vehicle on the stream', waitsMsOf(framesOf('vehicles'), vehiclePositions, openedMs)),
      ]
    },
  )
}

function eventPositions({ data }: ReceivedFrame): SeenPosition[] {
  return (data as readonly StreamedEvent[]).map(event => ({
    of: String(event.device_id),
    atMs: Date.parse(event.recorded_timestamp),
  }))
}

function vehiclePositions({ data }: ReceivedFrame): SeenPosition[] {
  return (data as readonly StreamedVehicle[]).flatMap(({ id, lastEvents }) =>
    lastEvents.map(({ recordedTimestamp }) => ({ of: id, atMs: Date.parse(recordedTimestamp) })),
  )
}

/** Of each position that was measured since then, when it was there first: a vehicle comes again when anything of it changes. */
function waitsMsOf(
  frames: readonly ReceivedFrame[],
  positionsOf: (frame: ReceivedFrame) => readonly SeenPosition[],
  sinceMs: number,
): readonly number[] {
  const seen = new Map<string, number>()
  for (const frame of frames)
    for (const { of, atMs } of positionsOf(frame)) {
      const key = `${of} ${atMs}`
      if (atMs >= sinceMs && !seen.has(key)) seen.set(key, performance.timeOrigin + frame.receivedMs - atMs)
    }
  return [...seen.values()]
}

function resultsOf(name: string, waitsMs: readonly number[]): BenchResult[] {
  const sorted = [...waitsMs].sort((a, b) => a - b)
  return [0.5, 0.99].map(share => {
    const ms = sorted[Math.floor(sorted.length * share)] ?? Number.NaN
    return {
      name: `${name}, p${share * 100}`,
      measured: `${ms.toFixed(0)} ms after its record was sent, ${sorted.length} of them, ${DONGLES} dongles with ${RECORDS_PER_S} records a second`,
      against: `${TARGET_MS} ms`,
      ratio: ms / TARGET_MS,
      target: { atMost: 1 },
    }
  })
}

const INCIDENT_LATENCY_DONGLES = 60
const INCIDENT_LATENCY_FIRST_DONGLE = 4_000_000
const INCIDENT_LATENCY_EVERY_MS = 300
const INCIDENT_LATENCY_TARGET_MS = 2000
const LIMIT_KMH = 50

interface SeenIncident {
  readonly deviceId: number
}

/** How long after a dongle begins to upload its incident is on a stream: few dongles, one speeding after the other. */
export async function benchIncidentLatency({ url: origin, key }: RunningService): Promise<BenchResult[]> {
  const url = `${origin}/cc/v2.0`
  await saveRule(url, key)
  const stream = await StreamClient.open({ url: origin, token: key, query: 'resources=incidents' })
  await stream.ready()
  const begunMs = new Map<number, number>()
  for (let dongle = 0; dongle < INCIDENT_LATENCY_DONGLES; dongle++) {
    const deviceId = INCIDENT_LATENCY_FIRST_DONGLE + dongle
    begunMs.set(deviceId, performance.now())
    await sendBodies({ url: origin, key }, [speedingBody(deviceId)], 1)
    await sleep(INCIDENT_LATENCY_EVERY_MS)
  }
  const seen = () => new Set(stream.objects<SeenIncident>('incidents').map(({ deviceId }) => deviceId))
  await stream.until(() => seen().size >= INCIDENT_LATENCY_DONGLES)
  stream.cut()
  const waitsMs = [...begunMs].map(([deviceId, atMs]) => firstSeenMs(stream, deviceId) - atMs).sort((a, b) => a - b)
  return [0.5, 0.99].map(share => {
    const ms = waitsMs[Math.floor(waitsMs.length * share)] ?? Number.NaN
    return {
      name: `an incident on the stream, p${share * 100}`,
      measured: `${ms.toFixed(0)} ms after its upload began, ${INCIDENT_LATENCY_DONGLES} dongles, one every ${INCIDENT_LATENCY_EVERY_MS} ms`,
      against: `${INCIDENT_LATENCY_TARGET_MS} ms`,
      ratio: ms / INCIDENT_LATENCY_TARGET_MS,
      target: { atMost: 1 },
    }
  })
}

function firstSeenMs({ frames }: StreamClient, deviceId: number): number {
  const frame = frames.find(
    ({ event, data }) =>
      event === 'incidents' && (data as readonly SeenIncident[]).some(incident => incident.deviceId === deviceId),
  )
  return frame?.receivedMs ?? Number.NaN
}

async function saveRule(url: string, key: string): Promise<void> {
  const reply = await fetch(`${url}/rules`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'Speeding',
      kind: 'SPEEDING',
      parameters: { limitKmh: LIMIT_KMH },
      fromTimestamp: new Date(Date.now() - 3_600_000).toISOString(),
    }),
  })
  if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`)
}

/** The last half minute of a car that is too fast. */
function speedingBody(deviceId: number): string {
  const nowMs = Date.now()
  return JSON.stringify(
    [30, 20, 10, 0].flatMap(agoS => {
      const recordedTimestamp = new Date(nowMs - agoS * 1000).toISOString()
      const driving = { IS_IGNITION_ON: true, VEHICLE_SPEED_AVERAGE: 2 * LIMIT_KMH }
      return Object.entries(driving).map(([eventType, value]) => ({ deviceId, recordedTimestamp, eventType, value }))
    }),
  )
}
