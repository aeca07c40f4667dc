import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import type { ChangeListener } from '../../db/change-notifications.ts'
import type { Database } from '../../db/database.ts'
import { AccountStreams } from './account-streams.ts'
import type { EventStream } from './event-stream.ts'
import type { HeldBytes } from './held-bytes.ts'
import type { Selection } from './selection.ts'

/** Distributes changes to streams. Accounts are independent of each other, and none waits for another one. */
export class StreamHub {
  readonly #database: Database
  readonly #log: Logger
  readonly #held: HeldBytes
  readonly #accounts = new Map<number, AccountStreams>()
  readonly #closing = new AbortController()
  #listener: ChangeListener | undefined

  /** @param held counts how much waits for clients, over all streams */
  constructor(database: Database, log: Logger, held: HeldBytes) {
    this.#database = database
    this.#log = log
    this.#held = held
    setMaxListeners(0, this.#closing.signal)
  }

  /** Sends a stream what follows its position, until it ends. */
  async follow(stream: EventStream, selection: Selection, isUpToDate: boolean): Promise<void> {
    this.#listener ??= this.#database.listen(lowWatermark => {
      for (const streams of this.#accounts.values()) streams.heard(lowWatermark)
    })
    const { accountId } = selection
    const streams = this.#accounts.get(accountId) ?? this.#streamsOf(accountId)
    this.#accounts.set(accountId, streams)
    await streams.follow(stream, selection, isUpToDate)
    if (streams.count === 0) this.#accounts.delete(accountId)
    if (this.#accounts.size === 0) await this.#stopListening()
  }

  /** Nodes tell of each change only while somebody listens for it. */
  async #stopListening(): Promise<void> {
    const listener = this.#listener
    this.#listener = undefined
    await listener?.close()
  }

  /** Ends the background work, once the streams have ended. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the process stops'))
    await Promise.all([...this.#accounts.values()].map(streams => streams.close()))
    await this.#stopListening()
  }

  #streamsOf(accountId: number): AccountStreams {
    return new AccountStreams({
      readsUntil: signal => this.#database.readsOf(accountId, { use: 'streams', signal }),
      log: this.#log,
      closing: this.#closing.signal,
      isFull: () => this.#held.isFull(accountId),
    })
  }
}
