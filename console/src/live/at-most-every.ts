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
  await rest(askedMs + everyMs - Date.now(), signal)
  const name = JSON.stringify(queryKey)
  const pending = underWay.get(name) as Promise<T> | undefined
  if (pending) return pending
  const asked = ask().finally(() => underWay.delete(name))
  underWay.set(name, asked)
  return asked
}

/** Waits, unless the signal says that it is no longer for anything. */
export function rest(restMs: number, signal: AbortSignal): Promise<void> {
  if (restMs <= 0) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, restMs)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(new DOMException('No longer wanted.', 'AbortError'))
    })
  })
}
