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

  /** The pause after another failed attempt, in milliseconds. @param longestMs less than the maximum, for this attempt */
  next(longestMs: number = this.#longestMs): number {
    const pauseMs = Math.min(this.#nextMs, longestMs)
    this.#nextMs = Math.min(pauseMs * 2, this.#longestMs)
    return pauseMs
  }

  /** An attempt succeeded. */
  reset(): void {
    this.#nextMs = this.#firstMs
  }
}
