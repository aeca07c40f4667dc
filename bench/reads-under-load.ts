import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { withHalfLoad } from './half-load.ts'
import { download } from './http-sender.ts'
import { type BenchResult, median } from './result.ts'
import type { RunningService } from './running-service.ts'
import { pairRatios, quantile } from './spread.ts'
import { sendLive } from './teltonika-ingest.ts'

const DONGLES = 1_000
/** Of dongles that send a record as soon as the one before is acknowledged: how much the machine takes at most. */
const FULL_PACKETS = 60
const ROUNDS = 3
const MEASURED_MS = 10_000
const WARM_UP_MS = 5_000
/** Of a reader that does not wait for answers, as many independent clients do not. */
const REQUESTS_A_S = 20

/** What reading takes while nothing is received, and while dongles send half of what the machine takes at most. */
interface Compared {
  readonly idleMs: number[]
  readonly loadedMs: number[]
}

/** GET /vehicles/{id} and others, idle and under half-load ingest, in turn. */
export async function benchReadsUnderLoad(service: RunningService): Promise<BenchResult[]> {
  const full = await sendLive(service, DONGLES, FULL_PACKETS)
  const fullRecordsPerS = (DONGLES * FULL_PACKETS * 1000) / full.derivedMs
  // As autovacuum does within the first minute.
  await service.database.writers.query('analyze')
  const paths = await pathsOf(service)
  const nothing = () => new Map<string, Compared>(paths.map(({ name }) => [name, { idleMs: [], loadedMs: [] }]))
  const [p50, p99] = [nothing(), nothing()]
  const receivedPerS: number[] = []
  const measure = async (kind: keyof Compared) => {
    for (const { name, path } of paths) {
      const waitsMs = await readFor(service, path, MEASURED_MS)
      p50.get(name)?.[kind].push(quantile(waitsMs, 0.5))
      p99.get(name)?.[kind].push(quantile(waitsMs, 0.99))
    }
  }
  for (const { path } of paths) await readFor(service, path, WARM_UP_MS)
  for (let round = 0; round < ROUNDS; round++) {
    await measure('idleMs')
    receivedPerS.push(await underHalfLoad(service, fullRecordsPerS / 2, () => measure('loadedMs')))
  }
  return paths.map(({ name, atMost }) => {
    const [middle, slowest] = [p50.get(name), p99.get(name)]
    if (!middle || !slowest) throw new Error('a path that was not measured')
    const text = (kind: keyof Compared) =>
      `p50 ${median(middle[kind]).toFixed(1)}, p99 ${median(slowest[kind]).toFixed(1)} ms`
    return {
      name: `${name} under half-load ingest, p99`,
      measured: `${text('loadedMs')} with ${median(receivedPerS).toFixed(0)} records/s of ${fullRecordsPerS.toFixed(0)}`,
      against: `idle ${text('idleMs')}`,
      ratio: median(slowest.loadedMs) / median(slowest.idleMs),
      target: { atMost },
      runs: pairRatios(slowest.loadedMs, slowest.idleMs),
      figures: {
        liveRecordsPerS: fullRecordsPerS,
        p99LoadedMs: median(slowest.loadedMs),
        p99IdleMs: median(slowest.idleMs),
      },
    }
  })
}

async function pathsOf({ url, key }: RunningService): Promise<{ name: string; path: string; atMost: number }[]> {
  const reply = await fetch(`${url}/cc/v2.0/vehicles?maxResults=1`, { headers: { authorization: `Bearer ${key}` } })
  const { vehicles } = (await reply.json()) as { vehicles: [{ id: string }] }
  const id = vehicles[0].id
  return [
    { name: 'GET /vehicles/{id}', path: `/cc/v2.0/vehicles/${id}`, atMost: 2 },
    { name: 'GET /vehicles, 100', path: '/cc/v2.0/vehicles?maxResults=100', atMost: 3 },
    { name: 'GET /events, 1,000 of a car', path: `/cc/v2.0/events?vehicleId=${id}&maxResults=1000`, atMost: 3 },
  ]
}

/** Requests at an even pace. @returns how long each waited for its whole answer */
async function readFor({ url, key }: RunningService, path: string, durationMs: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true })
  const waitsMs: number[] = []
  const reads: Promise<unknown>[] = []
  const beganMs = performance.now()
  for (let sent = 0; performance.now() - beganMs < durationMs; sent++) {
    await sleep(Math.max(0, beganMs + (sent * 1000) / REQUESTS_A_S - performance.now()))
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
