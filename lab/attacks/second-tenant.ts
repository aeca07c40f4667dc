import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Tenant } from './attack.ts'
import type { Measurement, Phase } from './measurement.ts'

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
