import { randomInt } from 'node:crypto'
import type { LeaseLock } from '../../db/shards/lease-lock.ts'
import { SHARD_COUNT, shardOf } from '../../db/shards/shards.ts'
import type { Transaction, TransactionEnd } from '../../db/transaction.ts'
import { type Clock, SYSTEM_CLOCK } from '../../lib/clock.ts'
import type { DeviceId, Sample } from '../../model/sample.ts'
import { RememberedRecords } from './remembered-records.ts'
import { SampleQueue } from './sample-queue.ts'

interface Tail {
  /** Of the newest sample stored. */
  lastMs: number
  /** Samples stored and not derived yet, ascending by time, newer than all derived ones; undefined when nothing waits. */
  waiting: SampleQueue | undefined
}

interface Shard {
  readonly tails: Map<DeviceId, Tail>
  waitingCount: number
  waitingDevices: number
  /** When the first sample of the backlog that the row of the shard shows was stored, by the monotonic clock. */
  oldestMs: number | undefined
  /** The transaction of this process that holds the shard; resolves when it has ended. */
  holder: { readonly transaction: Holder; readonly ended: Promise<void> } | undefined
}

/** What holds shards until it ends. */
type Holder = Pick<Transaction, 'whenEnded'>

/** A shard in which samples wait, or did: its row still says so. */
export interface BacklogShard {
  readonly shard: number
  /** How long the first of them has been waiting. */
  readonly waitedMs: number
  readonly samples: number
  /** The number of devices. */
  readonly devices: number
}

/** A process remembers the newest sample of this many devices; those of others are read when their samples arrive. */
const MOST_TAILS_PER_SHARD = 2000

/**
 * What a process remembers of the shards whose lease it owns: the newest sample of each device, and the samples that are not
 * derived yet (docs/adr/0012). The row in `shards` names the lease owner; the memory is valid only while the shard is
 * held and after checking that row.
 */
export class Backlog {
  readonly #leaseLock: LeaseLock
  readonly #clock: Clock
  #leaseOwner = drawLeaseOwner()
  readonly #shards: readonly Shard[] = Array.from({ length: SHARD_COUNT }, emptyShard)
  /** What was derived of devices by now. */
  readonly records: RememberedRecords

  /** @param leaseLock its own, which ends with it */
  constructor(leaseLock: LeaseLock, clock: Clock = SYSTEM_CLOCK) {
    this.#leaseLock = leaseLock
    this.#clock = clock
    this.records = new RememberedRecords(clock)
  }

  /** The number of this process as a lease owner. */
  get leaseOwner(): number {
    return this.#leaseOwner
  }

  /** Shows to others that this process runs, so that samples may wait here. @returns false when this fails now */
  holdLease(): Promise<boolean> {
    return this.#leaseLock.hold(this.#leaseOwner)
  }

  /** Releases former numbers: what waits under them is orphaned. */
  async releaseFormerLeases(): Promise<void> {
    await this.#leaseLock.releaseFormer(this.#leaseOwner)
  }

  /** Ends: whatever still waits is orphaned. */
  async close(): Promise<void> {
    await this.#leaseLock.close()
  }

  /** Number of samples that wait. */
  get count(): number {
    return this.#shards.reduce((sum, shard) => sum + shard.waitingCount, 0)
  }

  /** Shards whose rows say that samples wait, the longest waiting first. */
  get shards(): BacklogShard[] {
    const nowMs = this.#clock.monotonicMs()
    return this.#shards
      .flatMap(({ oldestMs, waitingCount, waitingDevices }, shard) =>
        oldestMs === undefined
          ? []
          : [{ shard, waitedMs: nowMs - oldestMs, samples: waitingCount, devices: waitingDevices }],
      )
      .sort((a, b) => b.waitedMs - a.waitedMs)
  }

  /**
   * Call it while holding the shards: an earlier holder in this process may not know yet how its
   * transaction ended, although the database does.
   */
  async hold(shards: readonly number[], transaction: Transaction): Promise<void> {
    const mine: Shard[] = []
    for (const number of shards) {
      const shard = this.#shard(number)
      if (shard.holder?.transaction === transaction) continue
      while (shard.holder) await shard.holder.ended
      setHolder(shard, transaction)
      mine.push(shard)
    }
    if (mine.length > 0) this.#forgetAfterUnknownEnd(transaction)
  }

  /**
   * The same before the shards are locked in the database, by who does not wait for that lock: whoever has it may wait here.
   * @returns false, and nothing is held, if somebody else in this process holds one of them
   */
  tryHold(shards: readonly number[], statement: Holder): boolean {
    const wanted = shards.map(number => this.#shard(number))
    if (wanted.some(({ holder }) => holder !== undefined)) return false
    for (const shard of wanted) setHolder(shard, statement)
    this.#forgetAfterUnknownEnd(statement)
    return true
  }

  /** Whether this process holds any shard. */
  get isHeld(): boolean {
    return this.#shards.some(({ holder }) => holder !== undefined)
  }

  /** Resolves when the transactions have ended that hold some of these shards in this process; undefined when none does. */
  untilReleased(shards: readonly number[]): Promise<unknown> | undefined {
    const ends = shards.flatMap(shard => this.#shard(shard).holder?.ended ?? [])
    return ends.length > 0 ? Promise.all(ends) : undefined
  }

  /** The time of the newest stored sample of a device; undefined when it is not remembered. */
  lastMsOf(deviceId: DeviceId): number | undefined {
    return this.#shard(shardOf(deviceId)).tails.get(deviceId)?.lastMs
  }

  /** The waiting samples of a device, ascending by time; to be passed on as it is (docs/adr/0030). */
  readonly of = (deviceId: DeviceId): readonly Sample[] => this.#queueOf(deviceId)?.samplesOf(deviceId) ?? []

  isDeviceWaiting(deviceId: DeviceId): boolean {
    return this.#queueOf(deviceId) !== undefined
  }

  /** The devices of some shards with waiting samples. */
  devicesIn(shards: readonly number[]): DeviceId[] {
    return shards.flatMap(shard => [...this.#shard(shard).tails].flatMap(([id, { waiting }]) => (waiting ? [id] : [])))
  }

  isWaiting(shard: number): boolean {
    return this.#shard(shard).waitingCount > 0
  }

  /** Notes the time of a device's newest sample, when none of its samples wait. */
  remember(deviceId: DeviceId, lastMs: number): void {
    const { tails } = this.#shard(shardOf(deviceId))
    this.derived([deviceId])
    tails.delete(deviceId)
    tails.set(deviceId, { lastMs, waiting: undefined })
    if (tails.size > MOST_TAILS_PER_SHARD) forgetOldest(tails)
  }

  /** Samples of a remembered device were stored, newer than all before, ascending by time. */
  add(samples: readonly Sample[]): void {
    const [first] = samples
    if (!first) return
    const { deviceId } = first
    const shard = this.#shard(shardOf(deviceId))
    // It may have been evicted since it was looked up.
    const tail = shard.tails.get(deviceId) ?? { lastMs: first.timeMs, waiting: undefined }
    shard.tails.set(deviceId, tail)
    if (!tail.waiting) {
      tail.waiting = new SampleQueue()
      shard.waitingDevices++
    }
    for (const sample of samples) {
      tail.waiting.push(sample)
      tail.lastMs = sample.timeMs
    }
    shard.waitingCount += samples.length
    shard.oldestMs ??= this.#clock.monotonicMs()
  }

  /** Nothing of these devices waits any more. */
  derived(deviceIds: Iterable<DeviceId>): void {
    for (const deviceId of deviceIds) {
      const shard = this.#shard(shardOf(deviceId))
      const tail = shard.tails.get(deviceId)
      if (!tail?.waiting) continue
      shard.waitingCount -= tail.waiting.length
      tail.waiting.release()
      shard.waitingDevices--
      tail.waiting = undefined
    }
  }

  /** The rows of these shards now show that nothing waits there. */
  cleared(shards: readonly number[]): void {
    for (const number of shards) {
      const shard = this.#shard(number)
      if (shard.waitingCount === 0) shard.oldestMs = undefined
    }
  }

  forgetShard(number: number): void {
    const shard = this.#shard(number)
    shard.tails.clear()
    this.records.forgetShard(number)
    shard.waitingCount = 0
    shard.waitingDevices = 0
    shard.oldestMs = undefined
  }

  /**
   * The memory is no longer valid: under its new number, this process owns no lease. A transaction that holds a
   * shard at the moment relies on what it found; the next one finds the former number in the row.
   */
  forgetAll(): void {
    this.#leaseOwner = drawLeaseOwner()
    this.#shards.forEach(({ holder }, number) => {
      if (!holder) this.forgetShard(number)
    })
  }

  #forgetAfterUnknownEnd(holder: Holder): void {
    holder.whenEnded((end: TransactionEnd) => {
      if (end === 'unknown') this.forgetAll()
    })
  }

  #queueOf(deviceId: DeviceId): SampleQueue | undefined {
    return this.#shard(shardOf(deviceId)).tails.get(deviceId)?.waiting
  }

  #shard(number: number): Shard {
    const shard = this.#shards[number]
    if (!shard) throw new Error(`there is no shard ${number}`)
    return shard
  }
}

function emptyShard(): Shard {
  return { tails: new Map(), waitingCount: 0, waitingDevices: 0, oldestMs: undefined, holder: undefined }
}

function setHolder(shard: Shard, transaction: Holder): void {
  let end = (): void => undefined
  shard.holder = { transaction, ended: new Promise(resolve => (end = resolve)) }
  transaction.whenEnded(() => {
    shard.holder = undefined
    end()
  })
}

function forgetOldest(tails: Map<DeviceId, Tail>): void {
  for (const [deviceId, { waiting }] of tails) {
    if (waiting) continue
    tails.delete(deviceId)
    return
  }
}

function drawLeaseOwner(): number {
  return randomInt(1, 2 ** 31)
}
