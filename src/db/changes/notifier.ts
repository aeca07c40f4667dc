import { Client, type ClientConfig } from 'pg'

/** On this channel of the database every node tells the others that something was committed. */
export const CHANGES_CHANNEL = 'tacho_changes'

/** The most often that a process tells it. */
const INTERVAL_MS = 100
/** What PostgreSQL has not taken by then, those who listen have found out themselves. */
const PATIENCE_MS = 2_000

/**
 * The low watermark (decisions.md, *Sync*) goes with it, so that nobody who hears it must ask for it. The form is that of
 * every revision.
 */
const NOTIFY = `select pg_notify($1, to_char(low_watermark($2) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))`

/**
 * Tells all nodes that something was committed: after the commit and over a connection of its own, because whoever
 * commits with a notification waits for all others who do. A notification that is lost is made up for by those who
 * listen, so failures are passed over.
 */
export class ChangeNotifier {
  readonly #config: ClientConfig
  readonly #writerName: string
  #client: Client | undefined
  #isDue = false
  #sending: Promise<void> | undefined
  #wake: (() => void) | undefined
  #isClosing = false

  constructor(config: ClientConfig, writerName: string) {
    this.#config = config
    this.#writerName = writerName
  }

  /** Something was committed. Returns at once. */
  committed(): void {
    this.#isDue = true
    this.#sending ??= this.#sendWhileDue()
  }

  /** Tells what is still to be told, and ends the connection. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#wake?.()
    await this.#sending
    await this.#disconnect()
  }

  async #sendWhileDue(): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false
      await this.#send()
      await this.#pause()
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

  async #pause(): Promise<void> {
    if (this.#isClosing) return
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, INTERVAL_MS)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = undefined
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
