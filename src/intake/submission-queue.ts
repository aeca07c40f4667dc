import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../store/database.ts'
import { clientErrorOf } from '../store/faults.ts'
import type { Partitions } from '../store/samples/partitions.ts'
import { writeTransaction } from '../store/transaction.ts'
import { type BatchOptions, type Outcome, storeBatch } from './batch.ts'
import type { Submission } from './plan.ts'
import { WaitingWork, type WaitingWorkOptions } from './waiting/waiting-work.ts'

/** Long enough to gather what many connections send at once, short against a commit. */
const GATHER_MS = 2
/** A batch is closed at this size; a single submission may be larger. */
const BATCH_SAMPLES = 20_000
/** While fewer send at once, there is time to derive everything at once. */
const BURST_FROM = 50

export interface QueueOptions extends WaitingWorkOptions {
  readonly database: Database
  readonly partitions: Partitions
  readonly batchOptions: () => Promise<BatchOptions>
  /** So many submissions in one batch are a burst (see `BatchOptions`). */
  readonly burstFrom?: number
  readonly observe?: (batch: ObservedBatch) => void
}

/** A committed batch, for metrics. */
export interface ObservedBatch {
  readonly submissions: readonly Submission[]
  readonly outcomes: readonly Outcome[]
  readonly seconds: number
}

/** A submission whose sender waits for its outcome. */
export interface Waiting {
  readonly submission: Submission
  /** Samples, those kept apart included. */
  readonly length: number
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/** Gathers submissions into transactions, one after the other: while one commits, the next one fills. */
export class SubmissionQueue {
  readonly #options: QueueOptions
  readonly #waitingWork: WaitingWork
  #waiting: Waiting[] = []
  #isRunning = false

  /** @param options with the lanes whose dongles come through this queue */
  constructor(options: QueueOptions) {
    this.#options = options
    this.#waitingWork = new WaitingWork(options)
  }

  push(waiting: Waiting): void {
    this.#waiting.push(waiting)
    if (!this.#isRunning) void this.#run()
  }

  /** Derives all that waits when every submission is answered. */
  finish(): Promise<void> {
    return this.#waitingWork.finish()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    await sleep(GATHER_MS)
    while (this.#waiting.length > 0) {
      await this.#store(this.#nextBatch())
      await this.#waitingWork.betweenBatches()
    }
    this.#isRunning = false
    this.#waitingWork.whenQuiet(() => !this.#isRunning)
  }

  #nextBatch(): Waiting[] {
    let samples = 0
    const end = this.#waiting.findIndex((waiting, index) => {
      samples += waiting.length
      return index > 0 && samples > BATCH_SAMPLES
    })
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end)
  }

  async #store(batch: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#commit(batch.map(waiting => waiting.submission))
      batch.forEach((waiting, index) => {
        const outcome = outcomes[index]
        if (!outcome) return waiting.reject(new Error('a submission got no outcome'))
        waiting.resolve(outcome)
      })
    } catch (error) {
      if (batch.length === 1 || clientErrorOf(error)) for (const waiting of batch) waiting.reject(error)
      // One of them holds what the database can not store: the others must not suffer for it.
      else for (const waiting of batch) await this.#store([waiting])
    }
  }

  async #commit(submissions: readonly Submission[]): Promise<Outcome[]> {
    const { database, partitions, batchOptions, observe, burstFrom = BURST_FROM } = this.#options
    const started = performance.now()
    const mayWait = submissions.length >= burstFrom && !this.#waitingWork.isFull
    const isKeeper = mayWait && (await database.keeperLock.hold(database.waiting.keeper))
    const options = { ...(await batchOptions()), isBurst: isKeeper }
    for (let attempt = 1; ; attempt++) {
      try {
        const outcomes = await writeTransaction(database, transaction => storeBatch(transaction, submissions, options))
        observe?.({ submissions, outcomes, seconds: (performance.now() - started) / 1000 })
        return outcomes
      } catch (error) {
        // Another node's retention dropped a week that this one believed to exist.
        if (attempt > 1 || !isMissingPartition(error)) throw error
        partitions.forget()
        await partitions.ensure(timesOf(submissions))
      }
    }
  }
}

/** The times of all samples in submissions. */
export function* timesOf(submissions: readonly Submission[]): Generator<number> {
  for (const { samples } of submissions) for (const { timeMs } of samples) yield timeMs
}

function isMissingPartition(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23514'
}
