import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { setInterval, setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { sql } from '../../src/db/sql.ts'
import { fullRecordsPerS, withLoad } from './dongles.ts'
import { type BenchResult, elapsedInTurn, limited, median, pairRatios, quantile } from './result.ts'
import { download, type RunningService } from './running-service.ts'

const DONGLES = 1_000
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

interface Compared {
  readonly idleMs: number[][]
  readonly loadedMs: number[][]
}

export async function benchReadsUnderLoad(service: RunningService): Promise<BenchResult[]> {
  const fullPerS = await fullRecordsPerS(service, DONGLES)
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
    receivedPerS.push(await underHalfLoad(service, fullPerS / 2, () => measure('loadedMs')))
  }
  return [...waitsMs].map(([{ name, atMost }, { idleMs, loadedMs }]) => {
    const [p99IdleMs, p99LoadedMs] = [quantile(idleMs.flat(), 0.99), quantile(loadedMs.flat(), 0.99)]
    const text = (rounds: readonly number[][], p99Ms: number) =>
      `p50 ${quantile(rounds.flat(), 0.5).toFixed(1)}, p99 ${p99Ms.toFixed(1)} ms`
    return {
      name: `${name} under half-load ingest, p99`,
      measured: `${text(loadedMs, p99LoadedMs)} with ${median(receivedPerS).toFixed(0)} records/s of ${fullPerS.toFixed(0)}`,
      against: `idle ${text(idleMs, p99IdleMs)}`,
      ratio: p99LoadedMs / p99IdleMs,
      target: { atMost },
      runs: pairRatios(p99Of(loadedMs), p99Of(idleMs)),
      figures: { liveRecordsPerS: fullPerS, p99LoadedMs, p99IdleMs },
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

function underHalfLoad(service: RunningService, recordsPerS: number, work: () => Promise<void>): Promise<number> {
  return withLoad(service, { dongles: DONGLES, recordsPerS, warmUpMs: WARM_UP_MS }, async load => {
    const startedMs = performance.now()
    const waitsMs = await load.measureWhile(work)
    return (waitsMs.length * 1000) / (performance.now() - startedMs)
  })
}

const SECONDS = 3
const RUNS = 3
const CONNECTIONS = 10

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

export async function benchEventsList(service: RunningService): Promise<BenchResult[]> {
  const { key, url } = service
  const list = `${url}/cc/v2.0/events?vehicleId=${await longestVehicle(service)}&fromTimestamp=2000-01-01&maxResults=${EVENTS}`
  const reply = await fetch(list, { headers: { authorization: `Bearer ${key}` } })
  const objects = (await reply.json()) as unknown[]
  if (objects.length !== EVENTS) throw new Error(`${objects.length} events instead of ${EVENTS}`)
  const agent = new Agent({ keepAlive: true })
  const [httpMs, stringifyMs] = await elapsedInTurn({ warmUp: WARM_UP_RUNS, runs: EVENTS_LIST_RUNS }, [
    () => download(agent, list, key),
    () => JSON.stringify(objects),
  ] as const)
  const peakBytes = await peakWhile(service, () =>
    Promise.all(Array.from({ length: AT_ONCE }, () => download(agent, list, key))),
  )
  agent.destroy()
  return [
    {
      name: 'GET /events, 10,000 events',
      measured: `${median(httpMs).toFixed(1)} ms over HTTP, query included`,
      against: `JSON.stringify of the same objects ${median(stringifyMs).toFixed(1)} ms`,
      ratio: median(httpMs) / median(stringifyMs),
      target: { atMost: 2.5 },
      runs: pairRatios(httpMs, stringifyMs),
    },
    limited('Memory of 100 such answers at once', peakBytes, 300e6, {
      measured: `${(peakBytes / 1e6).toFixed(0)} MB resident at most in the api process`,
      against: '300 MB',
    }),
  ]
}

async function longestVehicle({ database }: RunningService): Promise<string> {
  const [row] = await database.rows<{ public_id: string }>(sql`
    select v.public_id from samples s join assignments a using (device_id) join vehicles v on v.id = a.vehicle_id
    group by v.public_id order by count(*) desc limit 1`)
  if (!row) throw new Error('there are no vehicles')
  return row.public_id
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
