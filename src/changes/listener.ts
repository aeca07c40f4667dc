import { Client, type ClientConfig } from 'pg'
import { CHANGES_CHANNEL } from './notifier.ts'

const RECONNECT_AFTER_MS = 500

/** Nothing is sent over it, so only TCP keep-alive can detect that the other end is gone. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }

/** What who waits for each change tells the others when it begins to. */
const HURRY = 'hurry'

/** The form of a revision, checked because anybody with access to the database can notify. */
const REVISION = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

/**
 * Called when something was committed, with the newest low watermark; without one after a reconnect, because
 * notifications may have been missed.
 */
export type ChangeHeard = (lowWatermark: string | undefined) => void

interface ListenerOptions {
  readonly heard: ChangeHeard
  /** It waits for each change, and tells so. */
  readonly isHurried: boolean
  /** Called when somebody begins to wait for each change. */
  readonly onHurry: () => void
}

/** Receives the notifications of all nodes (`ChangeNotifier`), over its own connection, which it reopens whenever it ends. */
export class ChangeListener {
  readonly #config: ClientConfig
  readonly #options: ListenerOptions
  #client: Client | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(config: ClientConfig, options: ListenerOptions) {
    this.#config = config
    this.#options = options
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
    const { heard, isHurried, onHurry } = this.#options
    client.on('notification', ({ payload = '' }) => {
      if (payload === HURRY) onHurry()
      else heard(REVISION.test(payload) ? payload : undefined)
    })
    try {
      await client.connect()
      await client.query(`listen ${CHANGES_CHANNEL}`)
      if (isHurried) await client.query(`notify ${CHANGES_CHANNEL}, '${HURRY}'`)
      if (this.#client === client) heard(undefined)
    } catch {
      this.#lost(client)
    }
  }

  /** A failed connection may emit several events, even after its replacement is in use. */
  #lost(client: Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    client.end().catch(() => undefined)
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#connect(), RECONNECT_AFTER_MS)
  }
}
