import { isDistributed } from '../db/citus.ts'
import { isLockTimeout } from '../db/faults.ts'
import { LOCK_KIND, LOCKS } from '../db/locks.ts'
import { rowsOf, sql } from '../db/sql.ts'
import { unavailable } from '../model/errors.ts'
import { DAY_MS, overlap, type TimeRange, WEEK_MS, weekStartMs } from '../model/time-range.ts'

export type Client = Parameters<typeof rowsOf>[0]

interface SampleTable extends TableSpan {
  /** `pending`: a detach was interrupted; the table is no partition for writers any more, but still one for PostgreSQL. */
  readonly state: 'attached' | 'pending' | 'detached'
}

/** Every table of samples, also those that an interrupted run left; pending ones first, because only one may exist. */
export async function sampleTables(client: Client): Promise<SampleTable[]> {
  const rows = await rowsOf<Pick<SampleTable, 'name' | 'state'>>(
    client,
    sql`
      select c.relname as name,
        case when i.inhrelid is null then 'detached' when i.inhdetachpending then 'pending' else 'attached' end as state
      from pg_class c left join pg_inherits i on i.inhrelid = c.oid
      where c.relkind = 'r' and c.relname like 'samples\\_%'
        and c.relnamespace = (select relnamespace from pg_class where oid = 'samples'::regclass)
      order by i.inhdetachpending is true desc, c.relname`,
  )
  return rows.flatMap(({ name, state }) => {
    const span = spanOfTable(name)
    return span ? [{ ...span, state }] : []
  })
}

/** How long readers and writers of samples wait at most for a change of tables that locks them out. */
const LOCK_LIMIT_MS = 300

/** Runs a transaction that locks out readers and writers of samples.
 * @returns undefined, and nothing is changed, where it had to wait for one of them for 0.3 s */
export async function changeTables<T>(client: Client, change: () => Promise<T>): Promise<T | undefined> {
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = ${LOCK_LIMIT_MS}`)
    const result = await change()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback')
    if (isLockTimeout(error)) return undefined
    throw error
  }
}

/** Locks everybody else out of all tables of samples, until the end of the transaction. */
export async function lockSamples(client: Client): Promise<void> {
  await rowsOf(client, sql`select pg_advisory_xact_lock(${LOCK_KIND}, ${LOCKS.partitions})`)
  await client.query('lock table samples in access exclusive mode')
}

/** Detaches a table without blocking others. Citus has no such way: there, readers and writers wait for 0.3 s at most.
 * @returns false when that took longer: the table stays for now */
export async function detach(client: Client, name: string, state: 'attached' | 'pending'): Promise<boolean> {
  if (await isDistributed({ rows: statement => rowsOf(client, statement) }))
    return (
      (await changeTables(client, () => client.query(`alter table samples detach partition ${name}`))) !== undefined
    )
  await client.query(
    `alter table samples detach partition ${name} ${state === 'pending' ? 'finalize' : 'concurrently'}`,
  )
  return true
}

async function isDetachPending(client: Client, name: string): Promise<boolean> {
  const rows = await rowsOf(
    client,
    sql`select 1 from pg_inherits where inhrelid = to_regclass(${name}) and inhdetachpending`,
  )
  return rows.length > 0
}

/** All measurements wait during this time. */
const FINISH_LIMIT_MS = 2000
const RETRY_AFTER_S = 30

/** Finishes an interrupted detach.
 * @throws ClientError 503 when another process is doing it, or the week is still being read */
export async function finishDetach(client: Client, name: string): Promise<void> {
  const beingDropped = (cause?: unknown) =>
    unavailable('Measurements of a week beyond the retention arrive while it is being dropped.', RETRY_AFTER_S, cause)
  // Without waiting: a waiting transaction counts as a reader, and a detach waits for readers.
  if (!(await lockRetention(client))) throw beingDropped()
  try {
    if (await isDetachPending(client, name)) {
      await client.query(`set statement_timeout = ${FINISH_LIMIT_MS}`)
      await detach(client, name, 'pending')
      await client.query('reset statement_timeout')
    }
    await unlockRetention(client)
  } catch (error) {
    throw beingDropped(error)
  }
}

/** Drops the empty tables of samples before an instant, after looking again when nobody else can write.
 * @returns the tables that were dropped */
export async function dropEmptyTables(client: Client, beforeMs: number): Promise<string[]> {
  if (!(await lockRetention(client))) return []
  const dropped: string[] = []
  for (const { name, state, toMs } of await sampleTables(client))
    if (state === 'attached' && toMs <= beforeMs && (await isEmpty(client, name)) && (await dropIfEmpty(client, name)))
      dropped.push(name)
  await unlockRetention(client)
  return dropped
}

async function isEmpty(client: Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query(`select 1 from ${name} limit 1`)
  return rowCount === 0
}

async function dropIfEmpty(client: Client, name: string): Promise<boolean> {
  const isDropped = await changeTables(client, async () => {
    await lockSamples(client)
    const mayGo = await isEmpty(client, name)
    if (mayGo) await client.query(`drop table ${name}`)
    return mayGo
  })
  return isDropped === true
}

/** One node at a time drops and merges tables. @returns false while another one does */
export async function lockRetention(client: Client): Promise<boolean> {
  const [lock] = await rowsOf<{ mine: boolean }>(
    client,
    sql`select pg_try_advisory_lock(${LOCK_KIND}, ${LOCKS.retention}) as mine`,
  )
  return lock?.mine ?? false
}

export async function unlockRetention(client: Client): Promise<void> {
  await rowsOf(client, sql`select pg_advisory_unlock(${LOCK_KIND}, ${LOCKS.retention})`)
}

/** The time that one table covers: from one Monday to another. */
export interface TableSpan extends TimeRange {
  readonly name: string
}

/** The time that a table covers, by its name: `samples_2026_11_16` a week, `samples_2003` a year; undefined for any other. */
export function spanOfTable(name: string): TableSpan | undefined {
  const weekMs = partitionStartMs(name)
  if (weekMs !== undefined) return { name, fromMs: weekMs, toMs: weekMs + WEEK_MS }
  const year = /^samples_(\d{4})$/.exec(name)?.[1]
  return year === undefined ? undefined : yearSpan(Number(year))
}

export function weekSpanAt(timeMs: number): TableSpan {
  const fromMs = weekStartMs(timeMs)
  return { name: partitionName(fromMs), fromMs, toMs: fromMs + WEEK_MS }
}

/** The ISO 8601 year of a time, which consists of whole weeks. */
export function yearSpanAt(timeMs: number): TableSpan {
  return yearSpan(new Date(weekStartMs(timeMs) + 3 * DAY_MS).getUTCFullYear())
}

/** The table to create for a week; undefined when one covers it. Years before `yearlyBeforeMs` get one table, unless
 * they have weeks: old samples must not cause a table for each week (docs/adr/0021-fair-shares.md). */
export function missingTable(
  weekMs: number,
  existing: readonly TableSpan[],
  yearlyBeforeMs: number,
): TableSpan | undefined {
  const week = weekSpanAt(weekMs)
  if (existing.some(table => overlap(table, week))) return undefined
  const year = yearSpanAt(weekMs)
  return year.toMs <= yearlyBeforeMs && !existing.some(table => overlap(table, year)) ? year : week
}

/** The first week of a year is the one with 4 January in it. */
function yearSpan(year: number): TableSpan {
  const startOf = (which: number) => weekStartMs(Date.UTC(which, 0, 4))
  return { name: `samples_${year}`, fromMs: startOf(year), toMs: startOf(year + 1) }
}

/** `samples_2026_11_16`: the table of the week that begins on that day. */
export function partitionName(startMs: number): string {
  return `samples_${new Date(startMs).toISOString().slice(0, 10).replaceAll('-', '_')}`
}

/** @returns undefined for a table that is not a week of samples. */
export function partitionStartMs(name: string): number | undefined {
  const day = /^samples_(\d{4})_(\d{2})_(\d{2})$/.exec(name)
  return day ? Date.UTC(Number(day[1]), Number(day[2]) - 1, Number(day[3])) : undefined
}
