import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ChangeListener } from '../../store/changes/listener.ts'
import type { Database } from '../../store/database.ts'
import { readSafePoint } from '../../store/safe-point.ts'
import { type InTurn, takingTurns } from '../../turns.ts'
import { ChangeReader } from './change-reader.ts'
import type { EventStream } from './event-stream.ts'
import { Feed } from './feed.ts'
import { type Selection, selectionKey } from './selection.ts'
import type { Source } from './source.ts'
import { sourcesOf } from './sources.ts'

/** From the beginning of one round to that of the next. */
const ROUND_MS = 100
/** Without a notification, because it was lost or can not get through, a round begins after this. */
const POLL_MS = 2_000
/** Pages that are read at once for all streams together; the other connections for reading are for requests. */
const READS_AT_ONCE = 3
/** Whoever read up to date in less than this is no burden to those who are. */
const UP_TO_DATE_MS = 1_000
const RETRY_MS = 1_000

/**
 * Brings changes to streams. A stream that resumes reads on its own, at the pace of its client, until it is up to date;
 * then it joins the feed of its selection. All feeds go on in rounds, which begin when some node has committed something.
 */
export class StreamHub {
  readonly #database: Database
  readonly #log: Logger
  readonly #feeds = new Map<string, Feed>()
  readonly #inTurn: InTurn = takingTurns(READS_AT_ONCE)
  #listener: ChangeListener | undefined
  #rounds: Promise<void> | undefined
  /** A notification came, with this safe point; or nobody knows one. */
  #due: { safePoint: string | undefined } | undefined
  #wake: () => void = () => undefined
  readonly #closing = new AbortController()

  constructor(database: Database, log: Logger) {
    this.#database = database
    this.#log = log
  }

  /** Sends a stream what follows its position, until it ends. */
  async follow(stream: EventStream, selection: Selection, isUpToDate: boolean): Promise<void> {
    for (let isBehind = !isUpToDate; !stream.isEnded; isBehind = true) {
      if (isBehind) await this.#catchUp(stream, selection)
      if (!stream.isEnded) await this.#join(stream, selection)
    }
  }

  /** Ends what goes on beside the streams, once these have ended. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#wake()
    await this.#rounds
    await this.#listener?.close()
  }

  async #catchUp(stream: EventStream, selection: Selection): Promise<void> {
    while (!stream.isEnded) {
      await stream.drained()
      const startedMs = performance.now()
      try {
        const reader = new ChangeReader(this.#sources(selection), stream.position)
        for await (const frame of reader.advance(await readSafePoint(this.#database))) {
          stream.send(frame)
          await stream.drained()
          if (stream.isEnded) return
        }
        stream.reached(reader.stamp)
      } catch (error) {
        this.#log.warn({ err: error }, 'a stream can not be read for now')
        await Promise.race([this.#pause(RETRY_MS), stream.ended()])
        continue
      }
      if (performance.now() - startedMs < UP_TO_DATE_MS) return
    }
  }

  async #join(stream: EventStream, selection: Selection): Promise<void> {
    const key = selectionKey(selection)
    const feed = this.#feeds.get(key) ?? new Feed(this.#sources(selection))
    this.#feeds.set(key, feed)
    const left = feed.carry(stream)
    this.#listener ??= this.#database.listen(safePoint => this.#heard(safePoint))
    this.#heard(undefined)
    this.#rounds ??= this.#goRound()
    await left
  }

  #sources(selection: Selection): Source[] {
    const reads = this.#database.readsOf(selection.accountId, { use: 'streams' })
    return sourcesOf(reads, selection).map(({ name, read }) => ({
      name,
      read: (place, safePoint) => this.#inTurn(() => read(place, safePoint)),
    }))
  }

  #heard(safePoint: string | undefined): void {
    // Of several safe points the newest one says the most; an unknown one is newer than all of them.
    const known = this.#due
    const isNewer = !known || safePoint === undefined || (known.safePoint !== undefined && known.safePoint < safePoint)
    if (isNewer) this.#due = { safePoint }
    this.#wake()
  }

  async #goRound(): Promise<void> {
    while (this.#feeds.size > 0 && !this.#closing.signal.aborted) {
      const startedMs = performance.now()
      const due = this.#due
      this.#due = undefined
      await this.#round(due?.safePoint)
      const tookMs = performance.now() - startedMs
      // No more than half of the time is spent on reading, so that a large fleet leaves time for others.
      await this.#pause(Math.max(ROUND_MS - tookMs, Math.min(tookMs, POLL_MS)))
      await this.#untilDue()
    }
    this.#rounds = undefined
  }

  async #round(known: string | undefined): Promise<void> {
    try {
      for (const [key, feed] of this.#feeds) if (feed.isDeserted) this.#feeds.delete(key)
      if (this.#feeds.size === 0) return
      const safePoint = known ?? (await readSafePoint(this.#database))
      const rounds = await Promise.allSettled([...this.#feeds.values()].map(feed => feed.advance(safePoint)))
      for (const round of rounds) if (round.status === 'rejected') throw round.reason
    } catch (error) {
      this.#log.warn({ err: error }, 'streams can not be read for now')
    }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#closing.signal }).catch(() => undefined)
  }

  async #untilDue(): Promise<void> {
    if (this.#due || this.#closing.signal.aborted) return
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, POLL_MS)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = () => undefined
  }
}
