import type { Database } from '../../db/database.ts'
import { readOldestWriter } from '../../db/low-watermark.ts'
import { type Connection, sql } from '../../db/sql.ts'
import { type Transaction, writeTransaction } from '../../db/transaction.ts'
import { instantMs, instantOfMs } from '../../db/values.ts'
import type { DeviceId } from '../../model/sample.ts'
import { enterHistories } from '../due.ts'
import { areaIdsOf } from '../rules/rule-book.ts'
import { bookOfRow, RULE_BOOKS, type RuleBookRow } from '../rules/rule-books.ts'

/** The rules of an account, or areas that they name, differ from an instant on. */
interface RuleChange {
  readonly accountId: number
  readonly fromMs: number
  /** null: of all of the account. */
  readonly vehicleIds: readonly number[] | null
}

/** The rules or named areas of an account changed in this transaction: after its commit they are read anew, and
 * everything derived from `fromMs` on is folded again in the background. */
export async function noteRuleChange(
  transaction: Transaction,
  { accountId, fromMs, vehicleIds }: RuleChange,
): Promise<void> {
  const revision = await transaction.takeRevisions(1)
  await transaction.rows(sql`
    insert into rule_books (account_id, revision) values (${accountId}, ${revision}::timestamptz)
    on conflict (account_id) do update set revision = excluded.revision`)
  await transaction.rows(sql`
    insert into rule_changes (account_id, from_time, vehicle_ids)
    values (${accountId}, ${instantOfMs(fromMs)}::timestamptz, ${vehicleIds}::bigint[])`)
}

/** Areas changed from an instant on; nothing to do where no rule names them. Call it in the
 * transaction that changes them. */
export async function noteAreaChange(
  transaction: Transaction,
  {
    accountId,
    areaIds,
    fromMs,
  }: { readonly accountId: number; readonly areaIds: readonly number[]; readonly fromMs: number },
): Promise<void> {
  // A rule that is saved meanwhile waits, and reads the areas as they are then.
  const [row] = await transaction.rows<RuleBookRow>(
    sql`${RULE_BOOKS} where b.account_id = ${accountId} for update of b`,
  )
  const rules = row ? bookOfRow(row).rules : []
  const naming = rules.filter(rule => {
    const named = areaIdsOf(rule)
    return named && (named.length === 0 || areaIds.some(areaId => named.includes(areaId)))
  })
  if (naming.length === 0) return
  const firstMs = Math.min(...naming.map(rule => rule.fromMs))
  await noteRuleChange(transaction, { accountId, fromMs: Math.max(fromMs, firstMs), vehicleIds: null })
}

/** Changes wait for their devices to be entered. */
export const RULE_CHANGES_WAIT = sql`exists (select from rule_changes)`

/** Enters the devices of changes to be folded again, once all writers that may have read the former rules have ended.
 * The low watermark is no help: it passes those that have only read so far. */
export async function enterRuleChanges(database: Database): Promise<void> {
  await writeTransaction(database, transaction =>
    transaction.rows(sql`update rule_changes set seen = clock_timestamp() where seen is null`),
  )
  const oldestWriter = await readOldestWriter(database)
  await writeTransaction(database, transaction => enterSeen(transaction, oldestWriter))
}

/** @param oldestWriter no writing transaction is open that began before it */
async function enterSeen(transaction: Transaction, oldestWriter: string): Promise<void> {
  const devices = await transaction.rows<{ device_id: DeviceId; from_time: string }>(sql`
    with changes as (
      delete from rule_changes where id in (
        select id from rule_changes where seen < ${oldestWriter}::timestamptz for update skip locked)
      returning account_id, from_time, vehicle_ids
    )
    select a.device_id, min(least(greatest(c.from_time, a.from_time), s.last_time)) as from_time
    from changes c join assignments a on a.account_id = c.account_id and a.to_time > c.from_time
      join device_states s on s.device_id = a.device_id
    where (c.vehicle_ids is null or a.vehicle_id = any(c.vehicle_ids))
      -- By which version a dongle is silent, if by any, may be different long after its last sample.
      and (s.last_time >= greatest(c.from_time, a.from_time) or exists (
        select from incidents item where item.device_id = a.device_id and item.kind = 'OFFLINE' and item.end_time is null
          and item.deleted is null))
    group by a.device_id`)
  await enterHistories(
    transaction,
    devices.map(row => ({ deviceId: row.device_id, fromMs: instantMs(row.from_time) })),
  )
}

/** How many changes of an account wait. */
export async function countRuleChanges(connection: Connection, accountId: number): Promise<number> {
  const [row] = await connection.rows<{ changes: number }>(
    sql`select count(*) as changes from rule_changes where account_id = ${accountId}`,
  )
  return row?.changes ?? 0
}
