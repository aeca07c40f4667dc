/** Interval of heartbeats, and of the checks for missing ones. */
export const BEAT_MS = 2000

/**
 * Measures for how long another process has sent nothing. Time in which this process itself did not run (a suspended
 * machine, a debugger, no CPU time) does not count: messages sent then are read only afterwards.
 */
export class Silence {
  #silentMs = 0
  #lookedMs: number

  /** @param nowMs of a monotonic clock, in milliseconds */
  constructor(nowMs: number) {
    this.#lookedMs = nowMs
  }

  /** The other process has sent something. */
  heard(): void {
    this.#silentMs = 0
  }

  /** Call it every `BEAT_MS`. @returns milliseconds */
  measure(nowMs: number): number {
    // A check that runs later than twice its interval was delayed in this process.
    this.#silentMs += Math.min(nowMs - this.#lookedMs, 2 * BEAT_MS)
    this.#lookedMs = nowMs
    return this.#silentMs
  }
}
