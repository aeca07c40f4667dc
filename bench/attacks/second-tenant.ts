import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
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
  | { readonly kind: 'result'; readonly measurements: readonly Measurement[] }

/**
 * Somebody who only wants to go on working: reads, sends, follows the live stream, has a dongle on the road. It sits in
 * a process of its own, so that what an attacker computes is not taken for a wait.
 */
export interface SecondTenant {
  enter(phase: Phase): void
  /** Waits for what is under way, and ends. */
  end(): Promise<readonly Measurement[]>
}

/** The process of the second tenant, once everything it does has worked. @throws when it does not */
export async function watchSecondTenant(watched: Omit<WatchOrder & { kind: 'watch' }, 'kind'>): Promise<SecondTenant> {
  const child = fork(fileURLToPath(new URL('second-tenant-process.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
    stdio: 'inherit',
  })
  const tell = (order: WatchOrder) => void child.send(order)
  tell({ kind: 'watch', ...watched })
  await news(child)
  return {
    enter: phase => tell({ kind: 'phase', phase }),
    async end() {
      tell({ kind: 'end' })
      const result = await news(child)
      return result.kind === 'result' ? result.measurements : []
    },
  }
}

async function news(child: ChildProcess): Promise<WatchNews> {
  const heard = new AbortController()
  const { signal } = heard
  const ended = once(child, 'exit', { signal }).then(() => {
    throw new Error('the process of the second tenant ended')
  })
  try {
    const [told] = (await Promise.race([once(child, 'message', { signal }), ended])) as [WatchNews]
    return told
  } finally {
    heard.abort()
  }
}
