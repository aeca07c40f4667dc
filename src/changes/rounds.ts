import { pause } from '../lib/clock.ts'
import { Signal } from '../lib/signal.ts'

/** Two rounds begin in this time: storing and deriving commit shortly after each other. */
const TWICE_IN_MS = 100
/** If no notification arrives, because it was lost, a round begins after this time. */
const POLL_MS = 2_000

interface RoundsOptions {
  /** Somebody follows: rounds go on. */
  readonly isWanted: () => boolean
  readonly readLowWatermark: () => Promise<string>
  /** Reads what changed, everything up to the low watermark included. */
  readonly read: (lowWatermark: string) => Promise<void>
  /** A round has failed; the next one reads the same again. */
  readonly failed: (error: unknown) => void
  readonly closing: AbortSignal
}

/** When changes are read: in rounds, which begin when some node has committed something, as long as somebody follows. */
export class Rounds {
  readonly #options: RoundsOptions
  #running: Promise<void> | undefined
  /** A notification arrived, with this low watermark, or without a known one. */
  #due: { lowWatermark: string | undefined } | undefined
  readonly #changed = new Signal()

  constructor(options: RoundsOptions) {
    this.#options = options
  }

  /** Somebody begins to follow. */
  begin(): void {
    this.heard(undefined)
    this.#running ??= this.#goRound()
  }

  heard(lowWatermark: string | undefined): void {
    // Of several low watermarks the newest one counts; an unknown one is newer than all of them.
    const known = this.#due
    const isNewer =
      !known || lowWatermark === undefined || (known.lowWatermark !== undefined && known.lowWatermark < lowWatermark)
    if (isNewer) this.#due = { lowWatermark }
    this.#changed.emit()
  }

  /** Nobody follows any more, as far as is known: `isWanted` is asked again. */
  ended(): void {
    this.#changed.emit()
  }

  /** Resolves when no round is running any more, after the signal that the process stops. */
  async close(): Promise<void> {
    this.#changed.emit()
    await this.#running
  }

  get #goesOn(): boolean {
    return this.#options.isWanted() && !this.#options.closing.aborted
  }

  async #goRound(): Promise<void> {
    const { closing, read, readLowWatermark, failed } = this.#options
    let startedMs = Number.NEGATIVE_INFINITY
    while (this.#goesOn) {
      const startedBeforeMs = startedMs
      startedMs = performance.now()
      const due = this.#due
      this.#due = undefined
      try {
        await read(due?.lowWatermark ?? (await readLowWatermark()))
      } catch (error) {
        if (!closing.aborted) failed(error)
      }
      const endedMs = performance.now()
      // At most half of the time is spent reading, so that a large fleet leaves time for others.
      const restMs = Math.min(endedMs - startedMs, POLL_MS)
      await pause(Math.max(startedBeforeMs + TWICE_IN_MS - endedMs, restMs), closing)
      if (!this.#due && this.#goesOn) await this.#changed.wait(POLL_MS)
    }
    this.#running = undefined
  }
}
