import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Tenant } from './attack.ts'

/** What the process of the second tenant is told. */
export type WatchOrder =
  | { readonly kind: 'watch'; readonly url: string; readonly teltonikaPort: number; readonly tenant: Tenant }
  | { readonly kind: 'phase'; readonly phase: Phase }
  | { readonly kind: 'end' }

/** What it tells back. */
export type WatchNews =
  | { readonly kind: 'ready' }
  | { readonly kind: 'measured'; readonly phase: Phase }
  | { readonly kind: 'result'; readonly measurements: readonly Measurement[] }

type NewsKind = WatchNews['kind']

interface Expectation {
  readonly resolve: (news: WatchNews) => void
  readonly reject: (error: Error) => void
}

/**
 * A tenant with ordinary work: it reads, sends, follows the live stream and has a dongle on the road. It has a process of
 * its own, so that the attacker's computing does not count as waiting. One process watches one attack after
 * the other.
 */
export class SecondTenant {
  readonly #child: ChildProcess
  readonly #expected = new Map<NewsKind, Expectation>()
  #hasEnded = false

  /** @param compiled its process as JavaScript; without it, that is compiled first */
  constructor(compiled?: string) {
    const source = fileURLToPath(new URL('second-tenant-process.ts', import.meta.url))
    const execArgv = compiled === undefined ? ['--import', 'tsx'] : []
    this.#child = fork(compiled ?? source, { execArgv, stdio: 'inherit' })
    this.#child.on('message', (news: WatchNews) => {
      this.#expected.get(news.kind)?.resolve(news)
      this.#expected.delete(news.kind)
    })
    this.#child.once('exit', () => {
      this.#hasEnded = true
      for (const { reject } of this.#expected.values()) reject(new Error('the process of the second tenant ended'))
    })
  }

  /** Settles once everything it does has worked. @throws when it does not */
  async watch(watched: Omit<WatchOrder & { kind: 'watch' }, 'kind'>): Promise<void> {
    await this.#tell({ kind: 'watch', ...watched }, 'ready')
  }

  /** Settles once something was begun and done at every door in this phase, be it well or badly. */
  async enter(phase: Phase): Promise<void> {
    await this.#tell({ kind: 'phase', phase }, 'measured')
  }

  /** Waits for what is under way. */
  async end(): Promise<readonly Measurement[]> {
    const result = await this.#tell({ kind: 'end' }, 'result')
    return result.kind === 'result' ? result.measurements : []
  }

  stop(): void {
    this.#child.kill()
  }

  #tell(order: WatchOrder, expected: NewsKind): Promise<WatchNews> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) return reject(new Error('the process of the second tenant ended'))
      this.#expected.set(expected, { resolve, reject })
      this.#child.send(order)
    })
  }
}

/** When something started, relative to the attack. */
const PHASES = ['before', 'during', 'after'] as const
export type Phase = (typeof PHASES)[number]

/** How long the second tenant waited at one interface in one phase. */
export interface Measurement {
  readonly door: string
  readonly phase: Phase
  readonly count: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly mostMs: number
  /** One text for each that failed. */
  readonly errors: readonly string[]
}

/** Below this a wait is no worse than another, so none is compared with less. */
export const FLOOR_MS = 50
/** How much longer than before it may take. */
export const MOST_TIMES_BEFORE = 5

/** Times that were taken, by door and phase. */
export class Measured {
  readonly #taken = new Map<string, { door: string; phase: Phase; timesMs: number[]; errors: string[] }>()

  succeeded(door: string, phase: Phase, ms: number): void {
    this.#of(door, phase).timesMs.push(ms)
  }

  failed(door: string, phase: Phase, error: string): void {
    this.#of(door, phase).errors.push(error)
  }

  all(): readonly Measurement[] {
    return [...this.#taken.values()].map(({ door, phase, timesMs, errors }) => {
      const sorted = timesMs.sort((a, b) => a - b)
      const quantile = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
      const times = { p50Ms: quantile(0.5), p99Ms: quantile(0.99), mostMs: quantile(1) }
      return { door, phase, count: sorted.length, errors, ...times }
    })
  }

  #of(door: string, phase: Phase) {
    const name = `${phase} ${door}`
    const taken = this.#taken.get(name) ?? { door, phase, timesMs: [], errors: [] }
    this.#taken.set(name, taken)
    return taken
  }
}

/** Which limits were broken, in words; empty when nobody but the attacker noticed anything. */
export function brokenLimits(measurements: readonly Measurement[]): readonly string[] {
  const p99 = (door: string, phase: Phase) => measurements.find(m => m.door === door && m.phase === phase)?.p99Ms ?? 0
  return measurements.flatMap(({ door, phase, p99Ms, count, errors }) => {
    const limitMs = MOST_TIMES_BEFORE * Math.max(FLOOR_MS, p99(door, 'before'))
    return [
      ...(errors.length > 0 ? [`${door}: ${errors.length} errors ${phase} the attack, such as ${errors[0]}`] : []),
      ...(count === 0 ? [`${door}: nothing got through ${phase} the attack`] : []),
      ...(phase !== 'before' && p99Ms > limitMs
        ? [`${door}: p99 of ${Math.round(p99Ms)} ms ${phase} the attack, where ${Math.round(limitMs)} ms are the limit`]
        : []),
    ]
  })
}
