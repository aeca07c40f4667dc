import { unavailable } from '../model/errors.ts'

export interface FairTurnsOptions {
  /** How many pieces of work go on at once. */
  readonly places: number
  /** How many may wait for one party. */
  readonly mostWaiting: number
  readonly longestWaitMs: number
}

/** Gives the place back; calling it again does nothing. */
export type Leave = () => void

interface Waiter {
  readonly admit: () => void
}

interface Party {
  held: number
  readonly waiting: Set<Waiter>
  /** When its last piece of work ended. */
  lastMs: number
}

/** So long after its last work a party is still expected back, and a share kept for it. */
const EXPECTED_BACK_MS = 1_000
const RETRY_AFTER_S = 2

/**
 * Shares places out among parties, such as accounts. A place that falls free goes to the next party in turn; within a
 * party who came first goes first. No party ever takes all places, because work can not be stopped when another one comes:
 * each has an equal share of them, and one share is left for whoever comes next. Too much at once costs only the party that
 * asks for it.
 */
export class FairTurns {
  readonly #options: FairTurnsOptions
  /** In the order of their turns. */
  readonly #parties = new Map<string, Party>()
  #free: number

  constructor(options: FairTurnsOptions) {
    this.#options = options
    this.#free = options.places
  }

  /**
   * Waits for a place. Whoever has one must not wait for another.
   * @param signal ends the waiting when nobody wants the work any more
   * @throws ClientError 503 when too many wait for this party already, or the turn did not come in time; the reason of
   * the signal when that aborts.
   */
  async enter(name: string, signal?: AbortSignal): Promise<Leave> {
    signal?.throwIfAborted()
    this.#forgetIdle()
    const party = this.#parties.get(name) ?? { held: 0, waiting: new Set(), lastMs: performance.now() }
    this.#parties.set(name, party)
    if (party.waiting.size === 0 && this.#hasRoomFor(party)) this.#take(party)
    else await this.#wait(party, signal)
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      party.held--
      party.lastMs = performance.now()
      this.#free++
      this.#admitNext()
    }
  }

  /** Does a piece of work in a place. @throws what `enter` and the work throw. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(name)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  async #wait(party: Party, signal: AbortSignal | undefined): Promise<void> {
    const { mostWaiting, longestWaitMs } = this.#options
    if (party.waiting.size >= mostWaiting) throw tooMuch()
    await new Promise<void>((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer)
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
        reject(signal?.aborted ? (signal.reason as Error) : tooMuch())
      }
      const timer = setTimeout(giveUp, longestWaitMs)
      signal?.addEventListener('abort', giveUp)
      party.waiting.add(waiter)
      // The first to wait may have to wait for others of its party only, and a share may have grown meanwhile.
      this.#admitNext()
    })
  }

  #take(party: Party): void {
    party.held++
    this.#free--
  }

  #hasRoomFor(party: Party): boolean {
    const share = Math.max(1, Math.floor(this.#options.places / (this.#parties.size + 1)))
    return this.#free > 0 && party.held < share
  }

  /** Places that are free go to those who wait, a party after the other. */
  #admitNext(): void {
    for (let next = this.#nextInTurn(); next; next = this.#nextInTurn()) {
      const { name, party, first } = next
      this.#take(party)
      // It was its turn: the others come first now.
      this.#parties.delete(name)
      this.#parties.set(name, party)
      first.admit()
    }
  }

  #nextInTurn(): { readonly name: string; readonly party: Party; readonly first: Waiter } | undefined {
    for (const [name, party] of this.#parties) {
      const [first] = party.waiting
      if (first && this.#hasRoomFor(party)) return { name, party, first }
    }
    return undefined
  }

  #forgetIdle(): void {
    const sinceMs = performance.now() - EXPECTED_BACK_MS
    for (const [name, { held, waiting, lastMs }] of this.#parties)
      if (held === 0 && waiting.size === 0 && lastMs < sinceMs) this.#parties.delete(name)
  }
}

function tooMuch() {
  return unavailable('Too many requests of this account wait for the database.', RETRY_AFTER_S)
}
