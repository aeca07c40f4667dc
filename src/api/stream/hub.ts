import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { ChangeReader } from '../../changes/change-reader.ts'
import { Rounds } from '../../changes/rounds.ts'
import { type ChangeKind, type ChangeScope, type ChangeSource, sourcesOf } from '../../changes/source.ts'
import type { AccountReads } from '../../db/account-reads.ts'
import type { ChangeListener } from '../../db/change-notifications.ts'
import type { Database } from '../../db/database.ts'
import { readLowWatermark } from '../../db/low-watermark.ts'
import { pause } from '../../lib/clock.ts'
import { type InTurn, takingTurns } from '../../lib/semaphore.ts'
import { bytesOf, type EventStream, eventsOf } from './event-stream.ts'

/** The kinds that a stream carries, and their form. Streams with the same selection get the same bytes. */
export interface Selection extends ChangeScope {
  readonly kinds: readonly ChangeKind[]
}

function selectionKey({ kinds, hiddenTypes, ...scope }: Selection): string {
  return JSON.stringify([kinds.map(({ name }) => name), [...hiddenTypes], scope])
}

interface StreamHubOptions {
  readonly database: Database
  readonly log: Logger
  /** So much data waits for clients of the account that no history may be read for them now. */
  readonly isFull: (accountId: number) => boolean
}

/** Distributes changes to streams. Accounts are independent of each other, and none waits for another one. */
export class StreamHub {
  readonly #options: StreamHubOptions
  readonly #accounts = new Map<number, AccountStreams>()
  readonly #closing = new AbortController()
  #listener: ChangeListener | undefined

  constructor(options: StreamHubOptions) {
    this.#options = options
    setMaxListeners(0, this.#closing.signal)
  }

  /** Sends a stream what follows its position, until it ends. */
  async follow(stream: EventStream, selection: Selection, isUpToDate: boolean): Promise<void> {
    this.#listener ??= this.#options.database.listen(lowWatermark => {
      for (const streams of this.#accounts.values()) streams.heard(lowWatermark)
    })
    const { accountId } = selection
    const streams = this.#accounts.get(accountId) ?? this.#streamsOf(accountId)
    this.#accounts.set(accountId, streams)
    await streams.follow(stream, selection, isUpToDate)
    if (streams.count === 0) this.#accounts.delete(accountId)
    if (this.#accounts.size === 0) await this.#stopListening()
  }

  /** Ends the background work, once the streams have ended. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the process stops'))
    await Promise.all([...this.#accounts.values()].map(streams => streams.close()))
    await this.#stopListening()
  }

  /** Nodes notify of each change only while somebody listens for it. */
  async #stopListening(): Promise<void> {
    const listener = this.#listener
    this.#listener = undefined
    await listener?.close()
  }

  #streamsOf(accountId: number): AccountStreams {
    const { database, log, isFull } = this.#options
    return new AccountStreams({
      readsUntil: signal => database.readsOf(accountId, { use: 'streams', signal }),
      log,
      closing: this.#closing.signal,
      isFull: () => isFull(accountId),
    })
  }
}

/** Pages that are read at once for streams that resume; the other turns of the account are for its rounds. */
const RESUMING_READS_AT_ONCE = 1
/** A stream that caught up with this many pages of each kind does not slow down those that are up to date. */
const UP_TO_DATE_PAGES = 2
/** Each walk is shorter than the one before, because less has changed in the meantime; more walks would gain nothing. */
const MOST_WALKS = 3
const RETRY_MS = 1_000
const ROOM_POLL_MS = 100

interface AccountStreamsOptions {
  /** Reads for the account, until the signal aborts. */
  readonly readsUntil: (signal: AbortSignal) => AccountReads
  readonly log: Logger
  readonly closing: AbortSignal
  readonly isFull: () => boolean
}

/** A stream resumes at the pace of its client, then joins the feed of its selection. The feeds advance in rounds of
 * their own account, so that a large fleet slows down only that account. */
class AccountStreams {
  readonly #options: AccountStreamsOptions
  readonly #feeds = new Map<string, Feed>()
  readonly #rounds: Rounds
  readonly #resuming: InTurn = takingTurns(RESUMING_READS_AT_ONCE)
  #count = 0

  constructor(options: AccountStreamsOptions) {
    this.#options = options
    const { readsUntil, closing, log } = options
    this.#rounds = new Rounds({
      isWanted: () => this.#feeds.size > 0,
      readLowWatermark: () => readLowWatermark(readsUntil(closing)),
      read: lowWatermark => this.#advance(lowWatermark),
      failed: error => log.warn({ err: error }, 'streams cannot be read for now'),
      closing,
    })
  }

  get count(): number {
    return this.#count
  }

  async follow(stream: EventStream, selection: Selection, isUpToDate: boolean): Promise<void> {
    this.#count++
    for (let isBehind = !isUpToDate; !stream.isEnded; isBehind = true) {
      if (isBehind) await this.#catchUp(stream, selection)
      if (!stream.isEnded) await this.#join(stream, selection)
    }
    this.#count--
  }

  heard(lowWatermark: string | undefined): void {
    this.#rounds.heard(lowWatermark)
  }

  /** Resolves when nothing is being read any more, after the signal that the process stops. */
  close(): Promise<void> {
    return this.#rounds.close()
  }

  async #catchUp(stream: EventStream, selection: Selection): Promise<void> {
    const { readsUntil, log, isFull } = this.#options
    const reads = readsUntil(stream.gone)
    for (let walks = 1; !stream.isEnded; ) {
      try {
        let pages = 0
        const sources = sourcesOf(selection.kinds, reads, selection).map(
          ({ name, read }): ChangeSource => ({
            name,
            read: async (...request) => {
              pages++
              // A page waits in the stream, where it is counted, and the next one is read only after it was sent.
              await stream.drained()
              while (isFull() && !stream.isEnded) await sleep(ROOM_POLL_MS)
              return this.#resuming(() => read(...request))
            },
          }),
        )
        const reader = new ChangeReader(sources, stream.position)
        for await (const batch of reader.advance(await readLowWatermark(reads))) {
          for (const event of eventsOf(batch)) stream.send(event)
          if (stream.isEnded) return
        }
        stream.reached(reader.revision)
        if (pages <= UP_TO_DATE_PAGES * sources.length || walks++ >= MOST_WALKS) return
      } catch (error) {
        if (stream.isEnded) return
        log.warn({ err: error }, 'a stream cannot be read for now')
        await pause(RETRY_MS, stream.gone)
      }
    }
  }

  /** Resolves when the stream leaves the feed: because it has ended, or because it fell behind. */
  #join(stream: EventStream, selection: Selection): Promise<void> {
    const key = selectionKey(selection)
    const feed = this.#feeds.get(key) ?? this.#newFeed(key, selection)
    const left = feed.carry(stream)
    this.#rounds.begin()
    return left
  }

  #newFeed(key: string, selection: Selection): Feed {
    const feed = new Feed(over => sourcesOf(selection.kinds, this.#options.readsUntil(over), selection))
    this.#feeds.set(key, feed)
    feed.over.addEventListener('abort', () => {
      if (this.#feeds.get(key) === feed) this.#feeds.delete(key)
      if (this.#feeds.size === 0) this.#rounds.ended()
    })
    return feed
  }

  async #advance(lowWatermark: string): Promise<void> {
    const advances = await Promise.allSettled([...this.#feeds.values()].map(feed => feed.advance(lowWatermark)))
    for (const advance of advances) if (advance.status === 'rejected') throw advance.reason
  }
}

interface Follower {
  readonly stream: EventStream
  readonly leave: () => void
}

/** Changes are read and rendered once for all streams of a selection. One that does not receive them in time leaves. */
class Feed {
  readonly #sources: readonly ChangeSource[]
  readonly #over = new AbortController()
  /** Streams that wait for the next round, so that none joins in the middle of one. */
  readonly #joining = new Set<Follower>()
  readonly #followers = new Set<Follower>()
  #reader: ChangeReader | undefined

  /** @param sourcesUntil makes the sources, whose reads are cancelled when the signal aborts */
  constructor(sourcesUntil: (over: AbortSignal) => readonly ChangeSource[]) {
    this.#sources = sourcesUntil(this.#over.signal)
  }

  /** Aborts when the last stream has left; then no stream can join. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  /** Resolves when the stream leaves: because it has ended, or because it fell behind. */
  carry(stream: EventStream): Promise<void> {
    return new Promise(resolve => {
      const leave = () => {
        stream.gone.removeEventListener('abort', leave)
        this.#joining.delete(follower)
        this.#followers.delete(follower)
        if (this.#joining.size === 0 && this.#followers.size === 0)
          this.#over.abort(new Error('nobody follows any more'))
        resolve()
      }
      const follower = { stream, leave }
      this.#joining.add(follower)
      stream.gone.addEventListener('abort', leave)
      if (stream.isEnded) leave()
    })
  }

  /** A round: sends what has changed, everything up to the low watermark included. @throws the database's errors. */
  async advance(lowWatermark: string): Promise<void> {
    this.#admit()
    const reader = this.#reader
    if (!reader) return
    try {
      for await (const batch of reader.advance(lowWatermark)) {
        for (const event of eventsOf(batch)) {
          const bytes = bytesOf(event)
          for (const { stream } of this.#followers) stream.sendBytes(bytes, event.id)
          for (const { stream, leave } of this.#followers) if (stream.isBehind) leave()
        }
        if (this.#followers.size === 0) return
      }
    } catch (error) {
      if (this.#over.signal.aborted) return
      throw error
    }
    for (const { stream } of this.#followers) stream.reached(reader.revision)
  }

  /** Reads again what joining streams have not seen: sending something twice is allowed, missing it is not. */
  #admit(): void {
    for (const follower of this.#joining) {
      const { position } = follower.stream
      if (this.#reader && this.#followers.size > 0) this.#reader.rewind(position)
      else this.#reader = new ChangeReader(this.#sources, position)
      this.#followers.add(follower)
    }
    this.#joining.clear()
  }
}
