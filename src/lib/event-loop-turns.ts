import { TurnQueue } from './turn-queue.ts'

/**
 * Between two turns. Node accepts one connection in each round of the event loop: with a turn in each, 400 clients that
 * connect at once would make the next one wait for 400 turns. An idle round takes some microseconds.
 */
const ROUNDS_BETWEEN = 64

/**
 * Runs long computations in turns, with some rounds of the event loop between two turns, so that everything else in this
 * process waits for one turn and not for all of them. Parties, such as accounts, take turns, however much each of them has
 * waiting. Unlike a place of a `Semaphore`, a turn is not given back: it is over when the event loop goes on.
 */
export class Turns<Party> {
  readonly #waiting = new TurnQueue<Party, () => void>()
  readonly #longestPauseMs: number
  #isScheduled = false

  /** @param longestPauseMs between two turns, when the rounds take longer because this process is busy */
  constructor(longestPauseMs = Number.POSITIVE_INFINITY) {
    this.#longestPauseMs = longestPauseMs
  }

  /** Resolves when it is this party's turn, in a later round of the event loop. */
  next(party: Party): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.add(party, resolve)
      if (!this.#isScheduled) this.#after(1, 0)
    })
  }

  #after(rounds: number, untilMs: number): void {
    this.#isScheduled = true
    setImmediate(() => {
      if (rounds > 1 && performance.now() < untilMs) return this.#after(rounds - 1, untilMs)
      const go = this.#waiting.next()
      go?.()
      this.#isScheduled = go !== undefined
      if (go) this.#after(ROUNDS_BETWEEN, performance.now() + this.#longestPauseMs)
    })
  }
}
