import type { Logger } from 'pino'
import { addToLevels, addToVolumes, type Quota, type QuotaUse, readQuotas } from '../db/account-quotas.ts'
import type { Database } from '../db/database.ts'
import { type Clock, pause, SYSTEM_CLOCK } from '../lib/clock.ts'
import { ClientError } from '../model/errors.ts'
import { WEEK_MS, weekStartMs } from '../model/time-range.ts'
import { type Receipt, storedBytesOf } from '../store/index.ts'
import type { Submission } from './submission.ts'

/** How soon other nodes, and this one after a restart, know what was used. */
const FLUSH_INTERVAL_MS = 1000
/** Stored volumes change slowly, and an operator's change may take some seconds. */
const READ_INTERVAL_MS = 5000
/** Stored volumes do not shrink within minutes. */
const RETRY_WHEN_FULL_S = 3600
const BYTES_OF_MB = 1_000_000

/** The number for data without a known account. */
const NOBODY = 0

interface KnownQuota extends QuotaUse {
  readonly usedUp: UsedUp | undefined
}

interface AccountQuotasOptions {
  readonly database: Database
  /** For accounts without quotas set by an operator. */
  readonly defaults: Quota
  readonly log: Logger
  readonly clock?: Clock
}

/** Counts what accounts send and keep, and checks quotas. Each node writes its counts to the database every second, so
 * an account may get a little more than its quota, and never less. */
export class AccountQuotas {
  readonly #options: AccountQuotasOptions
  readonly #clock: Clock
  #quotas = new Map<number, KnownQuota>()
  /** Events by account, received since the last flush. */
  #unflushedEvents = new Map<number, number>()
  /** Bytes by week by account, stored since the last flush. */
  #unflushedVolumes = new Map<number, Map<number, number>>()
  readonly #stop = new AbortController()
  readonly #work: Promise<void>

  constructor(options: AccountQuotasOptions) {
    this.#options = options
    this.#clock = options.clock ?? SYSTEM_CLOCK
    this.#work = this.#flushAgainAndAgain()
  }

  get isBounding(): boolean {
    const { eventsPerMinute, volumeMb } = this.#options.defaults
    return this.#quotas.size > 0 || eventsPerMinute !== undefined || volumeMb !== undefined
  }

  /** @returns the error for senders of an account that is over a quota; undefined when it is not */
  refusalOf(accountId: number): ClientError | undefined {
    const quota = this.#quotaOf(accountId)
    if (!quota) return undefined
    const waitS = quota.usedUp?.waitS(this.#clock.monotonicMs()) ?? 0
    if (waitS > 0)
      return tooMuch(`This account may send ${quota.eventsPerMinute} events a minute, and has sent more.`, waitS)
    const { volumeMb } = quota
    if (volumeMb === undefined || quota.volumeBytes < volumeMb * BYTES_OF_MB) return undefined
    return tooMuch(`This account may keep ${volumeMb} MB of measurements, and has as many.`, RETRY_WHEN_FULL_S)
  }

  /** Something was accepted for an account. */
  received(accountId: number, { samples, misdated = [] }: Submission): void {
    const usedUp = this.#quotaOf(accountId)?.usedUp
    if (!usedUp) return
    let events = 0
    for (const { types } of samples) events += types.length
    for (const { types } of misdated) events += types.length
    usedUp.add(events, this.#clock.monotonicMs())
    this.#unflushedEvents.set(accountId, (this.#unflushedEvents.get(accountId) ?? 0) + events)
  }

  /** Samples of an account were stored: all, or only some if others were known already. */
  stored(accountId: number, { samples }: Submission, { accepted, duplicates }: Receipt): void {
    // A row without an account cannot be written, and the error would keep all others from being counted.
    if (accepted === 0 || accountId === NOBODY) return
    const isNew = accepted / (accepted + duplicates)
    let [weekMs, bytes] = [Number.NEGATIVE_INFINITY, 0]
    for (const sample of samples) {
      if (sample.timeMs < weekMs || sample.timeMs >= weekMs + WEEK_MS) {
        if (bytes > 0) this.#addVolume(accountId, weekMs, bytes)
        ;[weekMs, bytes] = [weekStartMs(sample.timeMs), 0]
      }
      bytes += storedBytesOf(sample) * isNew
    }
    if (bytes > 0) this.#addVolume(accountId, weekMs, bytes)
  }

  /** Writes what was counted, and ends. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#work
    await this.#tried(() => this.#flush())
  }

  /** Writes what was counted, and reads what operators set. */
  async refresh(): Promise<void> {
    await this.#flush()
    const quotas = await readQuotas(this.#options.database, this.#options.defaults)
    this.#quotas = new Map(
      quotas.map(quota => [quota.accountId, { ...quota, usedUp: this.#usedUp(quota, quota.eventsUsed) }]),
    )
  }

  get #isCounting(): boolean {
    return (
      this.#options.defaults.eventsPerMinute !== undefined || [...this.#quotas.values()].some(({ usedUp }) => usedUp)
    )
  }

  /** An account that was created since quotas were read has those of the settings. */
  #quotaOf(accountId: number): KnownQuota | undefined {
    const known = this.#quotas.get(accountId)
    const { eventsPerMinute, volumeMb } = this.#options.defaults
    if (known || accountId === NOBODY || (eventsPerMinute ?? volumeMb) === undefined) return known
    const quota: QuotaUse = { accountId, eventsPerMinute, volumeMb, eventsUsed: 0, volumeBytes: 0 }
    const added: KnownQuota = { ...quota, usedUp: this.#usedUp(quota, 0) }
    this.#quotas.set(accountId, added)
    return added
  }

  /** @param used by all nodes, from the database */
  #usedUp({ accountId, eventsPerMinute }: QuotaUse, used: number): UsedUp | undefined {
    if (eventsPerMinute === undefined) return undefined
    // Does not include what arrived during the query.
    return new UsedUp(eventsPerMinute, used + (this.#unflushedEvents.get(accountId) ?? 0), this.#clock.monotonicMs())
  }

  async #flushAgainAndAgain(): Promise<void> {
    let readMs = Number.NEGATIVE_INFINITY
    while (!this.#stop.signal.aborted) {
      await this.#tried(async () => {
        if (this.#clock.monotonicMs() - readMs < READ_INTERVAL_MS) return this.#flushEvents()
        readMs = this.#clock.monotonicMs()
        await this.refresh()
      })
      await pause(this.#isCounting ? FLUSH_INTERVAL_MS : READ_INTERVAL_MS, this.#stop.signal, this.#clock)
    }
  }

  async #tried(work: () => Promise<void>): Promise<void> {
    await work().catch(error =>
      this.#options.log.warn({ err: error }, 'what accounts sent could not be counted; it will be tried again'),
    )
  }

  async #flush(): Promise<void> {
    await this.#flushEvents()
    await this.#flushVolumes()
  }

  async #flushEvents(): Promise<void> {
    const events = this.#unflushedEvents
    this.#unflushedEvents = new Map()
    const used = [...events].flatMap(([accountId, count]) => {
      const eventsPerMinute = this.#quotas.get(accountId)?.eventsPerMinute
      return eventsPerMinute === undefined ? [] : [{ accountId, events: count, eventsPerMinute }]
    })
    const levels = await addToLevels(this.#options.database, used)
    const quotas = new Map(this.#quotas)
    for (const [accountId, level] of levels) {
      const quota = quotas.get(accountId)
      if (quota) quotas.set(accountId, { ...quota, usedUp: this.#usedUp(quota, level) })
    }
    this.#quotas = quotas
  }

  async #flushVolumes(): Promise<void> {
    const volumes = this.#unflushedVolumes
    this.#unflushedVolumes = new Map()
    try {
      await addToVolumes(
        this.#options.database,
        [...volumes].flatMap(([accountId, weeks]) =>
          [...weeks].map(([weekMs, bytes]) => ({
            accountId,
            week: new Date(weekMs).toISOString().slice(0, 10),
            bytes: Math.round(bytes),
          })),
        ),
      )
    } catch (error) {
      for (const [accountId, weeks] of volumes)
        for (const [weekMs, bytes] of weeks) this.#addVolume(accountId, weekMs, bytes)
      throw error
    }
  }

  #addVolume(accountId: number, weekMs: number, bytes: number): void {
    const weeks = this.#unflushedVolumes.get(accountId) ?? new Map<number, number>()
    this.#unflushedVolumes.set(accountId, weeks)
    weeks.set(weekMs, (weeks.get(weekMs) ?? 0) + bytes)
  }
}

function tooMuch(message: string, retryAfterS: number): ClientError {
  return new ClientError(429, message, { headers: { 'retry-after': String(retryAfterS) } })
}

/** A leaky bucket of an allowance per minute. An account below it may send any amount; one above it must wait. */
export class UsedUp {
  readonly perMinute: number
  #amount: number
  #atMs: number

  constructor(perMinute: number, amount: number, atMs: number) {
    this.perMinute = perMinute
    this.#amount = amount
    this.#atMs = atMs
  }

  add(amount: number, nowMs: number): void {
    this.#amount = this.amount(nowMs) + amount
    this.#atMs = nowMs
  }

  amount(nowMs: number): number {
    return Math.max(0, this.#amount - ((nowMs - this.#atMs) / 60_000) * this.perMinute)
  }

  /** Seconds until the account may send again; 0 when it may now. */
  waitS(nowMs: number): number {
    const above = this.amount(nowMs) - this.perMinute
    return above < 0 ? 0 : Math.max(1, Math.ceil((above / this.perMinute) * 60))
  }
}
