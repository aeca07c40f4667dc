import { Client, type ClientConfig } from 'pg'
import { CHANGES_CHANNEL } from './notifier.ts'

const RECONNECT_AFTER_MS = 500

/** Nothing is sent over it, so only the system can find out that nobody is at the other end any more. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }

/** The form of a revision; anybody who may log in to the database can notify. */
const REVISION = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

/**
 * Told that something was committed, with the newest low watermark; without one when there is a new connection, because
 * something may have been missed before.
 */
export type ChangeHeard = (lowWatermark: string | undefined) => void

/** Hears from all nodes what `ChangeNotifier` tells, over a connection of its own that is made again whenever it ends. */
export class ChangeListener {
  readonly #config: ClientConfig
  readonly #heard: ChangeHeard
  #client: Client | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(config: ClientConfig, heard: ChangeHeard) {
    this.#config = config
    this.#heard = heard
    void this.#connect()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    const client = this.#client
    this.#client = undefined
    await client?.end().catch(() => undefined)
  }

  async #connect(): Promise<void> {
    const client = new Client({ ...this.#config, ...KEEP_ALIVE })
    this.#client = client
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    client.on('notification', ({ payload = '' }) => this.#heard(REVISION.test(payload) ? payload : undefined))
    try {
      await client.connect()
      await client.query(`listen ${CHANGES_CHANNEL}`)
      if (this.#client === client) this.#heard(undefined)
    } catch {
      this.#lost(client)
    }
  }

  /** A connection that fails may say so more than once, and when the next one has long taken its place. */
  #lost(client: Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    client.end().catch(() => undefined)
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#connect(), RECONNECT_AFTER_MS)
  }
}
