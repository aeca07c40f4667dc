import { randomInt } from 'node:crypto'
import type { LeaseLock } from '../../db/shards/lease-lock.ts'
import { SHARD_COUNT, shardOf } from '../../db/shards/shards.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { DeviceId, Sample } from '../../model/sample.ts'
import { SampleQueue } from './sample-queue.ts'

interface Tail {
  /** Of the newest sample stored. */
  lastMs: number
  /** What is stored and not derived yet, ascending by time, newer than all that is; undefined when nothing waits. */
  waiting: SampleQueue | undefined
}

interface Shard {
  readonly tails: Map<DeviceId, Tail>
  waitingCount: number
  waitingDevices: number
  /** When the first was stored since which the row of the shard says that some wait, by the clock that only goes forward. */
  oldestMs: number | undefined
  /** The transaction of this process that holds the shard, and when it has ended. */
  holder: { readonly transaction: Transaction; readonly ended: Promise<void> } | undefined
}

/** A shard in which samples wait, or did: its row still says so. */
export interface BacklogShard {
  readonly shard: number
  /** When the first of them was stored, by `performance.now()`. */
  readonly oldestMs: number
  readonly samples: number
  /** How many devices they are of. */
  readonly devices: number
}

/** A process remembers the ends of so many devices; those of others are read when their samples arrive. */
const MOST_TAILS_PER_SHARD = 2000

/**
 * What a process remembers of the shards that it keeps: how far the samples of each device reach, and which of them wait
 * until what follows from them is worked out (docs/adr/0012). The row of a shard in `shards` tells who its leaseOwner is; only
 * with the shard held, and after a look at that row, what is remembered may be believed.
 */
export class Backlog {
  readonly #leaseLock: LeaseLock
  #leaseOwner = drawLeaseOwner()
  readonly #shards: readonly Shard[] = Array.from({ length: SHARD_COUNT }, emptyShard)

  /** @param leaseLock its own, which ends with it */
  constructor(leaseLock: LeaseLock) {
    this.#leaseLock = leaseLock
  }

  /** The number under which this process keeps shards. */
  get leaseOwner(): number {
    return this.#leaseOwner
  }

  /** Shows to others that this process runs, so that samples may wait here. @returns false when that can not be done now */
  holdLease(): Promise<boolean> {
    return this.#leaseLock.hold(this.#leaseOwner)
  }

  /** Lets go of former numbers: what was left waiting under them is for whoever finds it. */
  async releaseFormerLeases(): Promise<void> {
    await this.#leaseLock.releaseFormer(this.#leaseOwner)
  }

  /** Nothing waits here any more; what does nevertheless is for whoever finds it. */
  async close(): Promise<void> {
    await this.#leaseLock.close()
  }

  /** Samples that wait. */
  get count(): number {
    return this.#shards.reduce((sum, shard) => sum + shard.waitingCount, 0)
  }

  /** Shards whose rows say that samples wait, the longest waiting first. */
  get shards(): BacklogShard[] {
    return this.#shards
      .flatMap(({ oldestMs, waitingCount, waitingDevices }, shard) =>
        oldestMs === undefined ? [] : [{ shard, oldestMs, samples: waitingCount, devices: waitingDevices }],
      )
      .sort((a, b) => a.oldestMs - b.oldestMs)
  }

  /**
   * To be called with the locks of the shards: whoever of this process held them before may not know yet how its
   * transaction ended, although the database does.
   */
  async hold(shards: readonly number[], transaction: Transaction): Promise<void> {
    const mine: Shard[] = []
    for (const number of shards) {
      const shard = this.#shard(number)
      if (shard.holder?.transaction === transaction) continue
      while (shard.holder) await shard.holder.ended
      let end = (): void => undefined
      shard.holder = { transaction, ended: new Promise(resolve => (end = resolve)) }
      mine.push(shard)
      transaction.whenEnded(() => {
        shard.holder = undefined
        end()
      })
    }
    if (mine.length > 0)
      transaction.whenEnded(end => {
        if (end === 'unknown') this.forgetAll()
      })
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

  /** Those of a device that wait, ascending by time. */
  of(deviceId: DeviceId): readonly Sample[] {
    return this.#queueOf(deviceId)?.samplesOf(deviceId) ?? []
  }

  isDeviceWaiting(deviceId: DeviceId): boolean {
    return this.#queueOf(deviceId) !== undefined
  }

  /** The devices of some shards of which samples wait. */
  devicesIn(shards: readonly number[]): DeviceId[] {
    return shards.flatMap(shard => [...this.#shard(shard).tails].flatMap(([id, { waiting }]) => (waiting ? [id] : [])))
  }

  isWaiting(shard: number): boolean {
    return this.#shard(shard).waitingCount > 0
  }

  /** The samples of a device reach to this time, and nothing of it waits. */
  remember(deviceId: DeviceId, lastMs: number): void {
    const { tails } = this.#shard(shardOf(deviceId))
    this.derived([deviceId])
    tails.delete(deviceId)
    tails.set(deviceId, { lastMs, waiting: undefined })
    if (tails.size > MOST_TAILS_PER_SHARD) forgetOldest(tails)
  }

  /** Samples of one remembered device were stored, newer than all before, ascending by time. */
  add(samples: readonly Sample[]): void {
    const [first] = samples
    if (!first) return
    const { deviceId } = first
    const shard = this.#shard(shardOf(deviceId))
    // Another device may have taken its place since it was looked up.
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
    shard.oldestMs ??= performance.now()
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

  /** The rows of these shards say by now that nothing waits there. */
  cleared(shards: readonly number[]): void {
    for (const number of shards) {
      const shard = this.#shard(number)
      if (shard.waitingCount === 0) shard.oldestMs = undefined
    }
  }

  forgetShard(number: number): void {
    const shard = this.#shard(number)
    shard.tails.clear()
    shard.waitingCount = 0
    shard.waitingDevices = 0
    shard.oldestMs = undefined
  }

  /**
   * Nothing that is remembered may be believed any more: under its new number, this process keeps no shard. Whoever holds a
   * shard at the moment relies on what it found; the next one finds the former number in the row.
   */
  forgetAll(): void {
    this.#leaseOwner = drawLeaseOwner()
    this.#shards.forEach(({ holder }, number) => {
      if (!holder) this.forgetShard(number)
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
