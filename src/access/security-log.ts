import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { allOf, type Connection, type Statement, sql } from '../db/sql.ts'
import { type Transaction, writeTransaction } from '../db/transaction.ts'
import { instantOfMs } from '../db/values.ts'
import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'
import { HOUR_MS } from '../model/time-range.ts'

export const SECURITY_KINDS = [
  'login',
  'login-failed',
  'logins-slowed',
  'logout',
  'refresh-token-reused',
  'password-changed',
  'user-created',
  'user-changed',
  'user-removed',
  'key-created',
  'key-revoked',
  'key-taken-over',
  'device-added',
  'device-moved',
  'device-deleted',
  'device-refused',
  'map-chosen',
  'positions-read',
  'data-exported',
  'lines-lost',
] as const
export type SecurityKind = (typeof SECURITY_KINDS)[number]

/** For a failed login, the user it was for. */
export interface Actor {
  readonly accountId: number
  readonly kind: 'user' | 'key' | 'service'
  readonly id: number | null
  readonly name: string
}

/** Details: short values by name, never a secret. */
export type Details = Readonly<Record<string, string | number | boolean | readonly string[]>>

interface SecurityLine {
  readonly kind: SecurityKind
  readonly actor: Actor
  readonly address: string | null
  readonly details?: Details
  /** When it happened, by the clock of this process; by default now, by the database's clock. */
  readonly timeMs?: number
  /** A key for lines that are written only once by all nodes together: see `onceAnHour`. */
  readonly once?: Buffer
}

/** The same key for one caller, kind and object within a clock hour. */
function onceAnHour({ accountId, kind, id }: Actor, what: SecurityKind, object: string, timeMs: number): Buffer {
  const hour = Math.floor(timeMs / HOUR_MS)
  return createHash('sha256')
    .update(JSON.stringify([accountId, kind, id, what, object, hour]))
    .digest()
}

/** Adds lines, in the transaction of what they report: both are committed or neither. */
export async function writeLines(transaction: Transaction, lines: readonly SecurityLine[]): Promise<void> {
  await transaction.rows(
    sql`
      insert into security_log (account_id, time, kind, caller_kind, caller_id, caller_name, address, details, once)
      select account_id, coalesce(time, clock_timestamp()), kind, caller_kind, caller_id, caller_name, address, details, once
      from unnest(
        ${lines.map(({ actor }) => actor.accountId)}::integer[],
        ${lines.map(({ timeMs }) => (timeMs === undefined ? null : instantOfMs(timeMs)))}::timestamptz[],
        ${lines.map(({ kind }) => kind)}::text[],
        ${lines.map(({ actor }) => actor.kind)}::text[],
        ${lines.map(({ actor }) => actor.id)}::integer[],
        ${lines.map(({ actor }) => actor.name)}::text[],
        ${lines.map(({ address }) => address)}::text[],
        ${lines.map(({ details }) => JSON.stringify(details ?? {}))}::jsonb[],
        ${lines.map(({ once }) => once ?? null)}::bytea[])
        as line (account_id, time, kind, caller_kind, caller_id, caller_name, address, details, once)
      on conflict (once) where once is not null do nothing`,
    { prepareAs: 'write-security-log' },
  )
}

export async function lineOfUser(
  transaction: Transaction,
  userId: number,
  kind: SecurityKind,
  address: string,
  details: Details = {},
): Promise<SecurityLine> {
  const [actor] = await transaction.rows<Actor>(
    sql`select account_id as "accountId", 'user' as kind, id, email as name from users where id = ${userId}`,
    { prepareAs: 'actor-of-user' },
  )
  if (!actor) throw new Error(`there is no user ${userId}`)
  return { kind, actor, address, details }
}

export interface WrittenLine {
  readonly id: number
  readonly time: string
  readonly kind: SecurityKind
  readonly callerKind: Actor['kind']
  readonly callerId: number | null
  readonly callerName: string
  readonly address: string | null
  readonly details: Details
}

interface SecurityLogFilter {
  readonly accountId: number
  readonly fromTimestamp?: string | undefined
  readonly toTimestamp?: string | undefined
  readonly kinds?: readonly SecurityKind[] | undefined
  /** E-mail address of a user or name of a key, in any letter case. */
  readonly caller?: string | undefined
  readonly before?: { readonly time: string; readonly id: number } | undefined
}

/** Lines of an account, the newest first. */
export function readSecurityLog(
  connection: Connection,
  { accountId, fromTimestamp, toTimestamp, kinds, caller, before }: SecurityLogFilter,
  limit: number,
): Promise<WrittenLine[]> {
  const conditions: Statement[] = [sql`account_id = ${accountId}`]
  if (fromTimestamp !== undefined) conditions.push(sql`time >= ${fromTimestamp}::timestamptz`)
  if (toTimestamp !== undefined) conditions.push(sql`time <= ${toTimestamp}::timestamptz`)
  if (kinds !== undefined) conditions.push(sql`kind = any(${kinds})`)
  if (caller !== undefined) conditions.push(sql`lower(caller_name) = lower(${caller})`)
  if (before) conditions.push(sql`(time, id) < (${before.time}::timestamptz, ${before.id}::bigint)`)
  return connection.rows<WrittenLine>(sql`
    select id, time, kind, caller_kind as "callerKind", caller_id as "callerId", caller_name as "callerName", address, details
    from security_log where ${allOf(conditions)} order by time desc, id desc limit ${limit}`)
}

const PAUSE_MS = 1000
const MOST_LINES_AT_ONCE = 500
/** Lines that may wait while the database does not accept them. */
const MOST_WAITING = 10_000
/** How many notes of this hour are remembered; beyond that, some lines are written again, which the database ignores. */
const MOST_NOTED = 100_000

/** A line that is written once an hour per caller and object, however often it happens. */
interface HourlyLine {
  readonly kind: SecurityKind
  readonly actor: Actor
  readonly address: string
  readonly object: string
}

interface GatheredLinesOptions {
  readonly database: Database
  readonly log: Logger
  readonly pauseMs?: number
  readonly mostWaiting?: number
  readonly clock?: Clock
}

/** Written once a second. While the database does not accept them they wait; a line states how many were dropped. */
export class GatheredLines {
  readonly #database: Database
  readonly #log: Logger
  readonly #pauseMs: number
  readonly #mostWaiting: number
  readonly #clock: Clock
  #waiting: SecurityLine[] = []
  readonly #noted = new Set<string>()
  #notedHour = 0
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
      if (this.#lost.size === 0) this.#log.error('the security log cannot be written: lines are lost')
      this.#lost.set(actor.accountId, (this.#lost.get(actor.accountId) ?? 0) + 1)
      return
    }
    this.#waiting.push({ kind, actor, address, details: { object }, timeMs: nowMs, once })
    this.#writeSoon()
  }

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
      const lines = this.#waiting.slice(0, MOST_LINES_AT_ONCE)
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

const MOST_DROPPED_AT_ONCE = 10_000

/** Call it again until 0 is returned. The table allows no other deletion, and none of the last seven days. */
export async function dropSecurityLinesBefore(transaction: Transaction, beforeMs: number): Promise<number> {
  await transaction.rows(sql`set local tacho.retention = 'security_log'`)
  const rows = await transaction.rows(sql`
    delete from security_log where id = any(array(
      select id from security_log where time < ${instantOfMs(beforeMs)}::timestamptz order by time limit ${MOST_DROPPED_AT_ONCE}))
    returning id`)
  return rows.length
}
