import type { Database } from '../db/database.ts'
import { type Clock, pause, SYSTEM_CLOCK } from '../lib/clock.ts'
import { Signal } from '../lib/signal.ts'

/** What a commit leaves to do is done within this time, or is tried again. */
const ACTIVE_FOR_MS = 5_000
/** Without a commit, jobs look so often nevertheless: a notification may be lost. */
const IDLE_MS = 5_000

/** Lets jobs that look for what commits left to do rest while no node commits anything. */
export class CommitWatch {
  readonly #clock: Clock
  readonly #stop: AbortSignal
  readonly #woken = new Signal()
  #heardMs: number
  readonly #listener: { close(): Promise<void> }

  /** @param stop ends all pauses */
  constructor(database: Pick<Database, 'listen'>, stop: AbortSignal, clock: Clock = SYSTEM_CLOCK) {
    this.#clock = clock
    this.#stop = stop
    this.#heardMs = clock.monotonicMs()
    this.#listener = database.listen(() => {
      this.#heardMs = clock.monotonicMs()
      this.#woken.emit()
    })
    stop.addEventListener('abort', () => this.#woken.emit(), { once: true })
  }

  /** A pause between two looks; without recent commits, until the next one or for some seconds. */
  async pause(ms: number): Promise<void> {
    if (this.#clock.monotonicMs() < this.#heardMs + ACTIVE_FOR_MS) return pause(ms, this.#stop, this.#clock)
    if (this.#stop.aborted) return
    const cancel = this.#clock.after(IDLE_MS, () => this.#woken.emit())
    await this.#woken.wait()
    cancel()
  }

  close(): Promise<void> {
    return this.#listener.close()
  }
}
