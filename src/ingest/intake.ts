import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { clientErrorOf, diskFull, isMissingPartition } from '../db/faults.ts'
import { shardOf } from '../db/shards.ts'
import { writeTransaction } from '../db/transaction.ts'
import { Engine } from '../derive/engine.ts'
import { KnownDevices, readKnownDevices } from '../derive/known-devices.ts'
import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'
import { Signal } from '../lib/signal.ts'
import { type ClientError, unavailable } from '../model/errors.ts'
import { grouped } from '../model/grouped.ts'
import type { DeviceId } from '../model/sample.ts'
import { weekStartMs } from '../model/time-range.ts'
import type { Partitions } from '../store/index.ts'
import type { AccountQuotas } from './account-quotas.ts'
import { PendingSamples, ShareQueue } from './account-shares.ts'
import { BatchSize, Gathering, isBacklog } from './gathering.ts'
import { DeviceOwners } from './remembered-devices.ts'
import { findRefused, type JoiningOptions, type StoredBatch, storeBatch } from './store-batch.ts'
import { BatchLog, type FailureReason, failureReasonOf, type StoringFault, StoringState } from './storing-state.ts'
import {
  allDeviceIds,
  deviceIdsOf,
  firstOf,
  type Outcome,
  type Part,
  PendingSubmission,
  type Submission,
  timesOf,
} from './submission.ts'

/** Beyond this, accounts with more than an equal share must retry later, so that the memory does not fill up. */
const PENDING_SAMPLES_LIMIT = 200_000
/** Shared by all senders whose account is not known. */
const UNKNOWN_ACCOUNT = 0
/** While fewer dongles of an account send at once, there is time to derive everything immediately. */
const BURST_FROM = 50
/** From this many senders on, two parallel transactions store a batch, each with half of the shards: this process
 * prepares one while the database copies the other, on two cores. */
const PARTED_FROM = 100

/** While clients wait for what is being derived, more is gathered for so long: it would mostly wait for the same devices,
 * and in smaller batches. */
const GATHERED_WHILE_ANSWERING_MS = 50

/** A committed batch, for metrics. */
export interface ObservedBatch {
  readonly submissions: readonly Submission[]
  readonly outcomes: readonly Outcome[]
  readonly seconds: number
}

export interface IntakeOptions {
  readonly database: Database
  readonly partitions: Partitions
  readonly batchOptions: () => Promise<JoiningOptions>
  readonly log: Logger
  /** Without it, accounts may send as much as there is room for. */
  readonly quotas?: AccountQuotas
  /** So many submissions of an account in one batch are a burst, and deriving them may wait for more. */
  readonly burstFrom?: number
  readonly observe?: (batch: ObservedBatch) => void
  /** Notified of each submission that could not be stored. */
  readonly observeFailure?: (reason: FailureReason) => void
  /** The last of the disk is for what is being done: nothing more is stored. */
  readonly isDiskShort?: (() => boolean) | undefined
  readonly clock?: Clock
}

/** The way of every sample into the store: admitted (quotas, room), queued by account, gathered into a batch with equal
 * shares, stored, answered. Dongles get their answer after the commit; clients with a key once it is derived. */
export class Intake {
  /** Derives what is stored here. */
  readonly engine: Engine
  readonly #options: IntakeOptions
  readonly #knownDevices = new KnownDevices()
  readonly #clock: Clock
  readonly #queue = new ShareQueue<PendingSubmission>()
  readonly #pending = new PendingSamples(PENDING_SAMPLES_LIMIT)
  readonly #batchSize = new BatchSize()
  readonly #gathering: Gathering
  readonly #owners: DeviceOwners
  readonly #storing: StoringState
  readonly #batchLog: BatchLog
  /** The accounts that sent a burst in the newest batch, of which parts may be stored by themselves. */
  #bursting: ReadonlySet<number> = new Set()
  /** The account that unknown dongles join. */
  #firstAccountId: number | undefined
  /** Waits for devices that another transaction is working on. */
  #blocked: Part[] = []
  #isStoringBlocked = false
  #unanswered = 0
  readonly #allAnswered = new Signal()
  #isRunning = false
  #isStopping = false

  constructor(options: IntakeOptions) {
    this.#options = options
    const { database, log, clock = SYSTEM_CLOCK } = options
    this.#clock = clock
    this.engine = new Engine({ database, log, clock, knownDevices: this.#knownDevices })
    this.#gathering = new Gathering(() => database.changes.isHurried, clock)
    this.#owners = new DeviceOwners(database, clock)
    this.#storing = new StoringState(clock)
    this.#batchLog = new BatchLog(log, clock)
  }

  /** Samples received and not yet committed. */
  get pendingSamples(): number {
    return this.#pending.total
  }

  /** The same by account; those of senders whose account is not known are under 0. */
  get pendingOfAccounts(): ReadonlyMap<number, number> {
    return this.#pending.ofAccounts
  }

  /** Why nothing can be stored now; undefined when it can, as far as is known. */
  get storingFault(): StoringFault | undefined {
    return this.#storing.fault
  }

  /** @throws ClientError 429 when its account is over a quota, 503 when it cannot be stored now. Then at most a part of
   * a large one is stored: when it is sent again, all of it is stored once. */
  submit(submission: Submission): Promise<Outcome> {
    const { quotas } = this.#options
    const deviceId = submission.accountId === undefined ? firstOf(submission)?.deviceId : undefined
    // Samples that a dongle sends right after a start must not count against the quota of another account.
    return quotas?.isBounding && deviceId !== undefined && !this.#owners.hasAsked(deviceId)
      ? this.#owners.learn(deviceId).then(() => this.#submit(submission))
      : this.#submit(submission)
  }

  #submit(submission: Submission): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const owner = this.#ownerOf(submission)
      const pending = new PendingSubmission(submission, owner, this.#joinedAccountId, { resolve, reject })
      const refusal = this.#refusalOf(pending)
      if (!refusal) return this.#admit(pending)
      if (refusal.reason === 'disk full') this.#notStored(refusal.error, refusal.reason)
      else this.#options.observeFailure?.(refusal.reason)
      reject(refusal.error)
    })
  }

  /** Refuses new submissions, and waits until everything in flight is stored and derived. */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.#gathering.end()
    if (this.#unanswered > 0) await this.#allAnswered.wait()
    await this.engine.stop()
  }

  /** Why a submission is not admitted; undefined when it is. */
  #refusalOf(pending: PendingSubmission): { readonly reason: FailureReason; readonly error: ClientError } | undefined {
    if (this.#isStopping) return { reason: 'stopping', error: unavailable('The service is stopping.', 5) }
    if (this.#options.isDiskShort?.()) return { reason: 'disk full', error: diskFull() }
    const overQuota = pending.submission.cannotWait ? undefined : this.#options.quotas?.refusalOf(pending.account)
    if (overQuota) return { reason: 'quota', error: overQuota }
    if (this.#pending.hasRoom(pending)) return undefined
    const error = unavailable('More arrives from this account than can be stored at the moment.', 1)
    return { reason: 'too much waits', error }
  }

  #admit(pending: PendingSubmission): void {
    const { submission, account } = pending
    const { partitions, quotas } = this.#options
    quotas?.received(account, submission)
    this.#pending.add(pending)
    this.#unanswered++
    if (account !== UNKNOWN_ACCOUNT) this.#batchSize.arrived(account, this.#clock.monotonicMs())
    // Before the queue, so that other senders do not wait for the partitions that one needs.
    if (!pending.isLarge && partitions.hasAll(submission.samples)) this.#enqueue(pending)
    else this.#prepare(pending).catch((error: unknown) => this.#failed(pending, error))
  }

  get #joinedAccountId(): number {
    return this.#firstAccountId ?? UNKNOWN_ACCOUNT
  }

  /** The account that it counts for; undefined while that is not known. */
  #ownerOf(submission: Submission): number | undefined {
    if (submission.accountId !== undefined) return submission.accountId
    const first = firstOf(submission)
    return first && this.#owners.of(first.deviceId)
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
    const known = await readKnownDevices(database, deviceIdsOf(submission))
    const { refused } = await findRefused(database, [submission], known, await this.#joining())
    const deviceIds = refused.get(submission)
    if (deviceIds) return this.#answer(pending, { kind: 'refused', deviceIds })
    await partitions.ensure(timesOf([submission]))
    this.#enqueue(pending)
  }

  #enqueue(pending: PendingSubmission): void {
    this.#queue.add(pending)
    this.#gathering.arrived(pending.submission)
    if (!this.#isRunning) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#queue.hasReady) {
      await this.engine.hasRoom()
      await this.engine.answered(GATHERED_WHILE_ANSWERING_MS)
      await this.#gathering.untilDue()
      const started = this.#clock.monotonicMs()
      const batch = this.#queue.take(this.#batchSize.most(started)).map(({ item, amount }) => item.part(amount))
      this.#gathering.taken(this.#queue.hasReady)
      this.#bursting = burstingAccounts(batch, this.#options.burstFrom)
      await Promise.all(storedTogether(batch).map(parts => this.#store(parts)))
      const endedMs = this.#clock.monotonicMs()
      const samples = batch.reduce((sum, { amount }) => sum + amount, 0)
      this.#batchSize.took(samples, endedMs - started, endedMs)
    }
    this.#isRunning = false
  }

  /** Stores the parts of a batch in one transaction. @param isWaiting waits for devices that another transaction has
   * locked; else their parts are left to wait by themselves, so that the others need not wait */
  async #store(batch: readonly Part[], isWaiting = false): Promise<void> {
    const logEnd = this.#batchLog.begin(batch)
    try {
      const { outcomes, devices } = await this.#commit(batch, isWaiting)
      logEnd()
      const over = this.#storing.stored()
      if (over) this.#options.log.info(over, 'what arrives can be stored again')
      const hurried = this.#hurriedDevices(batch)
      this.engine.stored(devices, deviceId => !hurried.has(deviceId))
      batch.forEach((part, index) => {
        const outcome = outcomes[index]
        if (outcome) this.#stored(part, outcome)
        else this.#blocked.push(part)
      })
      if (this.#blocked.length > 0 && !this.#isStoringBlocked) void this.#storeBlocked()
    } catch (error) {
      logEnd(error)
      if (batch.length === 1 || clientErrorOf(error)) for (const { pending } of batch) this.#failed(pending, error)
      // One of them contains something that the database rejects, which must not affect the others.
      else for (const part of batch) await this.#store([part], isWaiting)
    }
  }

  async #storeBlocked(): Promise<void> {
    this.#isStoringBlocked = true
    while (this.#blocked.length > 0) {
      const parts = this.#blocked
      this.#blocked = []
      await this.#store(parts, true)
    }
    this.#isStoringBlocked = false
  }

  async #commit(batch: readonly Part[], isWaiting: boolean): Promise<StoredBatch> {
    const { database, partitions, observe } = this.#options
    const started = performance.now()
    const submissions = batch.map(({ submission }) => submission)
    const joining = await this.#joining()
    for (let attempt = 1; ; attempt++) {
      try {
        const stored = await writeTransaction(database, transaction =>
          storeBatch(transaction, submissions, joining, { knownDevices: this.#knownDevices, isWaiting }),
        )
        const done = submissions.filter((_, index) => stored.outcomes[index])
        const outcomes = stored.outcomes.flatMap(outcome => outcome ?? [])
        if (done.length > 0) observe?.({ submissions: done, outcomes, seconds: (performance.now() - started) / 1000 })
        return stored
      } catch (error) {
        // A week that this process believed to exist was dropped, as it was empty; another one may be dropped before the next attempt.
        if (!isMissingPartition(error) || attempt > new Set(Array.from(timesOf(submissions), weekStartMs)).size)
          throw error
        partitions.forget()
        await partitions.ensure(timesOf(submissions))
      }
    }
  }

  /** Devices that are derived at once: of clients with a key, and those that report alone. Many are derived within two
   * seconds; and of a backlog, or where an account sends a burst, more is about to arrive. */
  #hurriedDevices(batch: readonly Part[]): ReadonlySet<DeviceId> {
    const mayAllWait = this.#gathering.isBusy && this.engine.isShort
    const mayWait = ({ pending, submission }: Part) =>
      submission.accountId === undefined && (mayAllWait || isBacklog(submission) || this.#bursting.has(pending.account))
    return allDeviceIds(batch.filter(part => !mayWait(part)).map(({ submission }) => submission))
  }

  #stored({ pending, amount, submission }: Part, outcome: Outcome): void {
    if (outcome.kind === 'stored') {
      // The account may not have been known when it arrived.
      const account = pending.isAccountSure ? pending.account : (this.#ownerOf(submission) ?? this.#joinedAccountId)
      this.#options.quotas?.stored(account, submission, outcome)
    }
    const answer = outcome.kind === 'stored' ? pending.partStored(amount, outcome) : outcome
    if (!answer) {
      this.#queue.partDone(pending)
      this.#gathering.hurry()
      if (!this.#isRunning) void this.#run()
      return
    }
    this.#queue.ended(pending)
    if (answer.kind === 'refused' || submission.accountId === undefined) this.#answer(pending, answer)
    else void this.engine.derived(deviceIdsOf(pending.submission)).then(() => this.#answer(pending, answer))
  }

  #failed(pending: PendingSubmission, error: unknown): void {
    this.#notStored(error)
    this.#queue.ended(pending)
    pending.sender.reject(error)
    this.#answered(pending)
  }

  #notStored(error: unknown, reason = failureReasonOf(error)): void {
    this.#options.observeFailure?.(reason)
    const began = this.#storing.failed(error)
    if (began) this.#options.log.error({ err: error, ...began }, 'nothing can be stored at the moment')
  }

  #answer(pending: PendingSubmission, outcome: Outcome): void {
    pending.sender.resolve(outcome)
    this.#answered(pending)
  }

  #answered(pending: PendingSubmission): void {
    this.#pending.answered(pending)
    this.#unanswered--
    if (this.#unanswered === 0) this.#allAnswered.emit()
  }
}

/** The accounts with so many senders at once that deriving their samples waits; others are not delayed by them. */
function burstingAccounts(batch: readonly Part[], from = BURST_FROM): ReadonlySet<number> {
  const counts = new Map<number, number>()
  for (const { pending } of batch) counts.set(pending.account, (counts.get(pending.account) ?? 0) + 1)
  return new Set([...counts].flatMap(([account, count]) => (count >= from ? [account] : [])))
}

/** The transactions of a batch: a large one is cut in the middle between two shards, by the first device of each submission. */
function storedTogether(batch: readonly Part[]): readonly (readonly Part[])[] {
  if (batch.length < PARTED_FROM) return [batch]
  const halves: readonly [Part[], Part[]] = [[], []]
  for (const parts of grouped(batch, ({ submission }) => shardOf(firstOf(submission)?.deviceId ?? 0)).values())
    halves[halves[0].length * 2 < batch.length ? 0 : 1].push(...parts)
  return halves.filter(half => half.length > 0)
}
