import { Client, type ClientConfig } from 'pg'
import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'
import { Signal } from '../lib/signal.ts'
import { connectionsNamed, OwnConnection } from './pool.ts'
import { type Statement, sql } from './sql.ts'

const CHANGES_CHANNEL = 'tacho_changes'

/** While somebody waits for each change, a process sends two notifications in this time: storing and deriving commit
 * shortly after each other. */
const TWICE_IN_MS = 100
/** The same while only background jobs listen. */
const UNHURRIED_TWICE_IN_MS = 8_000
/** By then, listeners have found out by themselves. */
const PATIENCE_MS = 2_000

/** The payload is the low watermark (decisions.md, *Sync*), so that listeners need not query it. */
const notifyOf = (writerName: string, hurriedName: string) => sql`
  select
    pg_notify(${CHANGES_CHANNEL},
      to_char(low_watermark(${writerName}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')),
    exists (select from ${connectionsNamed(hurriedName)}) as is_hurried`

/** Notifies all nodes of commits over its own connection: transactions with a notification commit one after the other.
 * Listeners make up for lost ones, so failures are ignored. */
export class ChangeNotifier {
  readonly #connection: OwnConnection
  readonly #notify: Statement
  readonly #clock: Clock
  #isDue = false
  #sending: Promise<void> | undefined
  readonly #hurried = new Signal()
  #isHurried = false
  #hurries = 0
  #sentMs = Number.NEGATIVE_INFINITY
  #isClosing = false

  /** @param writerName the application name of connections with writing transactions
   * @param hurriedName that of listeners who wait for each change */
  constructor(
    config: ClientConfig,
    { writerName, hurriedName }: { writerName: string; hurriedName: string },
    clock: Clock = SYSTEM_CLOCK,
  ) {
    this.#connection = new OwnConnection({ ...config, query_timeout: PATIENCE_MS })
    this.#notify = notifyOf(writerName, hurriedName)
    this.#clock = clock
  }

  committed(): void {
    this.#isDue = true
    this.#sending ??= this.#sendWhileDue()
  }

  /** Somebody waits for each change, as far as is known. */
  get isHurried(): boolean {
    return this.#isHurried
  }

  /** Somebody begins to wait for each change: what is due is sent at once. */
  hurry(): void {
    this.#hurries++
    this.#isHurried = true
    this.#hurried.emit()
  }

  /** Sends a pending notification, and closes the connection. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#hurried.emit()
    await this.#sending
    await this.#connection.close()
  }

  async #sendWhileDue(): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false
      const [sentBeforeMs, hurries] = [this.#sentMs, this.#hurries]
      this.#sentMs = this.#clock.monotonicMs()
      // Somebody may have begun to wait since the database looked.
      this.#isHurried = (await this.#send()) || this.#hurries > hurries
      const [untilMs, nowMs] = [
        sentBeforeMs + (this.#isHurried ? TWICE_IN_MS : UNHURRIED_TWICE_IN_MS),
        this.#clock.monotonicMs(),
      ]
      // With workers, reading the low watermark takes long: at most half of the time is spent on it.
      if (!this.#isClosing) await this.#pause(Math.max(untilMs - nowMs, nowMs - this.#sentMs))
    }
    this.#sending = undefined
  }

  async #pause(ms: number): Promise<void> {
    if (ms <= 0) return
    const cancel = this.#clock.after(ms, () => this.#hurried.emit())
    await this.#hurried.wait()
    cancel()
  }

  /** @returns whether somebody waits for each change */
  async #send(): Promise<boolean> {
    try {
      const client = await this.#connection.open()
      const { text, values } = this.#notify
      const { rows } = await client.query<{ is_hurried: boolean }>({ name: 'notify', text, values: [...values] })
      return rows[0]?.is_hurried ?? true
    } catch {
      await this.#connection.close()
      return true
    }
  }
}

const RECONNECT_AFTER_MS = 500

/** Nothing is sent over it, so only TCP keep-alive can detect that the other end is gone. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }

/** Sent by a listener that begins to wait for each change. */
const HURRY = 'hurry'

/** The form of a revision, checked because anybody with access to the database can notify. */
const REVISION = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

/** Called with the newest low watermark after commits; without one after a reconnect, when some may be missed. */
export type ChangeHeard = (lowWatermark: string | undefined) => void

interface ListenerOptions {
  readonly heard: ChangeHeard
  /** It waits for each change, and says so to all notifiers. */
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
