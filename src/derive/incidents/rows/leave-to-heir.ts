import { revised, unnestOf } from '../../../db/bulk-rows.ts'
import { sql } from '../../../db/sql.ts'
import type { Transaction } from '../../../db/transaction.ts'
import type { DeviceId } from '../../../model/sample.ts'
import { noteRuleChange } from '../rule-changes.ts'

/**
 * A vehicle is about to go, and its id leads to another one: its withdrawn incidents move there, so that one that is told again
 * there has its row again, and rules that name it name the other one. Where the other one has a withdrawn incident of the same key,
 * that one is told again.
 */
export async function leaveIncidentsTo(
  transaction: Transaction,
  { accountId, vehicleId, heirId }: Readonly<Record<'accountId' | 'vehicleId' | 'heirId', number>>,
): Promise<void> {
  const rows = await transaction.rows<{ id: number; device_id: DeviceId; has_twin: boolean }>(sql`
    select item.id, item.device_id, exists (
      select from incidents twin where twin.device_id = item.device_id and twin.vehicle_id = ${heirId}
        and twin.rule_id = item.rule_id and twin.start_time = item.start_time and twin.area_id = item.area_id
        and twin.detail = item.detail and not twin.is_erased) as has_twin
    from incidents item where item.vehicle_id = ${vehicleId} order by item.id`)
  if (rows.length > 0)
    await transaction.rows(sql`
      update incidents item set vehicle_id = ${heirId}, is_erased = item.is_erased or u.has_twin, modified = u.modified
      from ${unnestOf(
        { device_id: 'bigint', id: 'bigint', has_twin: 'boolean', modified: 'timestamptz' },
        await revised(transaction, rows),
      )}
      where item.device_id = u.device_id and item.id = u.id`)
  const named = await transaction.rows(sql`
    update rule_versions set vehicle_ids = array_replace(vehicle_ids, ${vehicleId}::bigint, ${heirId}::bigint)
    where account_id = ${accountId} and ${vehicleId}::bigint = any(vehicle_ids) returning 1`)
  if (named.length > 0)
    await noteRuleChange(transaction, { accountId, fromMs: Number.NEGATIVE_INFINITY, vehicleIds: [heirId] })
}
