import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { shardsOf } from '../db/shards/shards.ts'
import { Backlog } from '../derive/backlog/backlog.ts'
import { BacklogWork } from '../derive/backlog/backlog-work.ts'
import { readAssignmentsOf } from '../derive/device-records/device-records.ts'
import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'
import { Signal } from '../lib/signal.ts'
import { type ClientError, unavailable } from '../model/errors.ts'
import type { Partitions } from '../store/index.ts'
import type { Outcome } from './batch.ts'
import { BatchLog } from './batch-log.ts'
import { burstingAccounts, firstOf, type Part, storedTogether, timesOf } from './batch-parts.ts'
import { BatchSize } from './batch-size.ts'
import { BatchStorage, type ObservedBatch } from './batch-storage.ts'
import { DeviceOwners } from './device-owners.ts'
import { type FailureReason, failureReasonOf } from './failed-submissions.ts'
import { Gathering } from './gathering.ts'
import { PendingSamples } from './pending-samples.ts'
import { PendingSubmission, type SubmissionListener } from './pending-submission.ts'
import type { Submission } from './plan.ts'
import type { AccountQuotas } from './quotas/account-quotas.ts'
import { allDeviceIds, type JoiningOptions, readHandedOutUnknown, sortOutRefused } from './refused-submissions.ts'
import { ShareQueue } from './share-queue.ts'
import { type StoringFault, StoringState } from './storing-state.ts'

/** Beyond this, accounts with more than an equal share must retry later, so that the memory does not fill up. */
const PENDING_SAMPLES_LIMIT = 200_000
/** Shared by all senders whose account is not known. */
const UNKNOWN_ACCOUNT = 0

interface IntakeOptions {
  readonly database: Database
  readonly partitions: Partitions
  readonly batchOptions: () => Promise<JoiningOptions>
  readonly log: Logger
  /** Without it, accounts may send as much as there is room for. */
  readonly quotas?: AccountQuotas
  /** So many submissions of an account in one batch are a burst (see `BatchOptions`). */
  readonly burstFrom?: number
  readonly observe?: (batch: ObservedBatch) => void
  /** Told of each submission that could not be stored. */
  readonly observeFailure?: (reason: FailureReason) => void
  readonly clock?: Clock
}

/**
 * Gathers what all connections of this process send into batches, stored one after the other: while one commits, the
 * next one fills, with an equal share for each account. A sender gets its answer only after its own commit.
 */
export class Intake {
  /** What this process remembers of what it has stored. */
  readonly backlog: Backlog
  readonly #options: IntakeOptions
  readonly #clock: Clock
  readonly #queue = new ShareQueue<PendingSubmission>()
  readonly #pending = new PendingSamples(PENDING_SAMPLES_LIMIT)
  readonly #batchSize = new BatchSize()
  readonly #gathering: Gathering
  readonly #owners: DeviceOwners
  readonly #storing: StoringState
  readonly #batches: BatchStorage
  /** The account that unknown dongles join. */
  #firstAccountId: number | undefined
  /** What has waited for shards that are held. */
  #released: readonly Part[] = []
  #unanswered = 0
  readonly #allAnswered = new Signal()
  readonly #backlogWork: BacklogWork
  #isRunning = false
  #isStopping = false

  constructor(options: IntakeOptions) {
    this.#options = options
    this.#clock = options.clock ?? SYSTEM_CLOCK
    this.#gathering = new Gathering(() => options.database.changes.isHurried, this.#clock)
    this.backlog = new Backlog(options.database.createLeaseLock(), this.#clock)
    this.#backlogWork = new BacklogWork(
      { database: options.database, backlog: this.backlog, log: options.log },
      this.#clock,
    )
    this.#owners = new DeviceOwners(options.database, options.log, this.#clock)
    this.#storing = new StoringState(this.#clock)
    this.#batches = new BatchStorage({
      database: options.database,
      partitions: options.partitions,
      backlog: this.backlog,
      joining: () => this.#joining(),
      ownerOf: deviceId => this.#owners.of(deviceId),
      batchLog: new BatchLog(options.log, this.#clock),
      observe: options.observe,
      onCommit: () => this.#committed(),
      onStored: (part, outcome) => this.#stored(part, outcome),
      onFailed: ({ pending }, error) => this.#refuse(pending, error),
    })
  }

  /** Samples received and not yet committed. */
  get pendingSamples(): number {
    return this.#pending.total
  }

  /** The same by account; those of senders whose account is not known are under 0. */
  get pendingOfAccounts(): ReadonlyMap<number, number> {
    return this.#pending.ofAccounts
  }

  /** Why nothing can be stored at the moment; undefined when it can, as far as is known. */
  get storingFault(): StoringFault | undefined {
    return this.#storing.fault
  }

  /** Samples committed from which nothing is derived yet, and for how long the first of them has been waiting. */
  get waiting(): { readonly samples: number; readonly seconds: number } {
    const { count, shards } = this.backlog
    const [longest] = shards
    return { samples: count, seconds: (longest?.waitedMs ?? 0) / 1000 }
  }

  /**
   * Stores a submission and everything derived from it.
   * @throws ClientError 429 when its account is over a quota, 503 when it can not be stored now. Then nothing of it is stored,
   * or only a part of a large one: when it is sent again, all of it is stored once.
   */
  submit(submission: Submission): Promise<Outcome> {
    return new Promise((resolve, reject) => this.take(submission, { stored: resolve, failed: reject }))
  }

  /** The same without a promise, for a fleet that reconnects with a submission of each dongle. */
  take(submission: Submission, listener: SubmissionListener): void {
    const { quotas } = this.#options
    const deviceId = submission.accountId === undefined ? firstOf(submission)?.deviceId : undefined
    // What a dongle sends right after a start must not count against the quota of another account.
    if (quotas?.isBounding && deviceId !== undefined && !this.#owners.hasAsked(deviceId))
      void this.#owners.learn(deviceId).then(() => this.#take(submission, listener))
    else this.#take(submission, listener)
  }

  #take(submission: Submission, listener: SubmissionListener): void {
    if (this.#isStopping) return this.#turnAway(listener, 'stopping', unavailable('The service is stopping.', 5))
    const { partitions, quotas } = this.#options
    const account = this.#accountOf(submission)
    const refusal = submission.cannotWait ? undefined : quotas?.refusalOf(account)
    if (refusal) return this.#turnAway(listener, 'quota', refusal)
    const pending = new PendingSubmission(submission, account, listener)
    if (!this.#pending.hasRoom(pending))
      return this.#turnAway(
        listener,
        'too much waits',
        unavailable('More arrives from this account than can be stored at the moment.', 1),
      )
    quotas?.received(account, submission)
    this.#pending.add(pending)
    this.#unanswered++
    if (account !== UNKNOWN_ACCOUNT) this.#batchSize.heard(account, this.#clock.monotonicMs())
    // Before the queue, so that other senders do not wait for the partitions that one needs.
    if (!pending.isLarge && partitions.hasAll(submission.samples)) this.#enqueue(pending)
    else this.#prepare(pending).catch((error: unknown) => this.#refuse(pending, error))
  }

  /** Refuses new submissions, and waits until everything in flight is stored and derived. */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.#gathering.end()
    if (this.#unanswered > 0) await this.#allAnswered.wait()
    await this.#backlogWork.finish()
    await this.backlog.close()
  }

  #turnAway(listener: SubmissionListener, reason: FailureReason, error: ClientError): void {
    this.#options.observeFailure?.(reason)
    listener.failed(error)
  }

  #accountOf(submission: Submission): number {
    if (submission.accountId !== undefined) return submission.accountId
    const first = firstOf(submission)
    return (first && this.#owners.of(first.deviceId)) ?? this.#firstAccountId ?? UNKNOWN_ACCOUNT
  }

  async #joining(): Promise<JoiningOptions> {
    const joining = await this.#options.batchOptions()
    this.#firstAccountId = joining.firstAccountId
    return joining
  }

  /** Checks devices first, so that no table is created and no part is stored for devices that the sender may not report for. */
  async #prepare(pending: PendingSubmission): Promise<void> {
    const { submission } = pending
    const { database, partitions } = this.#options
    const known = await readAssignmentsOf(database, [...allDeviceIds([submission])])
    const handedOut = await readHandedOutUnknown(database, [submission], known)
    const deviceIds = sortOutRefused([submission], known, await this.#joining(), handedOut).refused.get(submission)
    if (deviceIds) {
      this.#notify(pending, listener => listener.stored({ kind: 'refused', deviceIds }))
      return
    }
    await partitions.ensure(timesOf([submission]))
    this.#enqueue(pending)
  }

  #enqueue(pending: PendingSubmission): void {
    this.#queue.add(pending)
    this.#gathering.arrived(pending.submission)
    if (!this.#isRunning) void this.#run()
  }

  #refuse(pending: PendingSubmission, error: unknown): void {
    this.#options.observeFailure?.(failureReasonOf(error))
    const began = this.#storing.failed(error)
    if (began) this.#options.log.error({ err: error, ...began }, 'nothing can be stored at the moment')
    this.#queue.ended(pending)
    this.#notify(pending, listener => listener.failed(error))
  }

  /** An error in a listener must neither stop the intake nor affect other senders. */
  #notify(pending: PendingSubmission, notify: (listener: SubmissionListener) => void): void {
    try {
      notify(pending.listener)
    } catch (error) {
      this.#options.log.error({ err: error }, 'a sender could not be told what became of its samples')
    }
    this.#pending.answered(pending)
    this.#unanswered--
    if (this.#unanswered === 0) this.#allAnswered.emit()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#queue.hasReady || this.#released.length > 0) {
      await this.#gathering.untilDue()
      const started = this.#clock.monotonicMs()
      const batch = [...this.#takeReleased(), ...this.#takeFree(started)]
      this.#gathering.taken(this.#queue.hasReady)
      const bursting = burstingAccounts(batch, this.#options.burstFrom)
      await Promise.all(storedTogether(batch).map(parts => this.#batches.store(parts, this.#mayWait(parts, bursting))))
      const endedMs = this.#clock.monotonicMs()
      this.#batchSize.took(
        batch.reduce((sum, { amount }) => sum + amount, 0),
        endedMs - started,
        endedMs,
      )
      await this.#backlogWork.betweenBatches(this.#batchSize.isShared(endedMs))
    }
    this.#isRunning = false
    this.#backlogWork.whenQuiet(() => !this.#isRunning)
  }

  #takeReleased(): readonly Part[] {
    const released = this.#released
    this.#released = []
    return released
  }

  #takeFree(nowMs: number): Part[] {
    const parts = this.#queue
      .take(this.#batchSize.most(nowMs))
      .map(({ item: pending, amount }): Part => ({ pending, amount, submission: pending.part(amount) }))
    // Mostly nothing is held, and then no sample has to be looked at.
    return this.backlog.isHeld ? parts.filter(part => !this.#isLeftToWait(part)) : parts
  }

  /**
   * A submission for a shard that another transaction holds, for example to refold out-of-order samples, waits for
   * that here: in a batch, all others would wait with it. It does so only once, so that it is not postponed for ever.
   * @returns whether it waits
   */
  #isLeftToWait(part: Part): boolean {
    const shards = shardsOf(allDeviceIds([part.submission]))
    const released = this.backlog.untilReleased(shards)
    if (released) void this.#takeWhen(released, part)
    return released !== undefined
  }

  async #takeWhen(released: Promise<unknown>, part: Part): Promise<void> {
    await released
    this.#released = [...this.#released, part]
    this.#gathering.hurry()
    if (!this.#isRunning) void this.#run()
  }

  #committed(): void {
    const over = this.#storing.stored()
    if (over) this.#options.log.info(over, 'what arrives can be stored again')
  }

  #stored({ pending, amount, submission }: Part, outcome: Outcome): void {
    // The account may not have been known when it arrived.
    if (outcome.kind === 'stored') this.#options.quotas?.stored(this.#accountOf(submission), submission, outcome)
    const answer = outcome.kind === 'stored' ? pending.partStored(amount, outcome) : outcome
    if (!answer) {
      this.#queue.partDone(pending)
      return this.#gathering.hurry()
    }
    this.#queue.ended(pending)
    this.#notify(pending, listener => listener.stored(answer))
  }

  /**
   * What may be stored now and derived later: from dongles of accounts that cause a burst, and while many dongles report, from all
   * of them, if that is a matter of two seconds.
   */
  #mayWait(batch: readonly Part[], bursting: ReadonlySet<number>): ReadonlySet<Submission> {
    if (this.#backlogWork.isFull) return new Set()
    const mayAll = this.#gathering.isBusy && this.#backlogWork.isShort
    return new Set(
      batch.flatMap(({ pending, submission }) => (mayAll || bursting.has(pending.account) ? [submission] : [])),
    )
  }
}
