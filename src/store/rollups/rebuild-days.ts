import { sql } from '../sql.ts'
import type { Transaction } from '../transaction.ts'
import { lockAllVehicleDays } from './vehicle-day-lanes.ts'
import { workOutDays } from './work-out-days.ts'

/**
 * Works out all days of the vehicles of an account anew, or of every account, by one statement. Whoever ends trips
 * meanwhile waits for this transaction.
 * @returns how many days of vehicles were not what the trips say. Their accounts' days are due afterwards.
 */
export async function rebuildDays(transaction: Transaction, accountId?: number): Promise<number> {
  await lockAllVehicleDays(transaction)
  const [result] = await transaction.rows<{ changed: number }>(
    workOutDays(
      sql`
        select v.account_id, day.vehicle_id, day.day
        from (
          select vehicle_id, (start_time at time zone 'UTC')::date as day from trips
          where deleted is null and not is_open
          union
          select vehicle_id, day from vehicle_days
        ) as day
        join vehicles v on v.id = day.vehicle_id
        where v.account_id = coalesce(${accountId ?? null}::integer, v.account_id)`,
      sql`item.vehicle_id = touched.vehicle_id and (item.start_time at time zone 'UTC')::date = touched.day`,
    ),
  )
  return result?.changed ?? 0
}
