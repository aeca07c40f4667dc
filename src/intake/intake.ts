import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { unavailable } from '../errors.ts'
import type { Database } from '../store/database.ts'
import { clientErrorOf } from '../store/faults.ts'
import { readAssignmentsOf } from '../store/fleet/device-records.ts'
import { laneOf } from '../store/fleet/lanes.ts'
import type { Partitions } from '../store/samples/partitions.ts'
import { writeTransaction } from '../store/transaction.ts'
import { type BatchOptions, type Outcome, storeBatch } from './batch.ts'
import type { Submission } from './plan.ts'
import { allDeviceIds, sortOutRefused } from './refused-submissions.ts'
import { WaitingWork } from './waiting/waiting-work.ts'

/** Long enough to gather what many connections send at once, short against a commit. */
const GATHER_MS = 2
/** A batch is closed at this size; a single submission may be larger. */
const BATCH_SAMPLES = 20_000
/** While fewer send at once, there is time to derive everything at once. */
const BURST_FROM = 50
/**
 * So many senders are stored in two transactions at once, each with half of the lanes: while the database copies the samples
 * of one, this process writes those of the other, and the database has two cores to copy them.
 */
const PARTED_FROM = 100
/** Beyond this, senders are told to come back later instead of filling the memory. */
const PENDING_SAMPLES_LIMIT = 200_000

export interface IntakeOptions {
  readonly database: Database
  readonly partitions: Partitions
  readonly batchOptions: () => Promise<BatchOptions>
  readonly log: Logger
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

interface Waiting {
  readonly submission: Submission
  /** Samples, those kept apart included. */
  readonly length: number
  readonly told: Told
}

/** Is told what became of a submission, or why it could not be stored now; then nothing of it was. */
export interface Told {
  stored(outcome: Outcome): void
  /** @param error ClientError 503 when it may be sent again */
  failed(error: unknown): void
}

/**
 * Gathers what all connections of this process send into batches, stored one after the other: while one commits, the
 * next one fills. A sender gets its answer only after its own commit.
 */
export class Intake {
  readonly #options: IntakeOptions
  #waiting: Waiting[] = []
  #pendingSamples = 0
  #unanswered = 0
  #onAllAnswered: (() => void) | undefined
  readonly #waitingWork: WaitingWork
  #isRunning = false
  #isStopping = false

  constructor(options: IntakeOptions) {
    this.#options = options
    this.#waitingWork = new WaitingWork(options)
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
    return new Promise((resolve, reject) => this.take(submission, { stored: resolve, failed: reject }))
  }

  /** The same without a promise, for a fleet that comes back with a submission of each dongle. */
  take(submission: Submission, told: Told): void {
    const length = submission.samples.length + (submission.misdated?.length ?? 0)
    if (this.#isStopping) return told.failed(unavailable('The service is stopping.', 5))
    if (this.#pendingSamples > 0 && this.#pendingSamples + length > PENDING_SAMPLES_LIMIT)
      return told.failed(unavailable('More arrives than can be stored at the moment.', 1))
    this.#pendingSamples += length
    this.#unanswered++
    const waiting = { submission, length, told }
    const { partitions } = this.#options
    // Before the queue, so that nobody else waits for the partitions that one sender needs.
    if (partitions.hasAll(submission.samples)) this.#enqueue(waiting)
    else this.#prepare(waiting).catch((error: unknown) => this.#refuse(waiting, error))
  }

  /** Refuses what comes from now on, and waits for what is in flight and until all that follows from it is derived. */
  async stop(): Promise<void> {
    this.#isStopping = true
    if (this.#unanswered > 0) await new Promise<void>(resolve => (this.#onAllAnswered = resolve))
    await this.#waitingWork.finish()
  }

  /** Nothing is made for samples that their sender may not send. */
  async #prepare(waiting: Waiting): Promise<void> {
    const { submission } = waiting
    const { database, partitions, batchOptions } = this.#options
    const known = await readAssignmentsOf(database, [...allDeviceIds([submission])])
    const deviceIds = sortOutRefused([submission], known, await batchOptions()).refused.get(submission)
    if (deviceIds) {
      this.#tell(waiting, told => told.stored({ kind: 'refused', deviceIds }))
      return
    }
    await partitions.ensure(timesOf([submission]))
    this.#enqueue(waiting)
  }

  #enqueue(waiting: Waiting): void {
    this.#waiting.push(waiting)
    if (!this.#isRunning) void this.#run()
  }

  #refuse(waiting: Waiting, error: unknown): void {
    this.#tell(waiting, told => told.failed(error))
  }

  /** What a sender does with it must neither stop the intake nor change what others are told. */
  #tell(waiting: Waiting, tell: (told: Told) => void): void {
    try {
      tell(waiting.told)
    } catch (error) {
      this.#options.log.error({ err: error }, 'a sender could not be told what became of its samples')
    }
    this.#answered(waiting)
  }

  #answered({ length }: Waiting): void {
    this.#pendingSamples -= length
    this.#unanswered--
    if (this.#unanswered === 0) this.#onAllAnswered?.()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    await sleep(GATHER_MS)
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch()
      const isBurst = batch.length >= (this.#options.burstFrom ?? BURST_FROM)
      const parts = batch.length >= PARTED_FROM ? halvesOf(batch) : [batch]
      await Promise.all(parts.map(part => this.#store(part, isBurst)))
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

  async #store(batch: readonly Waiting[], isBurst: boolean): Promise<void> {
    try {
      const submissions = batch.map(waiting => waiting.submission)
      const outcomes = await this.#commit(submissions, isBurst)
      batch.forEach((waiting, index) => {
        const outcome = outcomes[index]
        if (outcome) this.#tell(waiting, told => told.stored(outcome))
        else this.#refuse(waiting, new Error('a submission got no outcome'))
      })
    } catch (error) {
      if (batch.length === 1 || clientErrorOf(error)) for (const waiting of batch) this.#refuse(waiting, error)
      // One of them holds what the database can not store: the others must not suffer for it.
      else for (const waiting of batch) await this.#store([waiting], false)
    }
  }

  async #commit(submissions: readonly Submission[], isBurst: boolean): Promise<Outcome[]> {
    const { database, partitions, batchOptions, observe } = this.#options
    const started = performance.now()
    const mayWait = isBurst && !this.#waitingWork.isFull
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

/** A batch as one with the even lanes and one with the odd ones, by the first device of each submission. */
function halvesOf(batch: readonly Waiting[]): readonly (readonly Waiting[])[] {
  const halves: readonly [Waiting[], Waiting[]] = [[], []]
  for (const waiting of batch) {
    const { samples, misdated } = waiting.submission
    const first = samples[0] ?? misdated?.[0]
    halves[first && laneOf(first.deviceId) % 2 === 1 ? 1 : 0].push(waiting)
  }
  return halves.filter(half => half.length > 0)
}

function* timesOf(submissions: readonly Submission[]): Generator<number> {
  for (const { samples } of submissions) for (const { timeMs } of samples) yield timeMs
}

function isMissingPartition(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23514'
}
