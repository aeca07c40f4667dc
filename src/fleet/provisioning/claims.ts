import { insertOf } from '../../db/bulk-rows.ts'
import type { Connection } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { DeviceId } from '../../model/sample.ts'

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

/** Refused claims kept per account, so that an attacker can not fill the table. */
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

/** Deletes claims whose dongle is gone, or that an operator has decided. */
export async function dropClaims(transaction: Transaction, deviceIds: readonly DeviceId[]): Promise<void> {
  await transaction.rows(sql`
    delete from claims where device_id = any(${deviceIds}::bigint[]) and state in ('open', 'by key')`)
}

/** A claim as an operator sees it. */
export interface ListedClaim {
  readonly imei: DeviceId
  readonly account: string
  readonly claimed: string
  readonly state: ClaimState
  readonly changed: string
  /** The account that has the dongle now; null if none. */
  readonly ownedBy: string | null
  /** The account to which it was handed out; null if none. */
  readonly handedOutTo: string | null
}

/** Claims, the newest first. */
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

/** Claims whose dongle has reported are no claims any more. */
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
