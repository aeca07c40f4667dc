/**
 * A queue in which names take turns: a thousand items under one name delay the first item under another by one. Names
 * are what turns are shared among, such as accounts or networks.
 */
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

  /**
   * Adds an item. If there is no room, the name with the most items loses its last one.
   * @returns the item that was dropped: none, another one, or this one.
   */
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
