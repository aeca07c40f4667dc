import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import { instantOfMs } from '../../db/values.ts'
import type { Actor, Details, SecurityKind, SecurityLine } from './line.ts'

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

/** What users do to their own logins. */
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
