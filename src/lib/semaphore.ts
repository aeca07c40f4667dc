import { type Clock, SYSTEM_CLOCK } from './clock.ts'

export interface SemaphoreOptions {
  /** How many pieces of work go on at once. */
  readonly places: number
  /** How many for one party; by default, each has an equal share of the places, and one share stays free for the next party. */
  readonly perParty?: number
  /** How many may wait for one party. */
  readonly mostWaiting?: number
  readonly longestWaitMs?: number
  /** The error when too many of a party wait already, or its turn did not come in time. */
  readonly refusal?: () => Error
  readonly clock?: Clock
}

/** Gives the place back; calling it again does nothing. */
export type Leave = () => void

/** Runs a piece of work when it is its turn. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>

interface Waiter {
  readonly admit: () => void
}

interface Party {
  taken: number
  readonly waiting: Set<Waiter>
  /** When its last piece of work ended. */
  lastMs: number
}

/** For this long after its last work, a share is kept for a party. */
const EXPECTED_BACK_MS = 1_000

/** Limits concurrent work and shares the places among parties, such as accounts, in turns. Running work cannot be
 * stopped, so without a fixed number of places per party, none ever has all of them. */
export class Semaphore<Name> {
  readonly #options: SemaphoreOptions
  readonly #clock: Clock
  /** In the order of their turns. */
  readonly #parties = new Map<Name, Party>()
  #free: number

  constructor(options: SemaphoreOptions) {
    this.#options = options
    this.#clock = options.clock ?? SYSTEM_CLOCK
    this.#free = options.places
  }

  /** Waits for a place; its holder must not wait for another one.
   * @param signal cancels waiting @throws the refusal; the reason of the signal when that aborts */
  async enter(name: Name, signal?: AbortSignal): Promise<Leave> {
    signal?.throwIfAborted()
    this.#forgetIdle()
    const party = this.#parties.get(name) ?? { taken: 0, waiting: new Set(), lastMs: this.#clock.monotonicMs() }
    this.#parties.set(name, party)
    if (party.waiting.size === 0 && this.#hasRoomFor(party)) this.#take(party)
    else await this.#wait(party, signal)
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      party.taken--
      party.lastMs = this.#clock.monotonicMs()
      this.#free++
      this.#admitNext()
    }
  }

  /** Waits for a place and keeps it until `ended` aborts. @throws what `enter` throws. */
  async enterUntil(name: Name, ended: AbortSignal): Promise<void> {
    const leave = await this.enter(name, ended)
    // Of hundreds who go at once, none is to be admitted in place of another before it is known that it went, too.
    const leaveSoon = () => void setImmediate(leave)
    ended.addEventListener('abort', leaveSoon, { once: true })
    if (ended.aborted) leaveSoon()
  }

  /** Runs work in a place. @throws what `enter` and the work throw. */
  async run<T>(name: Name, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(name)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  async #wait(party: Party, signal: AbortSignal | undefined): Promise<void> {
    const { mostWaiting = Number.POSITIVE_INFINITY, longestWaitMs } = this.#options
    if (party.waiting.size >= mostWaiting) throw this.#refusal()
    await new Promise<void>((resolve, reject) => {
      const stop = () => {
        cancelTimer?.()
        signal?.removeEventListener('abort', giveUp)
        party.waiting.delete(waiter)
      }
      const waiter: Waiter = {
        admit: () => {
          stop()
          resolve()
        },
      }
      const giveUp = () => {
        stop()
        reject(signal?.aborted ? (signal.reason as Error) : this.#refusal())
      }
      const cancelTimer = longestWaitMs === undefined ? undefined : this.#clock.after(longestWaitMs, giveUp)
      signal?.addEventListener('abort', giveUp)
      party.waiting.add(waiter)
      // The first in the queue may wait only for others of its party, and a share may have grown in the meantime.
      this.#admitNext()
    })
  }

  #take(party: Party): void {
    party.taken++
    this.#free--
  }

  #hasRoomFor(party: Party): boolean {
    const { places, perParty = Math.max(1, Math.floor(places / (this.#parties.size + 1))) } = this.#options
    return this.#free > 0 && party.taken < perParty
  }

  /** Gives free places to those who wait, one party after the other. */
  #admitNext(): void {
    for (let next = this.#nextInTurn(); next; next = this.#nextInTurn()) {
      const { name, party, first } = next
      this.#take(party)
      // It had its turn: the others come first now.
      this.#parties.delete(name)
      this.#parties.set(name, party)
      first.admit()
    }
  }

  #nextInTurn(): { readonly name: Name; readonly party: Party; readonly first: Waiter } | undefined {
    for (const [name, party] of this.#parties) {
      const [first] = party.waiting
      if (first && this.#hasRoomFor(party)) return { name, party, first }
    }
    return undefined
  }

  #forgetIdle(): void {
    const sinceMs = this.#clock.monotonicMs() - EXPECTED_BACK_MS
    for (const [name, { taken, waiting, lastMs }] of this.#parties)
      if (taken === 0 && waiting.size === 0 && lastMs < sinceMs) this.#parties.delete(name)
  }

  #refusal(): Error {
    return this.#options.refusal?.() ?? new Error('too many wait')
  }
}

/** Runs at most this many pieces of work of one party at once; the others wait in order. */
export function takingTurns(atOnce: number): InTurn {
  const semaphore = new Semaphore<undefined>({ places: atOnce, perParty: atOnce })
  return work => semaphore.run(undefined, work)
}
