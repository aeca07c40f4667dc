import { isDistributed } from '../db/citus.ts'
import { isLockTimeout } from '../db/faults.ts'
import { LOCK_KIND, LOCKS } from '../db/locks.ts'
import { rowsOf, sql } from '../db/sql.ts'
import { spanOfTable, type TableSpan } from '../db/table-spans.ts'
import { unavailable } from '../model/errors.ts'

export type Client = Parameters<typeof rowsOf>[0]

/** A table of samples of a week or a year. */
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

/**
 * Runs a transaction that locks readers and writers of samples out.
 * @returns undefined, and nothing is changed, where it had to wait for one of them for 0.3 s
 */
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

/**
 * Detaches a table. Waits for its readers without blocking others. Citus has no such way: there, readers and writers of samples wait
 * until its own readers are done, for 0.3 s at most.
 * @returns false when that took longer: the table stays for now
 */
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

/**
 * Finishes an interrupted detach, for new samples of its week.
 * @throws ClientError 503 when another process is doing it, or the week is still being read.
 */
export async function finishDetach(client: Client, name: string): Promise<void> {
  const beingDropped = (cause?: unknown) =>
    unavailable('Measurements of a week beyond the retention arrive while it is being dropped.', RETRY_AFTER_S, cause)
  // Without waiting: a waiting transaction counts as a reader, and a detach waits for readers.
  const [lock] = await rowsOf<{ mine: boolean }>(
    client,
    sql`select pg_try_advisory_lock(${LOCK_KIND}, ${LOCKS.retention}) as mine`,
  )
  if (!lock?.mine) throw beingDropped()
  try {
    if (await isDetachPending(client, name)) {
      await client.query(`set statement_timeout = ${FINISH_LIMIT_MS}`)
      await detach(client, name, 'pending')
      await client.query('reset statement_timeout')
    }
    await rowsOf(client, sql`select pg_advisory_unlock(${LOCK_KIND}, ${LOCKS.retention})`)
  } catch (error) {
    throw beingDropped(error)
  }
}

/**
 * Drops the tables of samples before an instant that are empty. No sample can come to one in the meantime: it is looked at again when
 * nobody else can write.
 * @returns the tables that were dropped
 */
export async function dropEmptyTables(client: Client, beforeMs: number): Promise<string[]> {
  const [lock] = await rowsOf<{ mine: boolean }>(
    client,
    sql`select pg_try_advisory_lock(${LOCK_KIND}, ${LOCKS.retention}) as mine`,
  )
  if (!lock?.mine) return []
  const dropped: string[] = []
  for (const { name, state, toMs } of await sampleTables(client))
    if (state === 'attached' && toMs <= beforeMs && (await isEmpty(client, name)) && (await dropIfEmpty(client, name)))
      dropped.push(name)
  await rowsOf(client, sql`select pg_advisory_unlock(${LOCK_KIND}, ${LOCKS.retention})`)
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
