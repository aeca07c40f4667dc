import type { Database } from '../db/database.ts'
import { clientErrorOf, isMissingPartition } from '../db/faults.ts'
import { writeTransaction } from '../db/transaction.ts'
import type { Backlog } from '../derive/backlog/backlog.ts'
import { sortQuick } from '../derive/backlog/sort-quick.ts'
import type { DeviceId } from '../model/sample.ts'
import type { Partitions } from '../store/index.ts'
import { allNew, type Outcome, storeBatch } from './batch.ts'
import type { BatchLine, BatchLog } from './batch-log.ts'
import { type Part, timesOf } from './batch-parts.ts'
import type { Submission } from './plan.ts'
import type { JoiningOptions } from './refused-submissions.ts'
import { storeInOrder } from './store-in-order.ts'

/** A committed batch, for metrics. */
export interface ObservedBatch {
  readonly submissions: readonly Submission[]
  readonly outcomes: readonly Outcome[]
  readonly seconds: number
}

interface BatchStorageOptions {
  readonly database: Database
  readonly partitions: Partitions
  readonly backlog: Backlog
  readonly joining: () => Promise<JoiningOptions>
  /** The account of a dongle, if cached. */
  readonly ownerOf: (deviceId: DeviceId) => number | undefined
  readonly batchLog: BatchLog
  readonly observe?: ((batch: ObservedBatch) => void) | undefined
  /** Told of each commit before the parts of it are. */
  readonly onCommit: () => void
  readonly onStored: (part: Part, outcome: Outcome) => void
  readonly onFailed: (part: Part, error: unknown) => void
}

/** Stores the parts of a batch, in one statement or one transaction, and tells what became of each. */
export class BatchStorage {
  readonly #options: BatchStorageOptions

  constructor(options: BatchStorageOptions) {
    this.#options = options
  }

  /** @param waiting what may be stored now and derived later */
  async store(all: readonly Part[], waiting: ReadonlySet<Submission>): Promise<void> {
    const { batchLog, onStored, onFailed } = this.#options
    const batch = await this.#storeInOrder(all, waiting)
    if (batch.length === 0) return
    const line = batchLog.begin(batch)
    try {
      const outcomes = await this.#commit(batch, waiting)
      this.#committed(line)
      batch.forEach((part, index) => {
        const outcome = outcomes[index]
        if (outcome) onStored(part, outcome)
        else onFailed(part, new Error('a submission got no outcome'))
      })
    } catch (error) {
      line.failed(error)
      if (batch.length === 1 || clientErrorOf(error)) for (const part of batch) onFailed(part, error)
      // One of them contains something that the database rejects, which must not affect the others.
      else for (const part of batch) await this.store([part], NONE)
    }
  }

  #committed(line: BatchLine): void {
    line.committed()
    this.#options.onCommit()
  }

  /** Stores what can be stored in one statement. @returns the others */
  async #storeInOrder(batch: readonly Part[], waiting: ReadonlySet<Submission>): Promise<readonly Part[]> {
    const { database, backlog, ownerOf, batchLog, observe, onStored } = this.#options
    if (waiting.size === 0 || !(await backlog.holdLease())) return batch
    const started = performance.now()
    const submissions = batch.map(({ submission }) => submission)
    const { quick } = sortQuick(submissions, backlog, submission => waiting.has(submission))
    if (quick.length === 0) return batch
    const stored = new Set(quick)
    const parts = batch.filter(({ submission }) => stored.has(submission))
    const line = batchLog.begin(parts)
    if (!(await storeInOrder(database, quick, { backlog, ownerOf }))) return batch
    this.#committed(line)
    observe?.({ submissions: quick, outcomes: quick.map(allNew), seconds: (performance.now() - started) / 1000 })
    for (const part of parts) onStored(part, allNew(part.submission))
    return batch.filter(({ submission }) => !stored.has(submission))
  }

  async #commit(batch: readonly Part[], waiting: ReadonlySet<Submission>): Promise<Outcome[]> {
    const { database, partitions, backlog, joining, ownerOf, observe } = this.#options
    const started = performance.now()
    const submissions = batch.map(({ submission }) => submission)
    const options = {
      ...(await joining()),
      backlog,
      isBurst: waiting.size > 0 && (await backlog.holdLease()),
      mayWait: (submission: Submission) => waiting.has(submission),
      ownerOf,
    }
    for (let attempt = 1; ; attempt++) {
      try {
        const outcomes = await writeTransaction(database, transaction => storeBatch(transaction, submissions, options))
        observe?.({ submissions, outcomes, seconds: (performance.now() - started) / 1000 })
        return outcomes
      } catch (error) {
        // Another node dropped a week that this one believed to exist.
        if (attempt > 1 || !isMissingPartition(error)) throw error
        partitions.forget()
        await partitions.ensure(timesOf(submissions))
      }
    }
  }
}

const NONE: ReadonlySet<Submission> = new Set()
