/** A queue in which names take turns: whoever adds a thousand items delays another's first one by one item. */
export class FairQueue<T> {
  /** By name, those whose turn comes next first. No name is here without an item. */
  readonly #queues = new Map<string, T[]>()
  readonly #most: number
  readonly #mostEach: number
  #size = 0

  /** @param most items at once, and of them of one name */
  constructor(most: number, mostEach: number) {
    this.#most = most
    this.#mostEach = mostEach
  }

  get size(): number {
    return this.#size
  }

  /**
   * Adds an item. Where there is no room, whoever has most loses its last one.
   * @returns the item that is left out: none, another's, or this one.
   */
  add(name: string, item: T): T | undefined {
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
  next(): T | undefined {
    const [first] = this.#queues
    if (first === undefined) return undefined
    const [name, queue] = first
    const item = queue.shift()
    this.#size--
    this.#queues.delete(name)
    if (queue.length > 0) this.#queues.set(name, queue)
    return item
  }

  #append(name: string, item: T): void {
    const queue = this.#queues.get(name)
    if (queue) queue.push(item)
    else this.#queues.set(name, [item])
    this.#size++
  }

  #longest(): T[] | undefined {
    let longest: T[] | undefined
    for (const queue of this.#queues.values()) if (queue.length > (longest?.length ?? 0)) longest = queue
    return longest
  }
}
