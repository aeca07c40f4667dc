import { insertOf } from '../db/bulk-rows.ts'
import { lockDevices } from '../db/shards.ts'
import { type Connection, sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import type { DeviceId } from '../model/sample.ts'

/** The state of a claim: an account registered a dongle by itself (docs/adr/0023). */
type ClaimState =
  /** Registered; it has not reported yet. */
  | 'open'
  /** It joined with data that a key of the account sent, and was never handed out. */
  | 'by key'
  /** It never reported, and was released. */
  | 'released'
  /** It is not this account's to register. */
  | 'refused'

export interface Claim {
  readonly deviceId: DeviceId
  readonly accountId: number
}

/** Refused claims kept per account, so that an attacker cannot fill the table. */
const MOST_REFUSED = 1000

/** Stores claims; a former one of the same account and dongle is replaced. */
export async function keepClaims(transaction: Transaction, claims: readonly Claim[], state: ClaimState): Promise<void> {
  if (claims.length === 0) return
  const rows = claims.map(({ deviceId, accountId }) => ({ device_id: deviceId, account_id: accountId, state }))
  const anew = sql`
    on conflict (device_id, account_id) do update set
      state = excluded.state, claimed = clock_timestamp(), changed = clock_timestamp()`
  await transaction.rows(insertOf('claims', rows, anew))
  if (state !== 'refused') return
  for (const accountId of new Set(claims.map(claim => claim.accountId)))
    await transaction.rows(sql`
      delete from claims where account_id = ${accountId} and state = 'refused' and claimed < (
        select claimed from claims where account_id = ${accountId} and state = 'refused'
        order by claimed desc offset ${MOST_REFUSED - 1} limit 1)`)
}

export async function dropClaims(transaction: Transaction, deviceIds: readonly DeviceId[]): Promise<void> {
  await transaction.rows(sql`
    delete from claims where device_id = any(${deviceIds}::bigint[]) and state in ('open', 'by key')`)
}

export interface ListedClaim {
  readonly imei: DeviceId
  readonly account: string
  readonly claimed: string
  readonly state: ClaimState
  readonly changed: string
  readonly ownedBy: string | null
  readonly handedOutTo: string | null
}

export function listClaims(connection: Connection, account: string | undefined): Promise<ListedClaim[]> {
  return connection.rows<ListedClaim>(sql`
    select k.device_id as imei, c.name as account, k.claimed, k.state, k.changed, o.name as "ownedBy",
      h.name as "handedOutTo"
    from claims k join accounts c on c.id = k.account_id
    left join assignments a on a.device_id = k.device_id and a.to_time = 'infinity'
    left join accounts o on o.id = a.account_id
    left join allotments l on l.imeis @> k.device_id
    left join accounts h on h.id = l.account_id
    where c.name = coalesce(${account ?? null}::text, c.name) order by k.claimed desc, k.device_id limit 10000`)
}

export async function reconcileReportedClaims(transaction: Transaction): Promise<void> {
  await transaction.rows(sql`
    delete from claims k using device_states s where k.state = 'open' and s.device_id = k.device_id`)
}

/** Open claims that are older than so many days, a few at a time. */
export function readStaleClaims(connection: Connection, days: number): Promise<Claim[]> {
  return connection.rows<Claim>(sql`
    select device_id as "deviceId", account_id as "accountId" from claims k
    where state = 'open' and claimed < clock_timestamp() - ${days} * interval '1 day'
      and not exists (select from device_states s where s.device_id = k.device_id)
    order by claimed limit 100`)
}

/** To which accounts the operator has handed out IMEIs (docs/adr/0023). */
export interface HandedOut {
  readonly owners: ReadonlyMap<DeviceId, number>
  /** There is no other account: nothing needs to be handed out. */
  readonly isSoleAccount: boolean
}

/** From the first to the last number, both included. */
export interface ImeiRange {
  readonly first: DeviceId
  readonly last: DeviceId
}

/** @param deviceIds none, and nothing is asked */
export async function readHandedOut(connection: Connection, deviceIds: readonly DeviceId[]): Promise<HandedOut> {
  if (deviceIds.length === 0) return { owners: new Map(), isSoleAccount: true }
  const [row] = await connection.rows<{ accounts: number; owners: readonly (readonly [DeviceId, number])[] }>(
    sql`
      select (select count(*) from accounts) as accounts, coalesce((
        select jsonb_agg(jsonb_build_array(d.id, a.account_id))
        from unnest(${deviceIds}::bigint[]) as d (id) join allotments a on a.imeis @> d.id), '[]') as owners`,
    { prepareAs: 'handed-out' },
  )
  return { owners: new Map(row?.owners), isSoleAccount: (row?.accounts ?? 0) <= 1 }
}

interface ListedRange extends ImeiRange {
  readonly account: string
  readonly created: string
  /** Dongles of the range that are there, whoever has them. */
  readonly devices: number
}

export function listHandedOut(connection: Connection, account: string | undefined): Promise<ListedRange[]> {
  return connection.rows<ListedRange>(sql`
    select c.name as account, lower(a.imeis) as first, upper(a.imeis) - 1 as last, a.created,
      (select count(*) from devices d where d.deleted is null and a.imeis @> d.id) as devices
    from allotments a join accounts c on c.id = a.account_id
    where c.name = coalesce(${account ?? null}::text, c.name) order by 2`)
}

/** Another account has a part of it, so nothing was done; or dongles that others have already. */
type HandingOut =
  | { readonly kind: 'taken'; readonly by: readonly ListedRange[] }
  | {
      readonly kind: 'handed out'
      readonly elsewhere: readonly { readonly deviceId: DeviceId; readonly account: string }[]
    }

/** Hands a range out to an account; one that touches what it has becomes one with it. */
export async function handOut(transaction: Transaction, accountId: number, range: ImeiRange): Promise<HandingOut> {
  await lockRanges(transaction)
  const imeis = rangeOf(range)
  const by = await transaction.rows<ListedRange>(sql`
    select c.name as account, lower(a.imeis) as first, upper(a.imeis) - 1 as last, a.created, 0 as devices
    from allotments a join accounts c on c.id = a.account_id
    where a.imeis && ${imeis} and a.account_id <> ${accountId} order by 2`)
  if (by.length > 0) return { kind: 'taken', by }
  await transaction.rows(sql`
    with merged as (
      delete from allotments where account_id = ${accountId} and (imeis && ${imeis} or imeis -|- ${imeis}) returning imeis
    )
    insert into allotments (account_id, imeis)
    select ${accountId}, int8range(
      least(${range.first}::bigint, min(lower(imeis))), greatest(${range.last}::bigint + 1, max(upper(imeis)))) from merged`)
  const claimed = await transaction.rows<{ id: DeviceId }>(sql`
    select d.id from devices d join assignments a on a.device_id = d.id
    where d.is_claimed and d.id <@ ${imeis} and a.to_time = 'infinity' and a.account_id = ${accountId}`)
  const locked = await lockDevices(
    transaction,
    claimed.map(({ id }) => id),
  )
  await transaction.rows(sql`update devices set is_claimed = false where id = any(${locked.deviceIds}::bigint[])`)
  await transaction.rows(sql`
    delete from claims where account_id = ${accountId} and state in ('by key', 'refused') and device_id <@ ${imeis}`)
  const elsewhere = await transaction.rows<{ deviceId: DeviceId; account: string }>(sql`
    select a.device_id as "deviceId", c.name as account from assignments a join accounts c on c.id = a.account_id
    where a.device_id <@ ${imeis} and a.to_time = 'infinity' and a.account_id <> ${accountId} order by 1 limit 100`)
  return { kind: 'handed out', elsewhere }
}

/** Takes a range back; dongles of it that are there stay where they are. @returns whether the account had any of it */
export async function takeBack(transaction: Transaction, accountId: number, range: ImeiRange): Promise<boolean> {
  await lockRanges(transaction)
  const imeis = rangeOf(range)
  const taken = await transaction.rows<{ first: number; after: number }>(sql`
    delete from allotments where account_id = ${accountId} and imeis && ${imeis}
    returning lower(imeis) as first, upper(imeis) as after`)
  for (const { first, after } of taken)
    await transaction.rows(sql`
      insert into allotments (account_id, imeis)
      select ${accountId}, rest from unnest(array[
        int8range(${first}, greatest(${first}, ${range.first}::bigint)),
        int8range(least(${after}, ${range.last}::bigint + 1), ${after})]) as rest where not isempty(rest)`)
  return taken.length > 0
}

/** One operator at a time: ranges of others are looked at before any is written. */
async function lockRanges(transaction: Transaction): Promise<void> {
  await transaction.rows(sql`lock table allotments in share row exclusive mode`)
}

function rangeOf({ first, last }: ImeiRange) {
  return sql`int8range(${first}, ${last}, '[]')`
}
