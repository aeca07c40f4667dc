import { Client, type ClientConfig } from 'pg'
import { pause } from '../../lib/clock.ts'

/** The channel on which nodes notify each other of commits. */
export const CHANGES_CHANNEL = 'tacho_changes'

/** The minimum interval between notifications of a process. */
const INTERVAL_MS = 100
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
  readonly #config: ClientConfig
  readonly #writerName: string
  #client: Client | undefined
  #isDue = false
  #sending: Promise<void> | undefined
  readonly #closing = new AbortController()

  constructor(config: ClientConfig, writerName: string) {
    this.#config = config
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
    await this.#disconnect()
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
      this.#client ??= await this.#connect()
      await this.#client.query(NOTIFY, [CHANGES_CHANNEL, this.#writerName])
    } catch {
      await this.#disconnect()
    }
  }

  async #connect(): Promise<Client> {
    const client = new Client({ ...this.#config, query_timeout: PATIENCE_MS })
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    await client.connect()
    return client
  }

  #lost(client: Client): void {
    if (this.#client === client) this.#client = undefined
  }

  async #disconnect(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    await client?.end().catch(() => undefined)
  }
}
