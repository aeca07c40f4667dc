import { TurnQueue } from '../turn-queue.ts'

/** Whose work it is: those of one account take turns among themselves. */
export type TurnTaker = number | undefined

/**
 * Lets those who have much to compute go on one after the other, one in each round of the event loop, so that whoever
 * else waits for this process does so for one turn and not for all of them. Accounts take turns, whatever each of them
 * has waiting.
 */
export class Turns {
  readonly #waiting = new TurnQueue<TurnTaker, () => void>()

  /** Settles when it is this one's turn, in a later round of the event loop. */
  next(taker: TurnTaker): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.add(taker, resolve)
      if (this.#waiting.size === 1) this.#schedule()
    })
  }

  #schedule(): void {
    setImmediate(() => {
      this.#waiting.next()?.()
      if (this.#waiting.size > 0) this.#schedule()
    })
  }
}
