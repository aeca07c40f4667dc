import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { type Clock, SYSTEM_CLOCK } from '../../lib/clock.ts'
import { type Actor, onceAnHour, type SecurityKind, type SecurityLine } from './line.ts'
import { writeLines } from './lines.ts'

const PAUSE_MS = 1000
/** Lines of one statement. */
const MOST_AT_ONCE = 500
/** Lines that may wait while the database does not accept them. */
const MOST_WAITING = 10_000
/** How many notes of this hour are remembered; beyond that, some lines are written again, which the database ignores. */
const MOST_NOTED = 100_000

/** A line that is written once an hour per caller and object, however often it happens. */
interface HourlyLine {
  readonly kind: SecurityKind
  readonly actor: Actor
  readonly address: string
  /** What it was done to, such as a vehicle. */
  readonly object: string
}

interface GatheredLinesOptions {
  readonly database: Database
  readonly log: Logger
  readonly pauseMs?: number
  readonly mostWaiting?: number
  readonly clock?: Clock
}

/**
 * Lines of the security log that no request waits for: they are collected and written once a second. While the database
 * does not accept them they wait, up to a limit; for each account, a line states how many were dropped beyond it.
 */
export class GatheredLines {
  readonly #database: Database
  readonly #log: Logger
  readonly #pauseMs: number
  readonly #mostWaiting: number
  readonly #clock: Clock
  #waiting: SecurityLine[] = []
  readonly #noted = new Set<string>()
  #notedHour = 0
  /** By account. */
  readonly #lost = new Map<number, number>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor({
    database,
    log,
    pauseMs = PAUSE_MS,
    mostWaiting = MOST_WAITING,
    clock = SYSTEM_CLOCK,
  }: GatheredLinesOptions) {
    this.#database = database
    this.#log = log
    this.#pauseMs = pauseMs
    this.#mostWaiting = mostWaiting
    this.#clock = clock
  }

  /** Notes a line unless it was noted within this clock hour. */
  note({ kind, actor, address, object }: HourlyLine): void {
    const nowMs = this.#clock.wallMs()
    const once = onceAnHour(actor, kind, object, nowMs)
    const name = once.toString('latin1')
    if (!this.#isNew(name, nowMs)) return
    if (this.#waiting.length >= this.#mostWaiting) {
      this.#noted.delete(name)
      if (this.#lost.size === 0) this.#log.error('the security log can not be written: lines are lost')
      this.#lost.set(actor.accountId, (this.#lost.get(actor.accountId) ?? 0) + 1)
      return
    }
    this.#waiting.push({ kind, actor, address, details: { object }, timeMs: nowMs, once })
    this.#writeSoon()
  }

  /** Writes what waits. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#writing
    await this.#write()
    if (this.#waiting.length > 0)
      this.#log.error({ lines: this.#waiting.length }, 'the security log could not be written: lines are lost')
  }

  #isNew(name: string, nowMs: number): boolean {
    const hour = Math.floor(nowMs / 3_600_000)
    if (hour !== this.#notedHour || this.#noted.size >= MOST_NOTED) this.#noted.clear()
    this.#notedHour = hour
    if (this.#noted.has(name)) return false
    this.#noted.add(name)
    return true
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#writing = this.#write().finally(() => {
        this.#timer = undefined
        if (this.#waiting.length > 0) this.#writeSoon()
      })
    }, this.#pauseMs)
    this.#timer.unref()
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#waiting.slice(0, MOST_AT_ONCE)
      const lost = [...this.#lost].map(([accountId, count]) => lineOfLost(accountId, count))
      try {
        await writeTransaction(this.#database, transaction => writeLines(transaction, [...lines, ...lost]))
      } catch (error) {
        this.#log.warn({ err: error, lines: this.#waiting.length }, 'the security log waits for the database')
        return
      }
      this.#waiting = this.#waiting.slice(lines.length)
      for (const { actor, details } of lost) {
        const left = (this.#lost.get(actor.accountId) ?? 0) - details.count
        if (left > 0) this.#lost.set(actor.accountId, left)
        else this.#lost.delete(actor.accountId)
      }
    }
  }
}

function lineOfLost(accountId: number, count: number) {
  const actor: Actor = { accountId, kind: 'service', id: null, name: 'Tacho' }
  return { kind: 'lines-lost', actor, address: null, details: { count } } as const
}
