/** Maximum size of a batch. */
const MOST_SAMPLES = 20_000
/** Smaller batches would cost mostly their fixed overhead. */
const LEAST_SAMPLES = 500
/** While one account sends alone, it waits only for its own batches. */
const ALONE_MS = 1000
/** While several send, each waits for the current batch of the others. */
const SHARED_MS = 75
/** An account that sent within this time may send again at any moment. */
const SHARED_FOR_MS = 60_000

/**
 * Decides how many samples are stored at once: as many as take about a second while one account sends alone, and few while
 * several do, so that none waits long for another.
 */
export class BatchSize {
  #alone = MOST_SAMPLES
  #shared = 2000
  #account: number | undefined
  #sharedUntilMs = Number.NEGATIVE_INFINITY

  /** Samples arrived from an account. */
  heard(account: number, nowMs: number): void {
    if (account === this.#account) return
    if (this.#account !== undefined) this.#sharedUntilMs = nowMs + SHARED_FOR_MS
    this.#account = account
  }

  isShared(nowMs: number): boolean {
    return nowMs < this.#sharedUntilMs
  }

  most(nowMs: number): number {
    return this.isShared(nowMs) ? this.#shared : this.#alone
  }

  /** A batch was stored. */
  took(samples: number, durationMs: number, nowMs: number): void {
    if (this.isShared(nowMs)) this.#shared = adapted(this.#shared, samples, durationMs, SHARED_MS)
    else this.#alone = adapted(this.#alone, samples, durationMs, ALONE_MS)
  }
}

/** The time of a batch that was not full only matters when it took long. */
function adapted(most: number, samples: number, durationMs: number, aimMs: number): number {
  const isFull = samples >= most / 2
  if (!isFull && durationMs <= aimMs) return most
  const factor = Math.min(1.5, Math.max(0.5, aimMs / durationMs))
  return Math.round(
    Math.min(MOST_SAMPLES, Math.max(LEAST_SAMPLES, Math.min(most, Math.max(samples, most / 2)) * factor)),
  )
}
