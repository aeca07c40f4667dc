import { useSyncExternalStore } from 'react'

/** `away`: the service does not answer at the moment. */
export type LiveState = 'connecting' | 'live' | 'away'

/** Data is shown without the stream if that does not come up in this time. */
const PATIENCE_MS = 1500

const listeners = new Set<() => void>()
let state: LiveState = 'connecting'
/** Since when nothing new is known, by this machine's clock; undefined while everything is, or nothing. */
let knownSinceMs: number | undefined

export function onLiveState(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function liveState(): LiveState {
  return state
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(onLiveState, liveState)
}

/** Of when what is shown is, while the service is away; undefined while it is not, or nothing is shown. */
export function useKnownSince(): number | undefined {
  return useSyncExternalStore(onLiveState, () => (state === 'live' ? undefined : knownSinceMs))
}

/** Something from before is shown. */
export function setKnownSince(timeMs: number): void {
  knownSinceMs = timeMs
  for (const listener of listeners) listener()
}

export function setLiveState(changed: LiveState): void {
  if (changed === 'live') knownSinceMs = undefined
  else if (state === 'live') knownSinceMs = Date.now()
  state = changed
  for (const listener of listeners) listener()
}

/**
 * Waits until the stream has begun, so that a list fetched afterwards and the stream together miss nothing; or for a
 * moment, if it does not begin.
 */
export function whenLive(): Promise<void> {
  return new Promise(resolve => {
    if (state === 'live') return resolve()
    const end = () => {
      stop()
      resolve()
    }
    const stop = onLiveState(() => state === 'live' && end())
    setTimeout(end, PATIENCE_MS)
  })
}

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
