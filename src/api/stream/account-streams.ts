import { setTimeout as sleep } from 'node:timers/promises'
import { readLowWatermark } from '../../db/low-watermark.ts'
import { pause } from '../../lib/clock.ts'
import { type InTurn, takingTurns } from '../../lib/semaphore.ts'
import { AccountRounds, type AccountRoundsOptions } from './account-rounds.ts'
import { ChangeReader } from './change-reader.ts'
import type { EventStream } from './event-stream.ts'
import type { Selection } from './selection.ts'
import { sourcesOf } from './sources.ts'

/** Pages that are read at once for streams that resume; the other turns of the account are for its rounds. */
const RESUMING_READS_AT_ONCE = 1
/** A stream that caught up with this many pages of each resource does not slow down those that are up to date. */
const UP_TO_DATE_PAGES = 2
/** Each walk is shorter than the one before, because less has changed in the meantime; more walks would gain nothing. */
const MOST_WALKS = 3
const RETRY_MS = 1_000
const ROOM_POLL_MS = 100

interface AccountStreamsOptions extends AccountRoundsOptions {
  /** Whether so much data waits for clients of the account that no history may be read for them now. */
  readonly isFull: () => boolean
}

/**
 * The streams of one account. A stream that resumes reads by itself, at the pace of its client, until it is up to date;
 * then it joins the feed of its selection.
 */
export class AccountStreams {
  readonly #options: AccountStreamsOptions
  readonly #rounds: AccountRounds
  readonly #resuming: InTurn = takingTurns(RESUMING_READS_AT_ONCE)
  #count = 0

  constructor(options: AccountStreamsOptions) {
    this.#options = options
    this.#rounds = new AccountRounds(options)
  }

  /** How many follow. */
  get count(): number {
    return this.#count
  }

  /** Sends a stream what follows its position, until it ends. */
  async follow(stream: EventStream, selection: Selection, isUpToDate: boolean): Promise<void> {
    this.#count++
    for (let isBehind = !isUpToDate; !stream.isEnded; isBehind = true) {
      if (isBehind) await this.#catchUp(stream, selection)
      if (!stream.isEnded) await this.#rounds.carry(stream, selection)
    }
    this.#count--
  }

  /** Something was committed. */
  heard(lowWatermark: string | undefined): void {
    this.#rounds.heard(lowWatermark)
  }

  /** Resolves when nothing is being read any more, after the signal that the process stops. */
  close(): Promise<void> {
    return this.#rounds.close()
  }

  async #catchUp(stream: EventStream, selection: Selection): Promise<void> {
    const { readsUntil, log } = this.#options
    const reads = readsUntil(stream.gone)
    for (let walks = 1; !stream.isEnded; ) {
      try {
        let pages = 0
        const sources = sourcesOf(reads, selection).map(({ name, read }) => ({
          name,
          read: async (...place: Parameters<typeof read>) => {
            pages++
            // A page waits in the stream, where it is counted, and the next one is read only after it was sent.
            await stream.drained()
            while (this.#options.isFull() && !stream.isEnded) await sleep(ROOM_POLL_MS)
            return this.#resuming(() => read(...place))
          },
        }))
        const reader = new ChangeReader(sources, stream.position)
        for await (const frame of reader.advance(await readLowWatermark(reads))) {
          stream.send(frame)
          if (stream.isEnded) return
        }
        stream.reached(reader.revision)
        if (pages <= UP_TO_DATE_PAGES * sources.length || walks++ >= MOST_WALKS) return
      } catch (error) {
        if (stream.isEnded) return
        log.warn({ err: error }, 'a stream can not be read for now')
        await pause(RETRY_MS, stream.gone)
      }
    }
  }
}
