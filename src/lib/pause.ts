import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves after so long, or as soon as the signal aborts: check it afterwards. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}

/** How long to wait between attempts that fail: each time twice as long as the time before, up to a maximum. */
export class Backoff {
  readonly #firstMs: number
  readonly #longestMs: number
  #nextMs: number

  constructor(firstMs: number, longestMs: number) {
    this.#firstMs = firstMs
    this.#longestMs = longestMs
    this.#nextMs = firstMs
  }

  /** The pause after another failed attempt, in milliseconds. */
  next(): number {
    const pauseMs = this.#nextMs
    this.#nextMs = Math.min(pauseMs * 2, this.#longestMs)
    return pauseMs
  }

  /** An attempt succeeded. */
  reset(): void {
    this.#nextMs = this.#firstMs
  }
}
