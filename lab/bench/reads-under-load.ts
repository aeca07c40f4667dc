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
