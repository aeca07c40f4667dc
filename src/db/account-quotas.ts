import { insertOf } from './bulk-rows.ts'
import { type Connection, type Statement, sql } from './sql.ts'

/** How much an account may send and keep; undefined means unlimited. */
export interface Quota {
  readonly eventsPerMinute: number | undefined
  readonly volumeMb: number | undefined
}

/** As set by an operator: `default` uses the settings. */
export type QuotaChoice = number | 'none' | 'default'

/** An account that has a quota, and how much of it is used. */
export interface QuotaUse extends Quota {
  readonly accountId: number
  /** How much of its events a minute. */
  readonly eventsUsed: number
  readonly volumeBytes: number
}

/** The approximate stored volume of an account, by week. */
interface StoredVolume {
  readonly accountId: number
  /** The Monday, as `2026-11-16`. */
  readonly week: string
  readonly bytes: number
}

/** The quotas of all accounts that have any, or that an operator made unlimited. @param defaults for the others */
export async function readQuotas(connection: Connection, defaults: Quota): Promise<QuotaUse[]> {
  const rows = await connection.rows<{
    id: number
    events_per_minute: number | null
    volume_mb: number | null
    used: number | null
    bytes: number | null
  }>(
    sql`
      select a.id, a.events_per_minute, a.volume_mb, ${runOff(sql`a.events_per_minute`)} as used,
        case when a.volume_mb > 0 then (select sum(v.bytes)::bigint from account_volumes v where v.account_id = a.id) end
          as bytes
      from (
        select id, coalesce(events_per_minute, ${defaults.eventsPerMinute ?? null}) as events_per_minute,
          coalesce(volume_mb, ${defaults.volumeMb ?? null}) as volume_mb
        from accounts
      ) as a left join account_levels l on l.account_id = a.id
      where a.events_per_minute is not null or a.volume_mb is not null`,
    { prepareAs: 'account-quotas' },
  )
  return rows.map(row => ({
    accountId: row.id,
    eventsPerMinute: row.events_per_minute || undefined,
    volumeMb: row.volume_mb || undefined,
    eventsUsed: row.used ?? 0,
    volumeBytes: row.bytes ?? 0,
  }))
}

/** The level `l` now, after draining since it was stored (leaky bucket). */
function runOff(perMinute: Statement): Statement {
  return sql`greatest(0, l.events - greatest(0, extract(epoch from clock_timestamp() - l.at)) / 60 * ${perMinute})::float8`
}

/** Sets the quotas of an account; those that are undefined stay as they are. */
export async function setQuota(
  connection: Connection,
  accountId: number,
  quota: { readonly eventsPerMinute: QuotaChoice | undefined; readonly volumeMb: QuotaChoice | undefined },
): Promise<void> {
  const { eventsPerMinute, volumeMb } = quota
  if (eventsPerMinute !== undefined)
    await connection.rows(
      sql`update accounts set events_per_minute = ${columnOf(eventsPerMinute)} where id = ${accountId}`,
    )
  if (volumeMb !== undefined)
    await connection.rows(sql`update accounts set volume_mb = ${columnOf(volumeMb)} where id = ${accountId}`)
}

/** The quotas that an operator set for an account, and its stored volume. */
export async function readQuotaChoice(
  connection: Connection,
  accountId: number,
): Promise<{
  readonly eventsPerMinute: QuotaChoice
  readonly volumeMb: QuotaChoice
  readonly volumeBytes: number
}> {
  const [row] = await connection.rows<{
    events_per_minute: number | null
    volume_mb: number | null
    bytes: number
  }>(sql`
    select events_per_minute, volume_mb,
      (select coalesce(sum(v.bytes), 0)::bigint from account_volumes v where v.account_id = a.id) as bytes
    from accounts a where id = ${accountId}`)
  return {
    eventsPerMinute: choiceOf(row?.events_per_minute ?? null),
    volumeMb: choiceOf(row?.volume_mb ?? null),
    volumeBytes: row?.bytes ?? 0,
  }
}

/** Adds the events of accounts to the levels that all nodes share, which drain over time. @returns the levels now */
export async function addToLevels(
  connection: Connection,
  used: readonly { readonly accountId: number; readonly events: number; readonly eventsPerMinute: number }[],
): Promise<Map<number, number>> {
  if (used.length === 0) return new Map()
  const rows = await connection.rows<{ account_id: number; events: number }>(sql`
    with used as (
      select * from unnest(${used.map(item => item.accountId)}::integer[], ${used.map(item => item.events)}::float8[],
        ${used.map(item => item.eventsPerMinute)}::float8[]) as u (account_id, events, per_minute)
      order by account_id
    )
    insert into account_levels as l (account_id, events) select account_id, events from used
    on conflict (account_id) do update set at = clock_timestamp(),
      events = excluded.events + ${runOff(sql`(select per_minute from used u where u.account_id = l.account_id)`)}
    returning account_id, events`)
  return new Map(rows.map(row => [row.account_id, row.events]))
}

export async function addToVolumes(connection: Connection, volumes: readonly StoredVolume[]): Promise<void> {
  if (volumes.length === 0) return
  const rows = volumes.map(({ accountId, week, bytes }) => ({ account_id: accountId, week, bytes }))
  const adding = sql`
    order by 1, 2
    on conflict (account_id, week) do update set bytes = account_volumes.bytes + excluded.bytes`
  await connection.rows(insertOf('account_volumes', rows, adding), { prepareAs: 'add-account-volumes' })
}

/** Weeks before were dropped. */
export async function dropVolumesBefore(connection: Connection, beforeMs: number): Promise<void> {
  await connection.rows(
    sql`delete from account_volumes where week < ${new Date(beforeMs).toISOString().slice(0, 10)}::date`,
  )
}

function columnOf(choice: QuotaChoice): number | null {
  return choice === 'default' ? null : choice === 'none' ? 0 : choice
}

function choiceOf(column: number | null): QuotaChoice {
  return column === null ? 'default' : column === 0 ? 'none' : column
}
