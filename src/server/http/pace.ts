export interface PaceLimits {
  /** At this rate, a peer is never too slow. */
  readonly leastBytesPerS: number
  /** How long a peer may be slower, or transfer nothing at all. */
  readonly patienceMs: number
}

/** Whether the peer of a connection transfers bytes fast enough: a budget of time that waiting uses and each byte refills. */
export class Pace {
  readonly #limits: PaceLimits
  #leftMs: number

  constructor(limits: PaceLimits) {
    this.#limits = limits
    this.#leftMs = limits.patienceMs
  }

  /**
   * @param waitedMs how long the peer could have transferred bytes
   * @param bytes how many it transferred
   * @returns whether any budget is left
   */
  spend(waitedMs: number, bytes: number): boolean {
    const { leastBytesPerS, patienceMs } = this.#limits
    const earnedMs = (bytes / leastBytesPerS) * 1000
    this.#leftMs = Math.min(patienceMs, this.#leftMs - waitedMs + earnedMs)
    return this.#leftMs > 0
  }
}
