import type { Logger } from 'pino'
import { Counter, type Registry } from 'prom-client'
import type { Database } from '../../db/database.ts'
import { MOST_BYTES, type RejectedFrame, writeRejectedFrames } from '../../db/rejected-frames.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { type Clock, pause, SYSTEM_CLOCK } from '../../lib/clock.ts'

/** Garbage must neither fill the disk nor load the database: at most this many are written at once, … */
const MOST_WAITING = 20
/** … at this interval, … */
const WRITE_EVERY_MS = 1000
/** … and this many of one sender … */
const MOST_OF_SENDER = 10
/** … in this time. The rest is only counted. */
const SENDER_WINDOW_MS = 60_000
/** At most this many senders are tracked; frames of others in the same time are only counted. */
const MOST_SENDERS = 10_000
const PAUSE_AFTER_FAILURE_MS = 5000

interface RejectedFramesOptions {
  readonly database: Database
  readonly registry: Registry
  readonly log: Logger
  readonly clock?: Clock
}

type ReceivedRejectedFrame = Omit<RejectedFrame, 'byteCount'> & {
  /** The connection that it came with, as the log numbers it. */
  readonly connection?: number | undefined
}

/** Keeps rejected frames for inspection (`tacho frames`), within limits. */
export class RejectedFrames {
  readonly #options: RejectedFramesOptions
  readonly #clock: Clock
  readonly #counter: Counter<'gateway' | 'kept'>
  readonly #refused: Counter<'gateway' | 'reason'>
  readonly #stop = new AbortController()
  #waiting: RejectedFrame[] = []
  #writing: Promise<void> | undefined
  #keptOfSender = new Map<string, number>()
  #windowStartMs = Number.NEGATIVE_INFINITY

  constructor(options: RejectedFramesOptions) {
    this.#options = options
    this.#clock = options.clock ?? SYSTEM_CLOCK
    this.#counter = new Counter({
      name: 'tacho_rejected_frames_total',
      help: 'Frames that gateways received and could not believe, by whether they are kept for inspection.',
      labelNames: ['gateway', 'kept'] as const,
      registers: [options.registry],
    })
    this.#refused = new Counter({
      name: 'tacho_senders_refused_total',
      help: 'Frames, logins and messages that were refused, by the reason.',
      labelNames: ['gateway', 'reason'] as const,
      registers: [options.registry],
    })
  }

  /** Keeps a frame, or only counts it when there are too many. Never throws and never waits. */
  keep({ connection, ...frame }: ReceivedRejectedFrame): void {
    const { gateway, deviceId, sender, why, reason = 'unreadable' } = frame
    this.#refused.inc({ gateway, reason })
    const kept = this.#hasRoomFor(frame)
    this.#counter.inc({ gateway, kept: kept ? 'yes' : 'no' })
    if (!kept) return
    this.#options.log.info({ gateway, deviceId, sender, connection, reason, why }, 'refused; `tacho frames` shows it')
    // A copy, because the frame may be part of a buffer that is large or will be overwritten.
    const bytes = Buffer.allocUnsafeSlow(Math.min(frame.bytes.length, MOST_BYTES))
    frame.bytes.copy(bytes)
    this.#waiting.push({ ...frame, bytes, byteCount: frame.bytes.length })
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
  }

  /** Writes what is waiting, if the database can be reached. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#writing
  }

  #hasRoomFor({ gateway, sender, deviceId }: Pick<RejectedFrame, 'gateway' | 'sender' | 'deviceId'>): boolean {
    if (this.#stop.signal.aborted || this.#waiting.length >= MOST_WAITING) return false
    const nowMs = this.#clock.monotonicMs()
    if (nowMs > this.#windowStartMs + SENDER_WINDOW_MS) {
      this.#windowStartMs = nowMs
      this.#keptOfSender = new Map()
    }
    const key = `${gateway} ${deviceId} ${sender}`
    const kept = this.#keptOfSender.get(key) ?? 0
    if (kept >= MOST_OF_SENDER || (kept === 0 && this.#keptOfSender.size >= MOST_SENDERS)) return false
    this.#keptOfSender.set(key, kept + 1)
    return true
  }

  async #write(): Promise<void> {
    const { database, log } = this.#options
    let pauseMs = WRITE_EVERY_MS
    while (this.#waiting.length > 0) {
      await pause(pauseMs, this.#stop.signal, this.#clock)
      const frames = this.#waiting.slice()
      try {
        await writeTransaction(database, transaction => writeRejectedFrames(transaction, frames))
        this.#waiting = this.#waiting.slice(frames.length)
        pauseMs = WRITE_EVERY_MS
      } catch (error) {
        log.warn({ err: error }, 'rejected frames could not be written')
        if (this.#stop.signal.aborted) return
        pauseMs = PAUSE_AFTER_FAILURE_MS
      }
    }
  }
}
