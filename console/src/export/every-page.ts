import { ApiError } from '../api/api-error.ts'

export interface Page<T> {
  readonly items: readonly T[]
  /** Where the next page is. */
  readonly next: string | undefined
}

const PATIENCE_S = 5

/** Reads page after page; waits when the service answers 429. */
export async function* everyPage<T>(
  ask: (next: string | undefined) => Promise<Page<T>>,
  signal: AbortSignal,
): AsyncGenerator<readonly T[]> {
  let next: string | undefined
  do {
    const page = await patiently(() => ask(next), signal)
    yield page.items
    next = page.next
  } while (next !== undefined && !signal.aborted)
}

async function patiently<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429 || signal.aborted) throw error
      const pauseMs = (error.retryAfterS ?? PATIENCE_S) * 1000
      await new Promise(resolve => setTimeout(resolve, pauseMs))
      signal.throwIfAborted()
    }
  }
}
