import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { OrdinaryReport, OrdinaryTask } from './ordinary-dongles.ts'
import type { BenchResult } from './result.ts'
import type { RunningService } from './running-service.ts'

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
    measured: `${cpuMsASecond.toFixed(1)} ms of CPU a second, ${megabytes(bytes)}, all processes`,
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
        `${megabytes(bytes)}, all processes; ${waited}`,
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
      measured: `${megabytes(bytes)} of all processes, what they share counted once`,
      against: megabytes(LIMIT_BYTES),
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

function megabytes(bytes: number): string {
  return `${Math.round(bytes / MEGABYTE)} MB`
}
