import { type HeldVehicles, lockAllVehicles } from '../../db/shards/vehicle-shards.ts'
import { type Statement, sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import { workOutDays } from './work-out-days.ts'

/**
 * Computes all days of all vehicles again, in one statement. Transactions that end trips in the meantime wait for this one.
 * @returns how many days of vehicles were wrong. Their accounts' days are due afterwards.
 */
export async function rebuildDays(transaction: Transaction): Promise<number> {
  return workOutAllDays(await lockAllVehicles(transaction), sql`true`)
}

/** The same for some vehicles. */
export function rebuildDaysOf(held: HeldVehicles, vehicleIds: readonly number[]): Promise<number> {
  return workOutAllDays(held, sql`vehicle_id = any(${vehicleIds}::bigint[])`)
}

/** @param isWanted a condition on account_id and vehicle_id */
async function workOutAllDays({ transaction }: HeldVehicles, isWanted: Statement): Promise<number> {
  const [result] = await transaction.rows<{ changed: number }>(
    workOutDays(
      sql`
        select account_id, vehicle_id, (start_time at time zone 'UTC')::date as day from trips
        where deleted is null and not is_open and ${isWanted}
        union
        select account_id, vehicle_id, day from vehicle_days where ${isWanted}`,
      sql`item.vehicle_id = touched.vehicle_id and (item.start_time at time zone 'UTC')::date = touched.day`,
    ),
  )
  return result?.changed ?? 0
}
