/** Sets by key; empty ones take no memory. */
export class SetsByKey<Key, Value> {
  readonly #sets = new Map<Key, Set<Value>>()

  get(key: Key): ReadonlySet<Value> {
    return this.#sets.get(key) ?? NONE
  }

  add(key: Key, value: Value): void {
    const set = this.#sets.get(key)
    if (set) set.add(value)
    else this.#sets.set(key, new Set([value]))
  }

  delete(key: Key, value: Value): void {
    const set = this.#sets.get(key)
    if (set?.delete(value) && set.size === 0) this.#sets.delete(key)
  }
}

const NONE: ReadonlySet<never> = new Set()
