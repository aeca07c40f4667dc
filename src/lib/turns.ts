/** Node accepts one connection in each round of the event loop: with a turn in each, 400 clients that connect at once
 * would make the next one wait for 400 turns. An idle round takes some microseconds. */
const ROUNDS_BETWEEN = 64

/** Runs long computations in turns with rounds of the event loop between them, so that the rest of the process waits
 * for one turn at most. Parties take turns. Unlike a place of a `Semaphore`, a turn is not given back. */
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

/** A queue in which names, such as accounts, take turns: a thousand items of one delay those of another by one. */
export class TurnQueue<Name, Item> {
  /** By name, in the order of turns. Every name here has an item. */
  readonly #queues = new Map<Name, Item[]>()
  readonly #most: number
  readonly #mostEach: number
  #size = 0

  /** @param most items at once, in all and of one name; by default there is no limit */
  constructor(most = Number.POSITIVE_INFINITY, mostEach = most) {
    this.#most = most
    this.#mostEach = mostEach
  }

  get size(): number {
    return this.#size
  }

  /** Adds an item. If there is no room, the name with the most items loses its last one.
   * @returns the dropped item, if any, which may be this one */
  add(name: Name, item: Item): Item | undefined {
    const queue = this.#queues.get(name)
    if ((queue?.length ?? 0) >= this.#mostEach) return item
    if (this.#size >= this.#most) {
      const longest = this.#longest()
      if (longest === undefined || longest.length <= (queue?.length ?? 0) + 1) return item
      this.#append(name, item)
      this.#size--
      return longest.pop()
    }
    this.#append(name, item)
    return undefined
  }

  /** @returns the first item of the name whose turn it is; undefined when there is none. */
  next(): Item | undefined {
    const [first] = this.#queues
    if (first === undefined) return undefined
    const [name, queue] = first
    const item = queue.shift()
    this.#size--
    this.#queues.delete(name)
    if (queue.length > 0) this.#queues.set(name, queue)
    return item
  }

  #append(name: Name, item: Item): void {
    const queue = this.#queues.get(name)
    if (queue) queue.push(item)
    else this.#queues.set(name, [item])
    this.#size++
  }

  #longest(): Item[] | undefined {
    let longest: Item[] | undefined
    for (const queue of this.#queues.values()) if (queue.length > (longest?.length ?? 0)) longest = queue
    return longest
  }
}
