import type { Logger } from 'pino'
import type { AccountReads } from '../../db/account-reads.ts'
import { readLowWatermark } from '../../db/low-watermark.ts'
import { pause } from '../../lib/clock.ts'
import { Signal } from '../../lib/signal.ts'
import type { EventStream } from './event-stream.ts'
import { Feed } from './feed.ts'
import { type Selection, selectionKey } from './selection.ts'
import { sourcesOf } from './sources.ts'

/** From the start of one round to the start of the next. */
const ROUND_MS = 100
/** If no notification arrives, because it was lost, a round begins after this time. */
const POLL_MS = 2_000

export interface AccountRoundsOptions {
  /** Reads for the feeds of the account, until the signal aborts. */
  readonly readsUntil: (signal: AbortSignal) => AccountReads
  readonly log: Logger
  /** Aborts when the process stops. */
  readonly closing: AbortSignal
}

/**
 * The feeds of one account. They advance in rounds, which begin when some node has committed something. Each account has
 * its own rounds, so that many feeds, or a large fleet, slow down only their own account.
 */
export class AccountRounds {
  readonly #options: AccountRoundsOptions
  readonly #feeds = new Map<string, Feed>()
  #running: Promise<void> | undefined
  /** A notification arrived, with this low watermark, or without a known one. */
  #due: { lowWatermark: string | undefined } | undefined
  readonly #changed = new Signal()

  constructor(options: AccountRoundsOptions) {
    this.#options = options
  }

  /** Resolves when the stream leaves: because it has ended, or because it fell behind. */
  carry(stream: EventStream, selection: Selection): Promise<void> {
    const key = selectionKey(selection)
    const feed = this.#feeds.get(key) ?? this.#newFeed(key, selection)
    const left = feed.carry(stream)
    this.heard(undefined)
    this.#running ??= this.#goRound()
    return left
  }

  /** Something was committed. */
  heard(lowWatermark: string | undefined): void {
    // Of several low watermarks the newest one counts; an unknown one is newer than all of them.
    const known = this.#due
    const isNewer =
      !known || lowWatermark === undefined || (known.lowWatermark !== undefined && known.lowWatermark < lowWatermark)
    if (isNewer) this.#due = { lowWatermark }
    this.#changed.emit()
  }

  /** Resolves when no round is running any more, after the signal that the process stops. */
  async close(): Promise<void> {
    this.#changed.emit()
    await this.#running
  }

  #newFeed(key: string, selection: Selection): Feed {
    const feed = new Feed(over => sourcesOf(this.#options.readsUntil(over), selection))
    this.#feeds.set(key, feed)
    feed.over.addEventListener('abort', () => {
      if (this.#feeds.get(key) === feed) this.#feeds.delete(key)
      if (this.#feeds.size === 0) this.#changed.emit()
    })
    return feed
  }

  async #goRound(): Promise<void> {
    const { closing } = this.#options
    while (this.#feeds.size > 0 && !closing.aborted) {
      const startedMs = performance.now()
      const due = this.#due
      this.#due = undefined
      await this.#round(due?.lowWatermark)
      const tookMs = performance.now() - startedMs
      // At most half of the time is spent reading, so that a large fleet leaves time for others.
      await pause(Math.max(ROUND_MS - tookMs, Math.min(tookMs, POLL_MS)), closing)
      await this.#untilDue()
    }
    this.#running = undefined
  }

  async #round(known: string | undefined): Promise<void> {
    const { readsUntil, closing, log } = this.#options
    try {
      const lowWatermark = known ?? (await readLowWatermark(readsUntil(closing)))
      const rounds = await Promise.allSettled([...this.#feeds.values()].map(feed => feed.advance(lowWatermark)))
      for (const round of rounds) if (round.status === 'rejected') throw round.reason
    } catch (error) {
      if (!closing.aborted) log.warn({ err: error }, 'streams can not be read for now')
    }
  }

  async #untilDue(): Promise<void> {
    if (this.#due || this.#feeds.size === 0 || this.#options.closing.aborted) return
    await this.#changed.wait(POLL_MS)
  }
}
