import { ClientError } from '../errors.ts'

export interface UploadPlacesOptions {
  /** So many uploads of one account are passed on at once; more of them wait. */
  readonly perAccount: number
  /** Of all accounts together. */
  readonly total: number
  /** So many of one account may wait; the next is told to come back later. */
  readonly mostWaiting: number
}

/** Whose uploads share places: an account, or all senders who have not shown whom they belong to. */
export type Uploader = number | 'stranger'

interface Queue {
  open: number
  readonly waiting: Set<() => void>
}

const RETRY_AFTER_S = 2

/**
 * Places at the intake, shared out by account: whoever takes all of its own leaves those of the others free, and when
 * there is none at all, accounts that wait get the next ones in turn.
 */
export class UploadPlaces {
  readonly #options: UploadPlacesOptions
  /** In the order in which they get the next place. */
  readonly #queues = new Map<Uploader, Queue>()
  #open = 0

  constructor(options: UploadPlacesOptions) {
    this.#options = options
  }

  /**
   * Waits for a place and keeps it until `gone` aborts.
   * @throws ClientError 429 when too many of this account wait already; the reason of `gone` when it aborts before
   */
  async take(uploader: Uploader, gone: AbortSignal): Promise<void> {
    gone.throwIfAborted()
    const queue = this.#queues.get(uploader) ?? { open: 0, waiting: new Set() }
    this.#queues.set(uploader, queue)
    const { perAccount, total, mostWaiting } = this.#options
    if (queue.open < perAccount && this.#open < total) this.#enter(queue)
    else if (queue.waiting.size < mostWaiting) await this.#wait(queue, gone)
    else
      throw new ClientError(429, 'Too many uploads of this account wait already.', {
        headers: { 'retry-after': String(RETRY_AFTER_S) },
      })
    gone.addEventListener('abort', () => this.#leave(uploader, queue), { once: true })
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

  #leave(uploader: Uploader, queue: Queue): void {
    queue.open--
    this.#open--
    this.#letNextIn()
    if (queue.open === 0 && queue.waiting.size === 0) this.#queues.delete(uploader)
  }

  #letNextIn(): void {
    for (const [uploader, queue] of this.#queues) {
      const [next] = queue.waiting
      if (!next || queue.open >= this.#options.perAccount) continue
      this.#queues.delete(uploader)
      this.#queues.set(uploader, queue)
      next()
      return
    }
  }
}
