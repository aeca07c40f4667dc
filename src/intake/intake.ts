import { unavailable } from '../errors.ts'
import { laneOf } from '../store/fleet/lanes.ts'
import type { Outcome } from './batch.ts'
import type { Submission } from './plan.ts'
import { type QueueOptions, SubmissionQueue, timesOf, type Waiting } from './submission-queue.ts'

/** While the database works for one of them, the process works for the other. */
const QUEUES = 2
/** Beyond this, senders are told to come back later instead of filling the memory. */
const PENDING_SAMPLES_LIMIT = 200_000

export type IntakeOptions = Omit<QueueOptions, 'isMine'>

/**
 * Takes what all connections of this process send, and stores it in large transactions. A sender gets its answer only
 * after its own commit.
 */
export class Intake {
  readonly #options: IntakeOptions
  readonly #queues: readonly SubmissionQueue[]
  #pendingSamples = 0
  #unanswered = 0
  #onAllAnswered: (() => void) | undefined
  #isStopping = false

  constructor(options: IntakeOptions) {
    this.#options = options
    this.#queues = Array.from(
      { length: QUEUES },
      (_, queue) => new SubmissionQueue({ ...options, isMine: lane => lane % QUEUES === queue }),
    )
  }

  /** Samples received and not yet committed. */
  get pendingSamples(): number {
    return this.#pendingSamples
  }

  /** Samples committed from which nothing is derived yet, and for how long the first of them has been waiting. */
  get waiting(): { readonly samples: number; readonly seconds: number } {
    const { count, lanes } = this.#options.database.waiting
    const [oldest] = lanes
    return { samples: count, seconds: oldest ? (performance.now() - oldest.oldestMs) / 1000 : 0 }
  }

  /**
   * Stores a submission and everything derived from it.
   * @throws ClientError 503 when it can not be stored now; then nothing of it is.
   */
  submit(submission: Submission): Promise<Outcome> {
    const length = submission.samples.length + (submission.misdated?.length ?? 0)
    if (this.#isStopping) return Promise.reject(unavailable('The service is stopping.', 5))
    if (this.#pendingSamples > 0 && this.#pendingSamples + length > PENDING_SAMPLES_LIMIT)
      return Promise.reject(unavailable('More arrives than can be stored at the moment.', 1))
    this.#pendingSamples += length
    this.#unanswered++
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        submission,
        length,
        resolve: outcome => {
          this.#answered(length)
          resolve(outcome)
        },
        reject: error => {
          this.#answered(length)
          reject(error)
        },
      }
      const { partitions } = this.#options
      // Before the queue, so that nobody else waits for the partitions that one sender needs.
      if (partitions.hasAll(submission.samples)) this.#queueOf(submission)?.push(waiting)
      else partitions.ensure(timesOf([submission])).then(() => this.#queueOf(submission)?.push(waiting), waiting.reject)
    })
  }

  /** Refuses what comes from now on, and waits for what is in flight and until all that follows from it is derived. */
  async stop(): Promise<void> {
    this.#isStopping = true
    if (this.#unanswered > 0) await new Promise<void>(resolve => (this.#onAllAnswered = resolve))
    await Promise.all(this.#queues.map(queue => queue.finish()))
  }

  /** All of a dongle comes through the same queue, so it is stored in its order. Any would do for several dongles. */
  #queueOf({ samples, misdated = [] }: Submission): SubmissionQueue | undefined {
    const [first = misdated[0]] = samples
    return this.#queues[first ? laneOf(first.deviceId) % QUEUES : 0]
  }

  #answered(length: number): void {
    this.#pendingSamples -= length
    this.#unanswered--
    if (this.#unanswered === 0) this.#onAllAnswered?.()
  }
}
