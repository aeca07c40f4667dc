/** An object of the API as it is at the revision of its last change; revisions are texts of one length. */
interface Revised<Id> {
  readonly id: Id
  readonly modifyTimestamp: string
}

/** A copy of `known` with the objects that are new, or newer than what it has. */
export function withNewer<Id, T extends Revised<Id>>(known: ReadonlyMap<Id, T>, given: Iterable<T>): Map<Id, T> {
  const merged = new Map(known)
  for (const object of given) {
    const before = merged.get(object.id)
    if (!before || before.modifyTimestamp <= object.modifyTimestamp) merged.set(object.id, object)
  }
  return merged
}

/**
 * Changes from the stream while a list is being read. The list may have been read before such a change, and would undo it
 * when it comes (docs/stream.md, *How to follow a fleet*).
 */
export class ChangesMeanwhile<Id, T extends Revised<Id>> {
  readonly #readers = new Set<T[]>()

  /** @returns what `read` returns, with everything that was added by then */
  async during(read: () => Promise<ReadonlyMap<Id, T>>): Promise<ReadonlyMap<Id, T>> {
    const changes: T[] = []
    this.#readers.add(changes)
    try {
      return withNewer(await read(), changes)
    } finally {
      this.#readers.delete(changes)
    }
  }

  add(changed: readonly T[]): void {
    for (const changes of this.#readers) for (const object of changed) changes.push(object)
  }
}
