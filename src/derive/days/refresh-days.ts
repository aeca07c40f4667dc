import { unnestOf } from '../../db/bulk-rows.ts'
import type { HeldVehicles } from '../../db/shards/vehicle-shards.ts'
import { sql } from '../../db/sql.ts'
import { workOutDays } from './work-out-days.ts'

/** A trip of this vehicle that begins at this time began or ceased to count, or counts with other sums. */
export interface TouchedDay {
  readonly accountId: number
  readonly vehicleId: number
  readonly timeMs: number
}

const DAY_MS = 24 * 3_600_000

/**
 * Computes the rows of `vehicle_days` again that changed trips belong to (a trip that moved belongs to two), and notes
 * which days of their accounts are due.
 */
export async function refreshDays({ transaction }: HeldVehicles, touched: readonly TouchedDay[]): Promise<void> {
  if (touched.length === 0) return
  const days = distinctDays(touched)
  await transaction.rows(
    workOutDays(
      sql`
        select account_id, vehicle_id, date '1970-01-01' + day as day
        from ${unnestOf({ account_id: 'integer', vehicle_id: 'bigint', day: 'integer' }, days)}`,
      sql`item.vehicle_id = touched.vehicle_id
        and item.start_time >= (touched.day::timestamp at time zone 'UTC')
        and item.start_time < ((touched.day + 1)::timestamp at time zone 'UTC')`,
    ),
    { prepareAs: 'refresh-vehicle-days' },
  )
}

interface VehicleDay {
  readonly account_id: number
  readonly vehicle_id: number
  /** Days since 1970-01-01, UTC. */
  readonly day: number
}

function distinctDays(touched: readonly TouchedDay[]): VehicleDay[] {
  const byKey = new Map<string, VehicleDay>()
  for (const { accountId, vehicleId, timeMs } of touched) {
    const day = Math.floor(timeMs / DAY_MS)
    byKey.set(`${vehicleId} ${day}`, { account_id: accountId, vehicle_id: vehicleId, day })
  }
  return [...byKey.values()]
}
