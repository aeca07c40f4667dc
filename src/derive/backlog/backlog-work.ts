import { type Clock, pause, SYSTEM_CLOCK } from '../../lib/clock.ts'
import type { BacklogShard } from './backlog.ts'
import { watchBusyShare } from './busy-share.ts'
import { deriveShards, type LeaseOwner } from './derive-shards.ts'

/** With this many samples of a dongle, more would hardly make each cheaper: its records are read and written once. */
const ENOUGH_EACH = 256
/**
 * With fewer, derivation waits while a burst lasts, and longer with more dongles: reading and writing the records of
 * one takes some 0.2 ms, and may take a quarter of the time, or a tenth while there is no time for more.
 */
const WAITS_MS_PER_DEVICE = 0.8
const WAITS_MS_PER_DEVICE_BUSY = 2
const BUSY_FROM = 0.75
const WAITS_LEAST_MS = 2000
/** The same while a stream waits for each change: what a dongle sent is on it within a second. */
const WAITS_LEAST_WATCHED_MS = 300
const WAITS_MOST_MS = 20_000
/** Beyond this, memory matters more: those waiting longest are derived, in the end before anything else. */
const MANY_WAITING = 300_000
const MOST_WAITING = 400_000
/** Derived together between two batches, so that no sender waits long. */
const SAMPLES_AT_ONCE = 8000
/** The same while several accounts send. */
const SAMPLES_AT_ONCE_SHARED = 1000
/** The same, by what it costs to read and write the records of a dongle. */
const DEVICES_AT_ONCE = 500
const RETRY_MS = 1000

/** Decides when the backlog is derived. */
export class BacklogWork {
  readonly #owner: LeaseOwner
  readonly #clock: Clock
  #quiet: Promise<void> | undefined
  readonly #finishing = new AbortController()
  readonly #busyShare = watchBusyShare()

  constructor(owner: LeaseOwner, clock: Clock = SYSTEM_CLOCK) {
    this.#owner = owner
    this.#clock = clock
  }

  /** The backlog may not grow until some of it is derived. */
  get isFull(): boolean {
    return this.#owner.backlog.count > MOST_WAITING
  }

  /**
   * Derives what has waited long enough, or some of it when there is too much.
   * @param isShared other accounts wait in the meantime
   */
  async betweenBatches(isShared: boolean): Promise<void> {
    const { shards, count } = this.#owner.backlog
    const devices = devicesOf(shards)
    const waitsMs = this.#waitsMs(devices)
    const due = shards.filter(
      shard => count > MANY_WAITING || shard.samples >= shard.devices * ENOUGH_EACH || shard.waitedMs > waitsMs,
    )
    if (due.length === 0) return
    // Few are derived with the first of them that is due: a transaction costs as much as some ten dongles in it.
    const together = devices <= DEVICES_AT_ONCE ? shards : due
    await this.#derive(atOnce(together, isShared ? SAMPLES_AT_ONCE_SHARED : SAMPLES_AT_ONCE))
  }

  /** Nothing that waits does so for longer than it would with few dongles. */
  get isShort(): boolean {
    return this.#waitsMs(devicesOf(this.#owner.backlog.shards)) <= WAITS_LEAST_MS
  }

  #waitsMs(devices: number): number {
    const perDeviceMs = this.#busyShare() < BUSY_FROM ? WAITS_MS_PER_DEVICE : WAITS_MS_PER_DEVICE_BUSY
    return Math.min(WAITS_MOST_MS, Math.max(this.#waitsLeastMs, devices * perDeviceMs))
  }

  get #waitsLeastMs(): number {
    return this.#owner.database.changes.isHurried ? WAITS_LEAST_WATCHED_MS : WAITS_LEAST_MS
  }

  /** Derives the whole backlog when the first of it has waited, if no samples arrive then. @param isQuiet whether none do */
  whenQuiet(isQuiet: () => boolean): void {
    if (this.#finishing.signal.aborted || this.#owner.backlog.shards.length === 0) return
    this.#quiet ??= this.#deriveWhileQuiet(isQuiet).finally(() => {
      this.#quiet = undefined
      // More may have arrived just before.
      if (isQuiet()) this.whenQuiet(isQuiet)
    })
  }

  /** Derives the whole backlog; without a database, it is left as orphaned. */
  async finish(): Promise<void> {
    this.#finishing.abort()
    await this.#quiet
    const { backlog } = this.#owner
    for (let { shards } = backlog; shards.length > 0; { shards } = backlog)
      if (!(await this.#derive(atOnce(shards)))) return
  }

  async #deriveWhileQuiet(isQuiet: () => boolean): Promise<void> {
    const { backlog } = this.#owner
    const [longest] = backlog.shards
    if (longest) await pause(this.#waitsLeastMs - longest.waitedMs, this.#finishing.signal, this.#clock)
    while (isQuiet() && !this.#finishing.signal.aborted && backlog.shards.length > 0) {
      const isDone = await this.#derive(atOnce(backlog.shards))
      if (!isDone) await pause(RETRY_MS, this.#finishing.signal, this.#clock)
    }
  }

  /** @returns false when the database can not do it now; then it is retried. */
  async #derive(shards: readonly number[]): Promise<boolean> {
    try {
      await deriveShards(this.#owner, shards)
      return true
    } catch (error) {
      this.#owner.log.warn({ err: error }, 'what waits could not be derived; it will be tried again')
      return false
    }
  }
}

/** As many of these shards as may be derived together; ascending. */
function atOnce(shards: readonly BacklogShard[], most = SAMPLES_AT_ONCE): number[] {
  let samples = 0
  let devices = 0
  const end = shards.findIndex(shard => {
    samples += shard.samples
    devices += shard.devices
    return samples > most || devices > DEVICES_AT_ONCE
  })
  return shards
    .slice(0, end === -1 ? shards.length : Math.max(1, end))
    .map(({ shard }) => shard)
    .sort((a, b) => a - b)
}

function devicesOf(shards: readonly BacklogShard[]): number {
  return shards.reduce((sum, shard) => sum + shard.devices, 0)
}
