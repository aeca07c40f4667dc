import { ClientError } from '../model/errors.ts'

export interface PlacesOptions {
  /** For what, as in `uploads`. */
  readonly of: string
  /** So many of one account have a place at once; more of them wait. */
  readonly perAccount: number
  /** Of all accounts together. */
  readonly total: number
  /** So many of one account may wait; the next is told to come back later. */
  readonly mostWaiting: number
}

/** Whose requests share places: an account's, or those of all senders who have not shown whom they belong to. */
export type Claimant = number | 'stranger'

interface Queue {
  open: number
  readonly waiting: Set<() => void>
}

const RETRY_AFTER_S = 2

/**
 * Places for something that is scarce, shared out by account: whoever takes all of its own leaves those of the others
 * free, and when there is none at all, accounts that wait get the next ones in turn.
 */
export class Places {
  readonly #options: PlacesOptions
  /** In the order in which they get the next place. */
  readonly #queues = new Map<Claimant, Queue>()
  #open = 0

  constructor(options: PlacesOptions) {
    this.#options = options
  }

  /**
   * Waits for a place and keeps it until `gone` aborts.
   * @throws ClientError 429 when too many of this account wait already; the reason of `gone` when it aborts before
   */
  async take(claimant: Claimant, gone: AbortSignal): Promise<void> {
    gone.throwIfAborted()
    const queue = this.#queues.get(claimant) ?? { open: 0, waiting: new Set() }
    this.#queues.set(claimant, queue)
    const { of, perAccount, total, mostWaiting } = this.#options
    if (queue.open < perAccount && this.#open < total) this.#enter(queue)
    else if (queue.waiting.size < mostWaiting) await this.#wait(queue, gone)
    else
      throw new ClientError(429, `Too many ${of} of this account wait already.`, {
        headers: { 'retry-after': String(RETRY_AFTER_S) },
      })
    gone.addEventListener('abort', () => this.#leave(claimant, queue), { once: true })
  }

  #enter(queue: Queue): void {
    queue.open++
    this.#open++
  }

  #wait(queue: Queue, gone: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        queue.waiting.delete(enter)
        reject(gone.reason as Error)
      }
      const enter = () => {
        queue.waiting.delete(enter)
        gone.removeEventListener('abort', leave)
        this.#enter(queue)
        resolve()
      }
      queue.waiting.add(enter)
      gone.addEventListener('abort', leave, { once: true })
    })
  }

  #leave(claimant: Claimant, queue: Queue): void {
    queue.open--
    this.#open--
    this.#letNextIn()
    if (queue.open === 0 && queue.waiting.size === 0) this.#queues.delete(claimant)
  }

  #letNextIn(): void {
    for (const [claimant, queue] of this.#queues) {
      const [next] = queue.waiting
      if (!next || queue.open >= this.#options.perAccount) continue
      this.#queues.delete(claimant)
      this.#queues.set(claimant, queue)
      next()
      return
    }
  }
}
