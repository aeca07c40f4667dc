import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Tenant } from './attack.ts'

/** A message to the process of the second tenant. It answers each: `end` with its measurements, the others with nothing in them. */
export type WatchOrder =
  | { readonly kind: 'watch'; readonly watched: Watched }
  | { readonly kind: 'phase'; readonly phase: Phase }
  | { readonly kind: 'end' }

export interface Watched {
  readonly url: string
  readonly teltonikaPort: number
  readonly tenant: Tenant
}

/** A tenant with ordinary work, in a process of its own, so that the attacker's computing does not count as waiting. */
export class SecondTenant {
  readonly #child: ChildProcess
  readonly #ended: Promise<never>

  /** @param compiled its process as JavaScript; without it, that is compiled first */
  constructor(compiled?: string) {
    const source = fileURLToPath(new URL('second-tenant-process.ts', import.meta.url))
    const execArgv = compiled === undefined ? ['--import', 'tsx'] : []
    this.#child = fork(compiled ?? source, { execArgv, stdio: 'inherit' })
    this.#ended = once(this.#child, 'exit').then(() => {
      throw new Error('the process of the second tenant ended')
    })
    this.#ended.catch(() => undefined)
  }

  async watch(watched: Watched): Promise<void> {
    await this.#answerTo({ kind: 'watch', watched })
  }

  async enter(phase: Phase): Promise<void> {
    await this.#answerTo({ kind: 'phase', phase })
  }

  end(): Promise<readonly Measurement[]> {
    return this.#answerTo({ kind: 'end' })
  }

  stop(): void {
    this.#child.kill()
  }

  async #answerTo(order: WatchOrder): Promise<readonly Measurement[]> {
    const answer = once(this.#child, 'message')
    this.#child.send(order)
    const [measurements] = (await Promise.race([answer, this.#ended])) as [readonly Measurement[]]
    return measurements
  }
}

export const PHASES = ['before', 'during', 'after'] as const
export type Phase = (typeof PHASES)[number]

export interface Measurement {
  readonly endpoint: string
  readonly phase: Phase
  readonly count: number
  readonly p99Ms: number
  readonly mostMs: number
  readonly errors: readonly string[]
}

/** Below this a wait is no worse than another, so none is compared with less. */
export const FLOOR_MS = 50
export const MOST_TIMES_BEFORE = 5

export class Measured {
  readonly #taken = new Map<string, { endpoint: string; phase: Phase; timesMs: number[]; errors: string[] }>()

  succeeded(endpoint: string, phase: Phase, ms: number): void {
    this.#of(endpoint, phase).timesMs.push(ms)
  }

  failed(endpoint: string, phase: Phase, error: string): void {
    this.#of(endpoint, phase).errors.push(error)
  }

  all(): readonly Measurement[] {
    return [...this.#taken.values()].map(({ timesMs, ...taken }) => {
      const sorted = timesMs.sort((a, b) => a - b)
      const p99Ms = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? 0
      return { ...taken, count: sorted.length, p99Ms, mostMs: sorted.at(-1) ?? 0 }
    })
  }

  #of(endpoint: string, phase: Phase) {
    const name = `${phase} ${endpoint}`
    const taken = this.#taken.get(name) ?? { endpoint, phase, timesMs: [], errors: [] }
    this.#taken.set(name, taken)
    return taken
  }
}

export function brokenLimits(measurements: readonly Measurement[]): readonly string[] {
  const p99 = (endpoint: string, phase: Phase) =>
    measurements.find(m => m.endpoint === endpoint && m.phase === phase)?.p99Ms ?? 0
  return measurements.flatMap(({ endpoint, phase, p99Ms, count, errors }) => {
    const limitMs = MOST_TIMES_BEFORE * Math.max(FLOOR_MS, p99(endpoint, 'before'))
    return [
      ...(errors.length > 0 ? [`${endpoint}: ${errors.length} errors ${phase} the attack, such as ${errors[0]}`] : []),
      ...(count === 0 ? [`${endpoint}: nothing got through ${phase} the attack`] : []),
      ...(phase !== 'before' && p99Ms > limitMs
        ? [
            `${endpoint}: p99 of ${Math.round(p99Ms)} ms ${phase} the attack, where ${Math.round(limitMs)} ms are the limit`,
          ]
        : []),
    ]
  })
}
