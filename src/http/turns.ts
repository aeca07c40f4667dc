/** Whose work it is: those of one account take turns among themselves. */
export type TurnTaker = number | undefined

/**
 * Lets those who have much to compute go on one after the other, one in each round of the event loop, so that whoever
 * else waits for this process does so for one turn and not for all of them. Accounts take turns, whatever each of them
 * has waiting.
 */
export class Turns {
  /** In the order in which they get the next turn. */
  readonly #waiting = new Map<TurnTaker, (() => void)[]>()

  /** Settles when it is this one's turn, in a later round of the event loop. */
  next(taker: TurnTaker): Promise<void> {
    return new Promise(resolve => {
      const queue = this.#waiting.get(taker)
      if (queue) queue.push(resolve)
      else {
        this.#waiting.set(taker, [resolve])
        if (this.#waiting.size === 1) this.#schedule()
      }
    })
  }

  #schedule(): void {
    setImmediate(() => {
      for (const [taker, queue] of this.#waiting) {
        this.#waiting.delete(taker)
        const go = queue.shift()
        if (queue.length > 0) this.#waiting.set(taker, queue)
        go?.()
        break
      }
      if (this.#waiting.size > 0) this.#schedule()
    })
  }
}
