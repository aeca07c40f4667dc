import { TurnQueue } from './turn-queue.ts'

/** Whose work it is: those of one account take turns among themselves. */
export type TurnTaker = number | undefined

/**
 * Between two turns. Node accepts one connection in each round of the event loop: with a turn in each, 400 clients that come
 * at once would make the next one wait for 400 turns. A round in which nothing happens takes some microseconds.
 */
const ROUNDS_BETWEEN = 64

/**
 * Lets those who have much to compute go on one after the other, with some rounds of the event loop between two turns, so
 * that whoever else waits for this process does so for one turn and not for all of them. Accounts take turns, whatever each
 * of them has waiting.
 */
export class Turns {
  readonly #waiting = new TurnQueue<TurnTaker, () => void>()
  #isScheduled = false

  /** Settles when it is this one's turn, in a later round of the event loop. */
  next(taker: TurnTaker): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.add(taker, resolve)
      if (!this.#isScheduled) this.#after(1)
    })
  }

  #after(rounds: number): void {
    this.#isScheduled = true
    setImmediate(() => {
      if (rounds > 1) return this.#after(rounds - 1)
      const go = this.#waiting.next()
      go?.()
      this.#isScheduled = go !== undefined
      if (go) this.#after(ROUNDS_BETWEEN)
    })
  }
}
