import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'
import { Signal } from '../lib/signal.ts'
import type { Submission } from './submission.ts'

/** Long enough to gather what many connections send at once, short compared with a commit. */
const HURRIED_MS = 2
/** A mobile network delays acknowledgements by more than that anyway. When few dongles report, it gathers until about
 * ten have, but not for longer than `mostMs`. */
const PATIENCE = { leastMs: 200, mostMs: 400 }
/** The same while a stream waits for each change: what a dongle sent is on it within a second. */
const PATIENCE_WATCHED = { leastMs: 100, mostMs: 200 }
const WORTH_A_BATCH = 10
const BACKLOG_FROM = 10
/** With so many samples a batch costs each of them hardly more than a larger one would. */
const ENOUGH_SAMPLES = 500
/** When fewer dongles report in a second, mostly nothing would join the first one. */
const PATIENT_FROM_A_SECOND = 5

/** A dongle that sends so many samples at once has a backlog, and sends the next ones when these are acknowledged. */
export function isBacklog({ samples }: Submission): boolean {
  return samples.length >= BACKLOG_FROM
}

/** Decides how long to gather before a batch is stored. A transaction costs as much as some ten samples in it, so
 * gathering for some tenths of a second saves most of the work (docs/adr/0030). */
export class Gathering {
  readonly #isWatched: () => boolean
  readonly #clock: Clock
  readonly #changed = new Signal()
  #dueMs = Number.POSITIVE_INFINITY
  #samples = 0
  #isEnding = false
  /** Dongles that reported in the second that began then, and in the one before. */
  #second = { beganMs: Number.NEGATIVE_INFINITY, count: 0, countBefore: 0 }

  /** @param isWatched whether a stream waits for each change */
  constructor(isWatched: () => boolean, clock: Clock = SYSTEM_CLOCK) {
    this.#isWatched = isWatched
    this.#clock = clock
  }

  /** Several dongles report a second, one after the other. */
  get isBusy(): boolean {
    return this.#countASecond >= PATIENT_FROM_A_SECOND
  }

  /** A submission waits to be stored. */
  arrived(submission: Submission): void {
    const { accountId, samples, cannotWait = false } = submission
    const nowMs = this.#clock.monotonicMs()
    const isPatient = accountId === undefined && !cannotWait && !isBacklog(submission)
    if (isPatient) this.#count(nowMs)
    this.#samples += samples.length
    const dueMs = this.#samples >= ENOUGH_SAMPLES ? nowMs : nowMs + (isPatient ? this.#patienceMs : HURRIED_MS)
    if (dueMs >= this.#dueMs) return
    this.#dueMs = dueMs
    this.#changed.emit()
  }

  /** The waiting submissions were taken; if something is left of it, it is due now. */
  taken(isSomethingLeft: boolean): void {
    this.#samples = 0
    this.#dueMs = isSomethingLeft ? this.#clock.monotonicMs() : Number.POSITIVE_INFINITY
  }

  /** Resolves when what waits must be stored. */
  async untilDue(): Promise<void> {
    for (;;) {
      const leftMs = this.#isEnding ? 0 : this.#dueMs - this.#clock.monotonicMs()
      if (leftMs <= 0) return
      const cancel = this.#clock.after(leftMs, () => this.#changed.emit())
      await this.#changed.wait()
      cancel()
    }
  }

  /** Something waits that must not be delayed any more. */
  hurry(): void {
    this.#dueMs = this.#clock.monotonicMs()
    this.#changed.emit()
  }

  /** From now on everything is due at once. */
  end(): void {
    this.#isEnding = true
    this.#changed.emit()
  }

  get #patienceMs(): number {
    if (!this.isBusy) return HURRIED_MS
    const { leastMs, mostMs } = this.#isWatched() ? PATIENCE_WATCHED : PATIENCE
    return Math.min(mostMs, Math.max(leastMs, (WORTH_A_BATCH * 1000) / this.#countASecond))
  }

  get #countASecond(): number {
    const { count, countBefore } = this.#second
    return Math.max(count, countBefore)
  }

  #count(nowMs: number): void {
    const { beganMs, count } = this.#second
    if (nowMs >= beganMs + 2000) this.#second = { beganMs: nowMs, count: 0, countBefore: 0 }
    else if (nowMs >= beganMs + 1000) this.#second = { beganMs: beganMs + 1000, count: 0, countBefore: count }
    this.#second.count++
  }
}

/** Batches of samples: the largest, and one below which a batch costs mostly its fixed overhead. */
const MOST_SAMPLES = 20_000
const LEAST_SAMPLES = 500
/** While one account sends alone, it waits only for its own batches. */
const ALONE_MS = 1000
/** While several send, each waits for the current batch of the others. */
const SHARED_MS = 75
/** An account that sent within this time may send again at any time. */
const SHARED_FOR_MS = 60_000

/** Decides how many samples are stored at once: about a second's work while one account sends, few while several do. */
export class BatchSize {
  #alone = MOST_SAMPLES
  #shared = 2000
  #account: number | undefined
  #sharedUntilMs = Number.NEGATIVE_INFINITY

  arrived(account: number, nowMs: number): void {
    if (account === this.#account) return
    if (this.#account !== undefined) this.#sharedUntilMs = nowMs + SHARED_FOR_MS
    this.#account = account
  }

  isShared(nowMs: number): boolean {
    return nowMs < this.#sharedUntilMs
  }

  most(nowMs: number): number {
    return this.isShared(nowMs) ? this.#shared : this.#alone
  }

  took(samples: number, durationMs: number, nowMs: number): void {
    if (this.isShared(nowMs)) this.#shared = adapted(this.#shared, samples, durationMs, SHARED_MS)
    else this.#alone = adapted(this.#alone, samples, durationMs, ALONE_MS)
  }
}

/** The time of a batch that was not full only matters when it took long. */
function adapted(most: number, samples: number, durationMs: number, aimMs: number): number {
  const isFull = samples >= most / 2
  if (!isFull && durationMs <= aimMs) return most
  const factor = Math.min(1.5, Math.max(0.5, aimMs / durationMs))
  return Math.round(
    Math.min(MOST_SAMPLES, Math.max(LEAST_SAMPLES, Math.min(most, Math.max(samples, most / 2)) * factor)),
  )
}
