/** How often a process says that its event loop turns, and how often its silence is measured. */
export const BEAT_MS = 1000

/**
 * How long another process has said nothing. Time in which this process was itself not running (a suspended machine, a
 * debugger, no processor to be had) is nobody's silence: what the other said then is read only after it.
 */
export class Silence {
  #silentMs = 0
  #lookedMs: number

  /** @param nowMs of a clock that is never set, in milliseconds */
  constructor(nowMs: number) {
    this.#lookedMs = nowMs
  }

  /** The other process has said something. */
  heard(): void {
    this.#silentMs = 0
  }

  /** To be asked every `BEAT_MS`. @returns milliseconds */
  measure(nowMs: number): number {
    // A look that comes later than twice its time was held up here.
    this.#silentMs += Math.min(nowMs - this.#lookedMs, 2 * BEAT_MS)
    this.#lookedMs = nowMs
    return this.#silentMs
  }
}
