export interface PaceLimits {
  /** At this rate nobody is ever too slow. */
  readonly leastBytesPerS: number
  /** For so long somebody may be slower, or move nothing at all. */
  readonly patienceMs: number
}

/** Whether the other side of a connection moves its bytes fast enough: patience that waiting uses up, and each byte gives back. */
export class Pace {
  readonly #limits: PaceLimits
  #leftMs: number

  constructor(limits: PaceLimits) {
    this.#limits = limits
    this.#leftMs = limits.patienceMs
  }

  /**
   * @param waitedMs how long the other side could have moved bytes
   * @param bytes what it moved
   * @returns whether there is patience left
   */
  spend(waitedMs: number, bytes: number): boolean {
    const { leastBytesPerS, patienceMs } = this.#limits
    const earnedMs = (bytes / leastBytesPerS) * 1000
    this.#leftMs = Math.min(patienceMs, this.#leftMs - waitedMs + earnedMs)
    return this.#leftMs > 0
  }
}
