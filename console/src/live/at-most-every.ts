import type { QueryClient } from '@tanstack/react-query'

const underWay = new Map<string, Promise<unknown>>()

interface Calmly<T> {
  readonly client: QueryClient
  readonly queryKey: readonly unknown[]
  readonly everyMs: number
  readonly signal: AbortSignal
  readonly ask: () => Promise<T>
}

/**
 * Fetches what is expensive to compute at most once per interval of milliseconds, however often a fleet that drives
 * makes it out of date. A request that takes longer than the next change is not given up for it, but shared.
 */
export async function atMostEvery<T>({ client, queryKey, everyMs, signal, ask }: Calmly<T>): Promise<T> {
  const askedMs = client.getQueryState(queryKey)?.dataUpdatedAt ?? 0
  await restSince(askedMs, everyMs, signal)
  const name = JSON.stringify(queryKey)
  const pending = underWay.get(name) as Promise<T> | undefined
  if (pending) return pending
  const asked = ask().finally(() => underWay.delete(name))
  underWay.set(name, asked)
  return asked
}

/**
 * Waits until `everyMs` after an instant, unless the signal says that it is no longer for anything. It is never longer than that, though
 * the clock may have been put back since.
 */
export function restSince(sinceMs: number, everyMs: number, signal: AbortSignal): Promise<void> {
  const restMs = Math.min(sinceMs + everyMs - Date.now(), everyMs)
  if (restMs <= 0) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, restMs)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(new DOMException('No longer wanted.', 'AbortError'))
    })
  })
}
