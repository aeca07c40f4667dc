import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { setInterval, setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { type EventTypeName, requiredEventType } from '../../src/catalogue/event-types.ts'
import { lockDevices } from '../../src/db/shards.ts'
import { sql } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { instantOfMs } from '../../src/db/values.ts'
import { type DeviceId, type EventValue, type Sample, sampleOf } from '../../src/model/sample.ts'
import { insertSamples, Partitions } from '../../src/store/index.ts'
import { withHalfLoad } from './load.ts'
import { ingestBodies } from './made-samples.ts'
import { type BenchResult, elapsedMs, median, pairRatios, quantile } from './result.ts'
import { download, type RunningService, sendBodies } from './running-service.ts'
import { sendLive } from './teltonika-ingest.ts'

const DONGLES = 1_000
/** Of dongles that send a record as soon as the one before is acknowledged: how much the machine takes at most. */
const FULL_PACKETS = 60
const ROUNDS = 3
/** Of each round: of all rounds, ten are slower than the 99th percentile. */
const REQUESTS = 340
const WARM_UP_REQUESTS = 150
const WARM_UP_MS = 5_000

interface Path {
  readonly name: string
  readonly path: string
  /** Of a reader that does not wait for answers, as many independent clients do not. */
  readonly requestsPerS: number
  readonly atMost: number
}

/** How long requests waited while nothing was received, and while dongles sent half of what the machine takes at most; by round. */
interface Compared {
  readonly idleMs: number[][]
  readonly loadedMs: number[][]
}

/** GET /vehicles/{id} and others, idle and under half-load ingest, in turn. */
export async function benchReadsUnderLoad(service: RunningService): Promise<BenchResult[]> {
  const full = await sendLive(service, DONGLES, FULL_PACKETS)
  const fullRecordsPerS = (DONGLES * FULL_PACKETS * 1000) / full.derivedMs
  // As autovacuum does within the first minute.
  await service.database.writers.query('analyze')
  const paths = await pathsOf(service)
  const waitsMs = new Map<Path, Compared>(paths.map(path => [path, { idleMs: [], loadedMs: [] }]))
  const receivedPerS: number[] = []
  const measure = async (kind: keyof Compared) => {
    for (const [path, { [kind]: rounds }] of waitsMs) rounds.push(await readFor(service, path, REQUESTS))
  }
  for (const path of paths) await readFor(service, path, WARM_UP_REQUESTS)
  for (let round = 0; round < ROUNDS; round++) {
    await measure('idleMs')
    receivedPerS.push(await underHalfLoad(service, fullRecordsPerS / 2, () => measure('loadedMs')))
  }
  return [...waitsMs].map(([{ name, atMost }, { idleMs, loadedMs }]) => {
    const [p99IdleMs, p99LoadedMs] = [quantile(idleMs.flat(), 0.99), quantile(loadedMs.flat(), 0.99)]
    const text = (rounds: readonly number[][], p99Ms: number) =>
      `p50 ${quantile(rounds.flat(), 0.5).toFixed(1)}, p99 ${p99Ms.toFixed(1)} ms`
    return {
      name: `${name} under half-load ingest, p99`,
      measured: `${text(loadedMs, p99LoadedMs)} with ${median(receivedPerS).toFixed(0)} records/s of ${fullRecordsPerS.toFixed(0)}`,
      against: `idle ${text(idleMs, p99IdleMs)}`,
      ratio: p99LoadedMs / p99IdleMs,
      target: { atMost },
      runs: pairRatios(p99Of(loadedMs), p99Of(idleMs)),
      figures: { liveRecordsPerS: fullRecordsPerS, p99LoadedMs, p99IdleMs },
    }
  })
}

function p99Of(rounds: readonly number[][]): number[] {
  return rounds.map(waitsMs => quantile(waitsMs, 0.99))
}

async function pathsOf({ url, key }: RunningService): Promise<Path[]> {
  const reply = await fetch(`${url}/cc/v2.0/vehicles?maxResults=1`, { headers: { authorization: `Bearer ${key}` } })
  const { vehicles } = (await reply.json()) as { vehicles: [{ id: string }] }
  const id = vehicles[0].id
  return [
    { name: 'GET /vehicles/{id}', path: `/cc/v2.0/vehicles/${id}`, requestsPerS: 40, atMost: 2 },
    { name: 'GET /vehicles, 100', path: '/cc/v2.0/vehicles?maxResults=100', requestsPerS: 20, atMost: 3 },
    {
      name: 'GET /events, 1,000 of a car',
      path: `/cc/v2.0/events?vehicleId=${id}&maxResults=1000`,
      requestsPerS: 35,
      atMost: 3,
    },
  ]
}

/** Requests at an even pace. @returns how long each waited for its whole answer */
async function readFor(
  { url, key }: RunningService,
  { path, requestsPerS }: Path,
  requests: number,
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true })
  const waitsMs: number[] = []
  const reads: Promise<unknown>[] = []
  const beganMs = performance.now()
  for (let sent = 0; sent < requests; sent++) {
    await sleep(Math.max(0, beganMs + (sent * 1000) / requestsPerS - performance.now()))
    const startedMs = performance.now()
    const ended = () => waitsMs.push(performance.now() - startedMs)
    // One that is refused has waited, too.
    reads.push(download(agent, url + path, key).then(ended, ended))
  }
  await Promise.all(reads)
  agent.destroy()
  return waitsMs
}

/** @returns how many records a second were acknowledged meanwhile */
function underHalfLoad(service: RunningService, recordsPerS: number, work: () => Promise<void>): Promise<number> {
  return withHalfLoad(service, { dongles: DONGLES, recordsPerS, warmUpMs: WARM_UP_MS }, async load => {
    const startedMs = performance.now()
    const waitsMs = await load.measureWhile(work)
    return (waitsMs.length * 1000) / (performance.now() - startedMs)
  })
}

const SECONDS = 3
const RUNS = 3
const CONNECTIONS = 10

/** GET /vehicles/{id} against a constant answer of the same size from the same server. */
export async function benchVehicle(service: RunningService): Promise<BenchResult> {
  const headers = { authorization: `Bearer ${service.key}` }
  const list = await fetch(`${service.url}/cc/v2.0/vehicles?maxResults=1`, { headers })
  const { vehicles: listed } = (await list.json()) as { vehicles: [{ id: string }] }
  const path = `/cc/v2.0/vehicles/${listed[0].id}`
  const bytes = Buffer.byteLength(await (await fetch(service.url + path, { headers })).text())
  const { child, url } = await startConstantServer(service, bytes)
  const perSecond = async (target: string) => {
    const { requests, non2xx } = await autocannon({
      url: url + target,
      headers,
      connections: CONNECTIONS,
      duration: SECONDS,
    })
    if (non2xx > 0) throw new Error(`${non2xx} answers of ${target} were not 200`)
    return requests.average
  }
  try {
    await perSecond(path)
    const constants: number[] = []
    const vehicles: number[] = []
    const cpuMs: number[] = []
    for (let run = 0; run < RUNS; run++) {
      constants.push(await perSecond('/constant'))
      const before = await service.cost()
      vehicles.push(await perSecond(path))
      const { cpuSeconds } = await service.cost()
      cpuMs.push(((cpuSeconds - before.cpuSeconds) * 1000) / ((vehicles.at(-1) ?? 0) * SECONDS))
    }
    const [vehicle, constant] = [median(vehicles), median(constants)]
    return {
      name: 'GET /vehicles/{id}',
      measured: `${Math.round(vehicle)} requests/s of ${bytes} B`,
      against: `a constant answer of that size ${Math.round(constant)} requests/s`,
      ratio: vehicle / constant,
      target: { atLeast: 0.25 },
      runs: pairRatios(vehicles, constants),
      figures: { requestsPerS: vehicle, cpuMsARequest: median(cpuMs) },
    }
  } finally {
    child.kill()
    await once(child, 'exit')
  }
}

async function startConstantServer(
  { databaseUrl }: RunningService,
  bytes: number,
): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', fileURLToPath(new URL('constant-server.ts', import.meta.url))],
    {
      env: { ...process.env, DATABASE_URL: databaseUrl, CONSTANT_BYTES: String(bytes), RATE_LIMIT: '1000000000' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, url: `http://127.0.0.1:${port.toString().trim()}` }
}

const EVENTS = 10_000
/** The first ones are cold: code is not compiled yet, pages are not in memory. */
const WARM_UP_RUNS = 60
const EVENTS_LIST_RUNS = 100
const AT_ONCE = 100

/** GET /events with 10,000 events: its time against JSON.stringify of the same objects, and memory with 100 at once. */
export async function benchEventsList(service: RunningService): Promise<BenchResult[]> {
  const { key, url } = service
  const list = `${url}/cc/v2.0/events?vehicleId=${await longestVehicle(service)}&fromTimestamp=2000-01-01&maxResults=${EVENTS}`
  const reply = await fetch(list, { headers: { authorization: `Bearer ${key}` } })
  const objects = (await reply.json()) as unknown[]
  if (objects.length !== EVENTS) throw new Error(`${objects.length} events instead of ${EVENTS}`)
  const agent = new Agent({ keepAlive: true })
  const httpMs: number[] = []
  const stringifyMs: number[] = []
  // Alternately, so that both run under the same load of a shared machine.
  for (let run = 0; run < WARM_UP_RUNS + EVENTS_LIST_RUNS; run++) {
    httpMs.push(await elapsedTimeMs(() => download(agent, list, key)))
    stringifyMs.push(await elapsedTimeMs(async () => JSON.stringify(objects)))
  }
  const peakBytes = await peakWhile(service, () =>
    Promise.all(Array.from({ length: AT_ONCE }, () => download(agent, list, key))),
  )
  agent.destroy()
  return [
    {
      name: 'GET /events, 10,000 events',
      measured: `${median(httpMs.slice(WARM_UP_RUNS)).toFixed(1)} ms over HTTP, query included (first ${httpMs[0]?.toFixed(1)} ms)`,
      against: `JSON.stringify of the same objects ${median(stringifyMs.slice(WARM_UP_RUNS)).toFixed(1)} ms`,
      ratio: median(httpMs.slice(WARM_UP_RUNS)) / median(stringifyMs.slice(WARM_UP_RUNS)),
      target: { atMost: 2.5 },
      runs: pairRatios(httpMs.slice(WARM_UP_RUNS), stringifyMs.slice(WARM_UP_RUNS)),
    },
    {
      name: 'Memory of 100 such answers at once',
      measured: `${(peakBytes / 1e6).toFixed(0)} MB resident at most in the api process`,
      against: '300 MB',
      ratio: peakBytes / 300e6,
      target: { atMost: 1 },
    },
  ]
}

/** The vehicle with the most events, by its public id. */
async function longestVehicle({ database }: RunningService): Promise<string> {
  const [row] = await database.rows<{ public_id: string }>(sql`
    select v.public_id from samples s join assignments a using (device_id) join vehicles v on v.id = a.vehicle_id
    group by v.public_id order by count(*) desc limit 1`)
  if (!row) throw new Error('there are no vehicles')
  return row.public_id
}

async function elapsedTimeMs(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

async function peakWhile(service: RunningService, work: () => Promise<unknown>): Promise<number> {
  const done = new AbortController()
  let peakBytes = 0
  const watch = async () => {
    for await (const _ of setInterval(10, undefined, { signal: done.signal }))
      peakBytes = Math.max(peakBytes, await service.residentBytes('api'))
  }
  const watching = watch().catch(() => undefined)
  await work()
  done.abort()
  await watching
  return peakBytes
}

const DEVICE = 356_307_042_999_999 as DeviceId
const DAY_MS = 86_400_000
const DAYS = 91
const START_MS = Date.UTC(2022, 0, 1)
/** Two drives a day, a sample a second. */
const SAMPLES_OF_A_DAY = 8220
/** As wide as a chart of 1,000 pixels needs. */
const MAX_POINTS = 4000
/** Some 100,000 samples. */
const SHORT_DAYS = 12
const EVENTS_THINNED_RUNS = 7
const COPY_SAMPLES = 50_000

/** Charts of one event type of a car: of 100,000 events and of a quarter of a year, 750,000, thinned by the server. */
export async function benchEventsThinned(service: RunningService): Promise<BenchResult[]> {
  await fillQuarter(service)
  return [await benchShort(service), ...(await benchQuarter(service))]
}

/** Against the list that is not thinned: all of its pages, and the client's JSON.parse. */
async function benchShort(service: RunningService): Promise<BenchResult> {
  const toMs = START_MS + SHORT_DAYS * DAY_MS
  const thinned: ReadList[] = []
  const whole: ReadList[] = []
  for (let run = 0; run < EVENTS_THINNED_RUNS; run++) {
    thinned.push(await readList(service, toMs, `maxPoints=${MAX_POINTS}`))
    whole.push(await readList(service, toMs, 'maxResults=10000'))
  }
  const medianMs = (lists: readonly ReadList[]) => median(lists.map(({ ms }) => ms))
  return {
    name: `GET /events, ${whole[0]?.events} events in ${MAX_POINTS} points`,
    measured: `${medianMs(thinned).toFixed(0)} ms, ${described(thinned)}`,
    against: `all pages ${medianMs(whole).toFixed(0)} ms, ${described(whole)}`,
    ratio: medianMs(thinned) / medianMs(whole),
    target: { atMost: 0.5 },
  }
}

/** Against PostgreSQL, which only looks at the same samples; and what others notice of it. */
async function benchQuarter(service: RunningService): Promise<BenchResult[]> {
  const toMs = START_MS + DAYS * DAY_MS
  const scanMs = await elapsedMs(() =>
    service.database.rows(sql`
      select sum(octet_length(numbers)) from samples where device_id = ${DEVICE}
        and time >= ${instantOfMs(START_MS)} and time < ${instantOfMs(toMs)}`),
  )
  const alone = await othersWaitMs(service, sleep(2000))
  const residentBytes = await service.residentBytes('api')
  const beside = await othersWaitMs(service, readList(service, toMs, `maxPoints=${MAX_POINTS}`))
  const grownMb = ((await service.residentBytes('api')) - residentBytes) / 1e6
  const list = beside.result
  return [
    {
      name: `GET /events, ${DAYS * SAMPLES_OF_A_DAY} events in ${MAX_POINTS} points`,
      measured: `${(list.ms / 1000).toFixed(1)} s, ${described([list])}; ${grownMb.toFixed(0)} MB more in the api process`,
      against: `PostgreSQL adding up the bytes of these samples ${(scanMs / 1000).toFixed(2)} s`,
      ratio: list.ms / scanMs,
      target: { atMost: 15 },
    },
    {
      name: 'GET /vehicles/{id} beside it',
      measured: `${median(beside.waitMs).toFixed(1)} ms, of 100 the slowest ${slowest(beside.waitMs).toFixed(1)} ms`,
      against: `alone ${median(alone.waitMs).toFixed(1)} ms, of 100 the slowest ${slowest(alone.waitMs).toFixed(1)} ms`,
      ratio: median(beside.waitMs) / median(alone.waitMs),
      target: { atMost: 3 },
    },
  ]
}

/** How long requests of others wait for their answers as long as something goes on. */
async function othersWaitMs<T>({ url, key }: RunningService, work: Promise<T>) {
  const agent = new Agent({ keepAlive: true })
  const waitMs: number[] = []
  const done = work.then(result => ({ result }))
  for (;;) {
    const ended = await Promise.race([done, sleep(5)])
    if (ended) {
      agent.destroy()
      return { waitMs, result: ended.result }
    }
    waitMs.push(await elapsedMs(() => download(agent, `${url}/cc/v2.0/vehicles/IMEI_${DEVICE}`, key)))
  }
}

interface ReadList {
  readonly events: number
  readonly bytes: number
  /** Until all of it is parsed. */
  readonly ms: number
  /** How much of that was JSON.parse. */
  readonly parseMs: number
}

/** Reads a list from the start of the quarter to its last page and parses it, as a client does. */
async function readList({ url, key }: RunningService, toMs: number, bound: string): Promise<ReadList> {
  const started = performance.now()
  const range = `fromTimestamp=${new Date(START_MS).toISOString()}&toTimestamp=${new Date(toMs - 1).toISOString()}`
  let [events, bytes, parseMs] = [0, 0, 0]
  let next: string | undefined = `/cc/v2.0/events?deviceId=${DEVICE}&eventType=VEHICLE_SPEED_AVERAGE&${range}&${bound}`
  while (next !== undefined) {
    const reply: Response = await fetch(url + next, { headers: { authorization: `Bearer ${key}` } })
    if (!reply.ok) throw new Error(`status ${reply.status}`)
    const text = await reply.text()
    bytes += text.length
    parseMs += await elapsedMs(async () => (events += (JSON.parse(text) as unknown[]).length))
    next = /<(.*)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1]
  }
  return { events, bytes, ms: performance.now() - started, parseMs }
}

function described(lists: readonly ReadList[]): string {
  const [list] = lists
  const parseMs = median(lists.map(one => one.parseMs))
  return `${list?.events} events, ${Math.round((list?.bytes ?? 0) / 1000)} kB, JSON.parse ${parseMs.toFixed(1)} ms of it`
}

/** Both ends come through the front door, so that everything knows of the car, and the rest by COPY. */
async function fillQuarter(service: RunningService): Promise<void> {
  const { database } = service
  const partitions = new Partitions(database)
  const lastMs = START_MS + DAYS * DAY_MS - 1000
  await sendBodies(service, ingestBodies([sampleAt(START_MS, 0), sampleAt(lastMs, 1)], 1000).bodies, 1)
  let samples: Sample[] = []
  const store = async () => {
    await partitions.ensure(samples.map(({ timeMs }) => timeMs))
    await writeTransaction(database, async transaction => {
      const locked = await lockDevices(transaction, new Set(samples.map(({ deviceId }) => deviceId)))
      await insertSamples(locked, samples, await transaction.takeRevisions(1))
    })
    samples = []
  }
  for (let day = 0; day < DAYS; day++) {
    for (let step = 0; step < SAMPLES_OF_A_DAY; step++) {
      const hour = step < SAMPLES_OF_A_DAY / 2 ? 7 : 16
      samples.push(sampleAt(START_MS + day * DAY_MS + hour * 3_600_000 + step * 1000, day * SAMPLES_OF_A_DAY + step))
    }
    if (samples.length >= COPY_SAMPLES) await store()
  }
  await store()
  await database.writers.query('vacuum analyze samples')
  await database.writers.query('checkpoint')
}

function sampleAt(atMs: number, step: number): Sample {
  const wave = Math.sin(step / 97) * Math.sin(step / 1013)
  const events: readonly (readonly [EventTypeName, EventValue])[] = [
    ['VEHICLE_SPEED_AVERAGE', Math.round(60 + 60 * wave)],
    ['ENGINE_RPM_AVERAGE', Math.round(2000 + 1200 * wave)],
    ['ENGINE_LOAD_AVERAGE', Math.round(50 + 40 * wave) * (100 / 255)],
    ['AMBIENT_AIR_TEMPERATURE', Math.round(20 + 10 * Math.sin(step / 10_000)) / 2],
    ['POSITION', { lon: 11.5 + (step % 7919) / 1e5, lat: 48.1 + (step % 6311) / 1e5 }],
  ]
  return sampleOf(DEVICE, atMs, new Map(events.map(([name, value]) => [requiredEventType(name).id, value])))
}

function slowest(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN
}
