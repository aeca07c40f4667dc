import type { ClientConfig } from 'pg'
import { pause } from '../../lib/clock.ts'
import { OwnConnection } from '../own-connection.ts'

/** The channel on which nodes notify each other of commits. */
export const CHANGES_CHANNEL = 'tacho_changes'

/** The minimum interval between notifications of a process. */
const INTERVAL_MS = 200
/** By then, listeners have found out by themselves. */
const PATIENCE_MS = 2_000

/**
 * The payload is the low watermark (decisions.md, *Sync*), so that listeners need not query it. It has the form of a
 * revision.
 */
const NOTIFY = `select pg_notify($1, to_char(low_watermark($2) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))`

/**
 * Notifies all nodes that something was committed: after the commit and over its own connection, because
 * transactions with a notification commit one after the other. Listeners make up for lost notifications, so failures are
 * ignored.
 */
export class ChangeNotifier {
  readonly #connection: OwnConnection
  readonly #writerName: string
  #isDue = false
  #sending: Promise<void> | undefined
  readonly #closing = new AbortController()

  constructor(config: ClientConfig, writerName: string) {
    this.#connection = new OwnConnection({ ...config, query_timeout: PATIENCE_MS })
    this.#writerName = writerName
  }

  /** Something was committed. Returns at once. */
  committed(): void {
    this.#isDue = true
    this.#sending ??= this.#sendWhileDue()
  }

  /** Sends a pending notification, and closes the connection. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#sending
    await this.#connection.close()
  }

  async #sendWhileDue(): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false
      await this.#send()
      await pause(INTERVAL_MS, this.#closing.signal)
    }
    this.#sending = undefined
  }

  async #send(): Promise<void> {
    try {
      const client = await this.#connection.open()
      await client.query({ name: 'notify', text: NOTIFY, values: [CHANGES_CHANNEL, this.#writerName] })
    } catch {
      await this.#connection.close()
    }
  }
}
