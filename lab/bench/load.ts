import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ReceivedFrame, StreamClient } from '../../test/stream-client.ts'
import { type Dongles, withDongles, withLoad } from './dongles.ts'
import { type BenchResult, limited, quantile } from './result.ts'
import { type RunningService, sendBodies } from './running-service.ts'

interface Load {
  readonly dongles: number
  readonly atMostMs: number
  /** Of the acknowledgement of a record; a fleet that needs a whole machine has no such limit. */
  readonly p50AtMostMs?: number
  readonly p99AtMostMs?: number
}

const EVERY_MS = 10_000
/** The usual one first; the most dongles last, because of the open trips and the memory that they leave behind. */
const LOADS: readonly Load[] = [
  { dongles: 1_000, atMostMs: 1, p50AtMostMs: 120, p99AtMostMs: 250 },
  { dongles: 100, atMostMs: 2.5 },
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
const LIMIT_BYTES = 450 * MEGABYTE

/** An installation at rest: nobody there, and dongles that are connected and silent. */
export async function benchAtRest(service: RunningService): Promise<BenchResult[]> {
  const results: BenchResult[] = []
  for (const [dongles, limitMs] of [[0, 10] as const, [CONNECTIONS, 20] as const])
    await withDongles(service, { firstDongle: FIRST_DONGLE, dongles }, async silent => {
      const { cpuMsASecond, bytes } = await measure(service, silent)
      results.push(
        limited(`at rest, ${dongles} silent connections`, cpuMsASecond, limitMs, {
          measured: `${cpuMsASecond.toFixed(1)} ms of CPU a second, ${megabytesOf(bytes)}, all processes`,
          against: `${limitMs} ms a second`,
        }),
      )
    })
  return results
}

/** Each dongle sends a record every 10 seconds: the CPU of a record, and the wait for its acknowledgement. */
export async function benchOrdinaryLoad(service: RunningService): Promise<BenchResult[]> {
  const driving = (dongles: number) => ({ firstDongle: FIRST_DONGLE, dongles, everyMs: EVERY_MS })
  const results: BenchResult[] = []
  await withDongles(service, driving(CONNECTIONS), () => sleep(COMPILED_MS))
  for (const load of LOADS)
    await withDongles(service, driving(load.dongles), async dongles => {
      results.push(...resultsOfLoad(load, await measure(service, dongles)))
    })
  return results
}

function resultsOfLoad(load: Load, { cpuMsASecond, bytes, waitsMs }: Measured): BenchResult[] {
  const { dongles, atMostMs, p50AtMostMs, p99AtMostMs } = load
  const [p50Ms, p99Ms] = [quantile(waitsMs, 0.5), quantile(waitsMs, 0.99)]
  const recordMs = (cpuMsASecond * (MEASURED_MS / 1000)) / waitsMs.length
  const name = `ordinary load, ${dongles} dongles`
  const acknowledged = (share: string, ms: number, limitMs: number | undefined) =>
    limitMs === undefined
      ? []
      : [
          limited(`${name}: acknowledgement, ${share}`, ms, limitMs, {
            measured: `${ms.toFixed(1)} ms`,
            against: `${limitMs} ms`,
          }),
        ]
  return [
    {
      ...limited(`${name}: CPU a record`, recordMs, atMostMs, {
        measured:
          `${recordMs.toFixed(2)} ms, ${waitsMs.length} records, ${(cpuMsASecond / 10).toFixed(1)} % of a core, ` +
          `${megabytesOf(bytes)}, all processes; acknowledged after ${p50Ms.toFixed(0)} ms (p50), ${p99Ms.toFixed(0)} (p99)`,
        against: `${atMostMs} ms`,
      }),
      figures: {
        cpuMsARecord: recordMs,
        memoryMb: bytes / MEGABYTE,
        recordsPerS: waitsMs.length / (MEASURED_MS / 1000),
      },
    },
    ...acknowledged('p50', p50Ms, p50AtMostMs),
    ...acknowledged('p99', p99Ms, p99AtMostMs),
    ...(dongles === CONNECTIONS
      ? [
          limited(`${name}: memory`, bytes, LIMIT_BYTES, {
            measured: `${megabytesOf(bytes)} of all processes, what they share counted once`,
            against: megabytesOf(LIMIT_BYTES),
          }),
        ]
      : []),
  ]
}

interface Measured {
  readonly cpuMsASecond: number
  readonly bytes: number
  readonly waitsMs: readonly number[]
}

async function measure(service: RunningService, dongles: Dongles): Promise<Measured> {
  await sleep(WARM_UP_MS)
  let [cpuMsASecond, bytes] = [0, 0]
  const waitsMs = await dongles.measureWhile(async () => {
    const before = await service.cost()
    const startedMs = performance.now()
    await sleep(MEASURED_MS)
    const seconds = (performance.now() - startedMs) / 1000
    const after = await service.cost()
    cpuMsASecond = ((after.cpuSeconds - before.cpuSeconds) * 1000) / seconds
    bytes = after.bytes
  })
  return { cpuMsASecond, bytes, waitsMs }
}

function megabytesOf(bytes: number): string {
  return `${Math.round(bytes / MEGABYTE)} MB`
}

const FIRST_IDLE_DONGLE = 500_000
const IDLE_CONNECTIONS = 10_000
const IDLE_LIMIT_BYTES = 300 * MEGABYTE
const OTHER_FILES = 200
/** For memory that was needed only to log in and to store the packets. */
const SETTLE_MS = 10_000

export async function benchTeltonikaIdle(service: RunningService): Promise<BenchResult> {
  const connections = Math.min(IDLE_CONNECTIONS, (await mostFiles()) - OTHER_FILES)
  const before = await service.residentBytes('intake')
  const packets = { count: 1, recordsEach: 1, startMs: Date.now(), firstStep: 0 }
  const task = { firstDongle: FIRST_IDLE_DONGLE, dongles: connections, packets }
  const after = await withDongles(service, task, async dongles => {
    await dongles.sendPackets()
    await sleep(SETTLE_MS)
    return service.residentBytes('intake')
  })
  const bytes = before + ((after - before) / connections) * IDLE_CONNECTIONS
  return limited('Teltonika TCP, 10,000 idle connections', bytes, IDLE_LIMIT_BYTES, {
    measured:
      `${megabytesOf(bytes)} resident in the intake process, ${megabytesOf(before)} before they came` +
      (connections < IDLE_CONNECTIONS ? `, reckoned from ${connections}, because of ulimit -n` : ''),
    against: megabytesOf(IDLE_LIMIT_BYTES),
  })
}

async function mostFiles(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const [, most = ''] = /^Max open files\s+\S+\s+(\d+)/m.exec(limits) ?? []
  return most === '' ? Number.POSITIVE_INFINITY : Number(most)
}

const STREAM_LOAD = { dongles: 1000, recordsPerS: 100, warmUpMs: 40_000 }
const STREAM_MEASURED_MS = 30_000
const STREAM_TARGET_MS = 1000

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

/** From sending a record until its position is on a stream, while a thousand dongles send one every ten seconds. */
export async function benchStreamLatency(service: RunningService): Promise<BenchResult[]> {
  return withLoad(service, STREAM_LOAD, async () => {
    const stream = await StreamClient.open({
      url: service.url,
      token: service.key,
      query: 'resources=events,vehicles&eventTypes=POSITION&lastEventTypes=POSITION',
    })
    await stream.ready()
    const openedMs = Date.now()
    await sleep(STREAM_MEASURED_MS)
    stream.cut()
    const framesOf = (name: string) => stream.frames.filter(({ event }) => event === name)
    const after = `after its record was sent, ${STREAM_LOAD.dongles} dongles with ${STREAM_LOAD.recordsPerS} records a second`
    const resultsOf = (name: string, waitsMs: readonly number[]) => latencies(name, waitsMs, STREAM_TARGET_MS, after)
    return [
      ...resultsOf('a position on the stream', waitsMsOf(framesOf('events'), eventPositions, openedMs)),
      ...resultsOf('a vehicle on the stream', waitsMsOf(framesOf('vehicles'), vehiclePositions, openedMs)),
    ]
  })
}

function latencies(name: string, waitsMs: readonly number[], limitMs: number, after: string): BenchResult[] {
  return [0.5, 0.99].map(share => {
    const ms = quantile(waitsMs, share)
    const measured = `${ms.toFixed(0)} ms ${after}, ${waitsMs.length} of them`
    return limited(`${name}, p${share * 100}`, ms, limitMs, { measured, against: `${limitMs} ms` })
  })
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

const SPEEDING_DONGLES = 60
const FIRST_SPEEDING_DONGLE = 4_000_000
const SPEEDING_EVERY_MS = 300
const INCIDENT_TARGET_MS = 2000
const LIMIT_KMH = 50

interface SeenIncident {
  readonly deviceId: number
}

/** From the upload until its incident is on a stream: few dongles, one speeding after the other. */
export async function benchIncidentLatency({ url, key }: RunningService): Promise<BenchResult[]> {
  await saveRule(`${url}/cc/v2.0`, key)
  const stream = await StreamClient.open({ url, token: key, query: 'resources=incidents' })
  await stream.ready()
  const begunMs = new Map<number, number>()
  for (let dongle = 0; dongle < SPEEDING_DONGLES; dongle++) {
    const deviceId = FIRST_SPEEDING_DONGLE + dongle
    begunMs.set(deviceId, performance.now())
    await sendBodies({ url, key }, [speedingBody(deviceId)], 1)
    await sleep(SPEEDING_EVERY_MS)
  }
  const seen = () => new Set(stream.objects<SeenIncident>('incidents').map(({ deviceId }) => deviceId))
  await stream.until(() => seen().size >= SPEEDING_DONGLES)
  stream.cut()
  const waitsMs = [...begunMs].map(([deviceId, atMs]) => firstSeenMs(stream, deviceId) - atMs)
  const after = `after its upload began, a dongle every ${SPEEDING_EVERY_MS} ms`
  return latencies('an incident on the stream', waitsMs, INCIDENT_TARGET_MS, after)
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
