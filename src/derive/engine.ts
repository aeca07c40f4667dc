import { performance } from 'node:perf_hooks'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { clientErrorOf } from '../db/faults.ts'
import { shardOf } from '../db/shards.ts'
import { type Clock, pause, SYSTEM_CLOCK } from '../lib/clock.ts'
import { Signal } from '../lib/signal.ts'
import { grouped } from '../model/grouped.ts'
import type { DeviceId } from '../model/sample.ts'
import { deriveDevice, deriveDue, deriveTogether } from './derive.ts'
import { type DueDevice, readReadyDevices, type StoredDevice } from './due.ts'
import { Failing } from './failing.ts'
import { KnownDevices } from './known-devices.ts'

/** With this many samples of a dongle, more would hardly make each cheaper: its records are read and written once. */
const ENOUGH_EACH = 256
/** With fewer, deriving waits, longer the more dongles report: the records of one take some 0.2 ms to read and write,
 * and may take a quarter of the time, or a tenth while there is no time for more. */
const WAITS_MS_PER_DEVICE = 0.8
const WAITS_MS_PER_DEVICE_BUSY = 2
const BUSY_FROM = 0.75
const WAITS_LEAST_MS = 2000
/** The same while a stream waits for each change: what a dongle sent is on it within a second. */
const WAITS_LEAST_WATCHED_MS = 300
const WAITS_MOST_MS = 10_000
/** If nothing was stored for so long, nothing more is about to come: batches are gathered in less. */
const QUIET_MS = 700
/** Beyond this, memory matters more: what waits is derived at once, and in the end before more is stored. */
const MANY_WAITING = 300_000
const MOST_WAITING = 400_000
/** Derived together, so that no sender of the same shards waits long. */
const SAMPLES_AT_ONCE = 4000
const DEVICES_AT_ONCE = 500
const RETRY_MS = 1000
/** The devices that are ready are looked for again after this time. */
const LOOK_AGAIN_MS = 500
const READY_AT_ONCE = 200
/** Devices of one account at once, so that long work for its dongles does not delay those of others. */
const AT_ONCE_OF_ACCOUNT = 2

/** A device of which this process stored samples and has not derived them yet. */
interface Pending {
  samples: number
  /** It is derived without waiting for more. */
  isUrgent: boolean
  readonly sinceMs: number
}

interface EngineOptions {
  readonly database: Database
  readonly log: Logger
  readonly clock?: Clock
  /** What those who store remember of devices. */
  readonly knownDevices?: KnownDevices
}

/** Derives what is due (README.md): from memory what this process stored, and the rest in whichever process has time
 * (`deriveReady`). The table of what is due decides; memory is only a cache. */
export class Engine {
  readonly #options: EngineOptions
  readonly #clock: Clock
  readonly #knownDevices: KnownDevices
  readonly #failing: Failing
  readonly #pending = new Map<DeviceId, Pending>()
  #samples = 0
  /** Those of them that are urgent or have enough samples. */
  readonly #hurried = new Set<DeviceId>()
  /** Those that have waited long enough and are derived next, in this order. */
  #round = new Set<DeviceId>()
  /** The callers that wait until a device is derived. */
  readonly #waiting = new Map<DeviceId, (() => void)[]>()
  /** Another transaction works on these: they are derived when that has ended, beside all others. */
  readonly #blocked = new Map<DeviceId, readonly (() => void)[]>()
  readonly #changed = new Signal()
  readonly #stop = new AbortController()
  #storedMs = Number.NEGATIVE_INFINITY
  #isRunning = false
  #isAnswering = false
  readonly #busyShare = watchBusyShare()
  readonly #ready: ReadyDevices

  constructor(options: EngineOptions) {
    this.#options = options
    this.#clock = options.clock ?? SYSTEM_CLOCK
    this.#knownDevices = options.knownDevices ?? new KnownDevices()
    this.#failing = new Failing(this.#clock)
    this.#ready = new ReadyDevices(options.database, this.#failing, this.#clock)
  }

  /** Samples stored here from which nothing is derived yet, and for how long the first of them has been waiting. */
  get waiting(): { readonly samples: number; readonly seconds: number } {
    const [first] = this.#pending.values()
    return { samples: this.#samples, seconds: first ? (this.#clock.monotonicMs() - first.sinceMs) / 1000 : 0 }
  }

  /** Nothing that waits does so for longer than it would with few dongles. */
  get isShort(): boolean {
    return this.#waitsMs <= WAITS_LEAST_MS
  }

  /** Resolves when there is room for more that is not derived. */
  async hasRoom(): Promise<void> {
    while (this.#samples > MOST_WAITING && !this.#stop.signal.aborted) await this.#changed.wait()
  }

  /** Resolves when nobody waits for what is being derived, after `mostMs` at the latest. */
  async answered(mostMs: number): Promise<void> {
    if (!this.#isAwaited) return
    const untilMs = this.#clock.monotonicMs() + mostMs
    const cancel = this.#clock.after(mostMs, () => this.#changed.emit())
    while (this.#isAwaited && this.#clock.monotonicMs() < untilMs) await this.#changed.wait()
    cancel()
  }

  /** Devices were stored and marked, and that is committed.
   * @param mayWait more is about to arrive, to be derived together */
  stored(devices: readonly StoredDevice[], mayWait: (deviceId: DeviceId) => boolean): void {
    const nowMs = this.#clock.monotonicMs()
    this.#storedMs = nowMs
    for (const { deviceId, samples, isLate } of devices) {
      // Late samples are folded again from what is stored, once they have stopped coming.
      if (isLate) {
        this.#forget(deviceId)
        continue
      }
      const pending = this.#pending.get(deviceId) ?? { samples: 0, isUrgent: false, sinceMs: nowMs }
      if (pending.samples === 0) this.#pending.set(deviceId, pending)
      this.#samples += samples.length
      pending.samples += samples.length
      pending.isUrgent ||= !mayWait(deviceId)
      if (isHurried(pending)) this.#hurried.add(deviceId)
    }
    this.#changed.emit()
    if (!this.#isRunning) void this.#run()
  }

  /** Resolves when what is due of devices is derived, or could not be for now: it is due then. */
  async derived(deviceIds: Iterable<DeviceId>): Promise<void> {
    const all = [...deviceIds].map(
      deviceId =>
        new Promise<void>(resolve => {
          const waiting = this.#waiting.get(deviceId)
          if (waiting) waiting.push(resolve)
          else this.#waiting.set(deviceId, [resolve])
        }),
    )
    this.#changed.emit()
    if (!this.#isRunning) void this.#run()
    await Promise.all(all)
  }

  /** Derives devices that are ready: late bursts that are over, cars, silence, the remains of a process that ended.
   * @returns how many */
  async deriveReady(signal: AbortSignal, observe?: (seconds: number) => void): Promise<number> {
    let done = 0
    for (let device = await this.#ready.take(); device; device = await this.#ready.take()) {
      const startedMs = performance.now()
      if (
        await this.#deriveAlone(device.deviceId, () =>
          deriveDue(this.#options.database, device, signal, this.#knownDevices),
        )
      ) {
        done++
        if (device.kind !== 'cars') observe?.((performance.now() - startedMs) / 1000)
      }
      this.#ready.done(device)
      if (signal.aborted) break
    }
    return done
  }

  /** Derives what this process has stored, and ends; without a database, it stays due. */
  async stop(): Promise<void> {
    this.#stop.abort()
    this.#changed.emit()
    while (this.#isRunning || this.#blocked.size > 0) await this.#changed.wait()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    // Whoever stored something says first who waits for it.
    await Promise.resolve()
    while (this.#hasWork) {
      const restMs = this.#stop.signal.aborted ? 0 : this.#restMs()
      if (restMs > 0) {
        const cancel = this.#clock.after(restMs, () => this.#changed.emit())
        await this.#changed.wait()
        cancel()
      } else if (!(await this.#deriveSome())) {
        if (this.#stop.signal.aborted) break
        await pause(RETRY_MS, this.#stop.signal, this.#clock)
      }
    }
    this.#isRunning = false
    this.#changed.emit()
  }

  get #waitsMs(): number {
    const perDeviceMs = this.#busyShare() < BUSY_FROM ? WAITS_MS_PER_DEVICE : WAITS_MS_PER_DEVICE_BUSY
    const leastMs = this.#options.database.changes.isHurried ? WAITS_LEAST_WATCHED_MS : WAITS_LEAST_MS
    return Math.min(WAITS_MOST_MS, Math.max(leastMs, this.#pending.size * perDeviceMs))
  }

  /** How long nothing is to be done. */
  #restMs(): number {
    if (this.#samples > MANY_WAITING || this.#mustHurry) return 0
    if ((this.#firstFree(this.#waiting.keys()) ?? this.#firstFree(this.#round)) !== undefined) return 0
    const firstId = this.#firstFree(this.#pending.keys())
    const first = firstId === undefined ? undefined : this.#pending.get(firstId)
    if (!first) return 0
    const dueMs = Math.min(first.sinceMs + this.#waitsMs, this.#storedMs + QUIET_MS)
    return Math.max(0, dueMs - this.#clock.monotonicMs())
  }

  /** @returns false when the database cannot do it now */
  async #deriveSome(): Promise<boolean> {
    const deviceIds = this.#next()
    const waiting = new Map(deviceIds.map(deviceId => [deviceId, this.#waiting.get(deviceId) ?? []]))
    this.#isAnswering = this.#waiting.size > 0
    for (const deviceId of deviceIds) this.#waiting.delete(deviceId)
    const isWaitedFor = (deviceId: DeviceId) => (waiting.get(deviceId) ?? []).length > 0
    try {
      const blocked = await this.#deriveDevices(deviceIds, isWaitedFor, false)
      const isIdle = this.#blocked.size === 0
      for (const deviceId of blocked) {
        this.#blocked.set(deviceId, waiting.get(deviceId) ?? [])
        waiting.delete(deviceId)
      }
      if (isIdle && blocked.length > 0) void this.#deriveBlocked()
      return true
    } catch (error) {
      this.#options.log.warn({ err: error }, 'what is due could not be derived; it will be tried again')
      return false
    } finally {
      // Derived or not, it is stored, which is all that they have to know.
      for (const ofDevice of waiting.values()) for (const resolve of ofDevice) resolve()
      this.#isAnswering = false
      this.#changed.emit()
    }
  }

  /** Waits for the devices that others have locked, so that no other device waits with them. */
  async #deriveBlocked(): Promise<void> {
    while (this.#blocked.size > 0) {
      const blocked = new Map(this.#blocked)
      try {
        const isWaitedFor = (deviceId: DeviceId) => (blocked.get(deviceId) ?? []).length > 0
        await this.#deriveDevices([...blocked.keys()], isWaitedFor, true)
      } catch (error) {
        this.#options.log.warn({ err: error }, 'what is due could not be derived; it will be tried again')
      }
      for (const [deviceId, waiting] of blocked) {
        this.#blocked.delete(deviceId)
        for (const resolve of waiting) resolve()
      }
      this.#changed.emit()
    }
    if (!this.#isRunning) void this.#run()
  }

  get #isAwaited(): boolean {
    return this.#isAnswering || this.#waiting.size > 0
  }

  get #hasWork(): boolean {
    return (this.#firstFree(this.#waiting.keys()) ?? this.#firstFree(this.#pending.keys())) !== undefined
  }

  #firstFree(deviceIds: Iterable<DeviceId>): DeviceId | undefined {
    for (const deviceId of deviceIds) if (!this.#blocked.has(deviceId)) return deviceId
    return undefined
  }

  /** Whom somebody waits for and who has enough come first; if nobody has, all that have waited. */
  #next(): DeviceId[] {
    const waited = this.#waited()
    if (waited.length > 0) return waited
    const isAll = this.#stop.signal.aborted || this.#samples > MANY_WAITING
    if (this.#mustHurry && !isAll) return this.#firstOf(shardByShard(this.#free(this.#hurried)))
    if (this.#firstFree(this.#round) === undefined)
      this.#round = new Set(shardByShard(this.#free(this.#pending.keys())))
    return this.#firstOf(this.#round)
  }

  /** One is urgent, or those with enough samples have as many as are derived together: each by itself would need as many
   * statements. */
  get #mustHurry(): boolean {
    let samples = 0
    for (const deviceId of this.#hurried) {
      const pending = this.#blocked.has(deviceId) ? undefined : this.#pending.get(deviceId)
      samples += pending?.samples ?? 0
      if (pending?.isUrgent || samples >= SAMPLES_AT_ONCE) return true
    }
    return false
  }

  /** As many free ones as are derived together. */
  #firstOf(deviceIds: Iterable<DeviceId>): DeviceId[] {
    const next: DeviceId[] = []
    let samples = 0
    for (const deviceId of deviceIds) {
      if (this.#blocked.has(deviceId)) continue
      samples += this.#pending.get(deviceId)?.samples ?? 0
      if (next.length > 0 && (samples > SAMPLES_AT_ONCE || next.length >= DEVICES_AT_ONCE)) break
      next.push(deviceId)
    }
    return next
  }

  #waited(): DeviceId[] {
    return this.#free(this.#waiting.keys()).slice(0, DEVICES_AT_ONCE)
  }

  #free(deviceIds: Iterable<DeviceId>): DeviceId[] {
    return [...deviceIds].filter(deviceId => !this.#blocked.has(deviceId))
  }

  /** @returns the devices that others have locked. @throws ClientError when the database cannot do it now */
  async #deriveDevices(
    deviceIds: readonly DeviceId[],
    isWaitedFor: (deviceId: DeviceId) => boolean,
    isWaiting: boolean,
  ): Promise<readonly DeviceId[]> {
    const { database, log } = this.#options
    const before = new Map(deviceIds.map(deviceId => [deviceId, this.#pending.get(deviceId)?.samples ?? 0]))
    let derived: Awaited<ReturnType<typeof deriveTogether>>
    try {
      derived = await deriveTogether(database, deviceIds, this.#knownDevices, isWaiting)
    } catch (error) {
      const clientError = clientErrorOf(error)
      if (clientError) throw clientError
      const [deviceId] = deviceIds
      if (deviceIds.length === 1 && deviceId !== undefined) {
        this.#failed(deviceId, error)
        return []
      }
      log.error({ err: error }, 'what is due could not be derived at once; each device is tried by itself')
      const blocked: DeviceId[] = []
      for (const each of deviceIds) blocked.push(...(await this.#deriveDevices([each], isWaitedFor, isWaiting)))
      return blocked
    }
    const { late, withCars, blocked } = derived
    for (const deviceId of [...late, ...withCars])
      if (isWaitedFor(deviceId))
        await this.#deriveAlone(deviceId, () => deriveDevice(database, deviceId, this.#stop.signal, this.#knownDevices))
    for (const deviceId of deviceIds) {
      if (blocked.includes(deviceId)) continue
      this.#failing.succeeded(deviceId)
      // Late samples are folded again once they have stopped coming.
      if (late.has(deviceId)) this.#forget(deviceId)
      else this.#derived(deviceId, before.get(deviceId) ?? 0)
    }
    return blocked
  }

  /** Derives one device. One that fails rests, and keeps no other one waiting. */
  async #deriveAlone(deviceId: DeviceId, derive: () => Promise<boolean>): Promise<boolean> {
    try {
      const isDone = await derive()
      this.#failing.succeeded(deviceId)
      return isDone
    } catch (error) {
      this.#failed(deviceId, error)
      return false
    }
  }

  #failed(deviceId: DeviceId, error: unknown): void {
    this.#failing.failed(deviceId, clientErrorOf(error) !== undefined)
    this.#options.log.error({ err: error, deviceId }, 'a device could not be derived; it will be tried again')
    this.#forget(deviceId)
    this.#knownDevices.forget(deviceId)
  }

  /** More may have been stored meanwhile, before the device was locked or after. */
  #derived(deviceId: DeviceId, samplesBefore: number): void {
    const pending = this.#pending.get(deviceId)
    if (!pending) return
    if (!(this.#knownDevices.isDue(deviceId) ?? pending.samples > samplesBefore)) return this.#forget(deviceId)
    const left = { ...pending, samples: pending.samples - samplesBefore, sinceMs: this.#clock.monotonicMs() }
    this.#forget(deviceId)
    this.#samples += left.samples
    this.#pending.set(deviceId, left)
    if (isHurried(left)) this.#hurried.add(deviceId)
  }

  #forget(deviceId: DeviceId): void {
    this.#samples -= this.#pending.get(deviceId)?.samples ?? 0
    this.#pending.delete(deviceId)
    this.#hurried.delete(deviceId)
    this.#round.delete(deviceId)
  }
}

/** So that what is derived together locks few shards: what arrives for others is stored meanwhile. */
function shardByShard(deviceIds: readonly DeviceId[]): DeviceId[] {
  return [...grouped(deviceIds, shardOf).values()].flat()
}

function isHurried({ isUrgent: isNow, samples }: Pending): boolean {
  return isNow || samples >= ENOUGH_EACH
}

/** The devices that are ready, for several workers: each device is given to one of them. */
class ReadyDevices {
  readonly #database: Database
  readonly #failing: Failing
  readonly #clock: Clock
  #left: DueDevice[] = []
  #readMs = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined
  readonly #atWork = new Map<DeviceId, DueDevice>()

  constructor(database: Database, failing: Failing, clock: Clock) {
    this.#database = database
    this.#failing = failing
    this.#clock = clock
  }

  /** @returns undefined when there is none, or only of accounts that have enough at work */
  async take(): Promise<DueDevice | undefined> {
    const isFresh = this.#clock.monotonicMs() < this.#readMs + LOOK_AGAIN_MS
    const next = isFresh ? this.#next() : undefined
    if (next) return next
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined))
    await this.#reading
    return this.#next()
  }

  done({ deviceId }: DueDevice): void {
    this.#atWork.delete(deviceId)
  }

  #next(): DueDevice | undefined {
    const index = this.#left.findIndex(
      ({ deviceId, accountId }) => !this.#atWork.has(deviceId) && this.#countOf(accountId) < AT_ONCE_OF_ACCOUNT,
    )
    const [device] = index < 0 ? [] : this.#left.splice(index, 1)
    if (device) this.#atWork.set(device.deviceId, device)
    return device
  }

  #countOf(accountId: number | null): number {
    let count = 0
    for (const device of this.#atWork.values()) if (device.accountId === accountId) count++
    return count
  }

  async #read(): Promise<void> {
    const except = [...this.#failing.resting(), ...this.#atWork.keys()]
    this.#left = await readReadyDevices(this.#database, { except, most: READY_AT_ONCE })
    this.#readMs = this.#clock.monotonicMs()
  }
}

const WINDOW_MS = 1000

/** Measures how busy this process is. @returns a function for the share, from 0 to 1, of the last second or so */
export function watchBusyShare(): () => number {
  let begin = performance.eventLoopUtilization()
  let begunMs = performance.now()
  let share = 0
  return () => {
    if (performance.now() - begunMs < WINDOW_MS) return share
    const now = performance.eventLoopUtilization()
    share = performance.eventLoopUtilization(now, begin).utilization
    begin = now
    begunMs = performance.now()
    return share
  }
}
