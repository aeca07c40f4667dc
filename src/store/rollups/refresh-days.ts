import { sql } from '../sql.ts'
import type { Transaction } from '../transaction.ts'
import { lockVehicleDays } from './vehicle-day-lanes.ts'
import { workOutDays } from './work-out-days.ts'

/** A trip of this vehicle that begins at this time was added, changed, taken away, opened or closed. */
export interface TouchedTrip {
  readonly accountId: number
  readonly vehicleId: number
  readonly timeMs: number
}

const DAY_MS = 24 * 3_600_000

/**
 * Works out the rows of `vehicle_days` anew that changed trips belong to (a trip that moved belongs to two), and notes
 * which days of their accounts are due. The trips must be written already, and the caller holds the lanes of their
 * devices. Call it once and last in a transaction: the lanes of vehicles are taken after all other locks, so that two
 * transactions can not wait for each other.
 */
export async function refreshDays(transaction: Transaction, touched: readonly TouchedTrip[]): Promise<void> {
  if (touched.length === 0) return
  const days = distinctDays(touched)
  await lockVehicleDays(
    transaction,
    days.map(day => day.vehicleId),
  )
  // A statement of its own: its snapshot is taken after the lock was given.
  await transaction.rows(
    workOutDays(
      sql`
        select account_id, vehicle_id, date '1970-01-01' + day as day
        from unnest(
          ${days.map(day => day.accountId)}::integer[],
          ${days.map(day => day.vehicleId)}::bigint[],
          ${days.map(day => day.day)}::integer[]
        ) as t (account_id, vehicle_id, day)`,
      sql`item.vehicle_id = touched.vehicle_id
        and item.start_time >= (touched.day::timestamp at time zone 'UTC')
        and item.start_time < ((touched.day + 1)::timestamp at time zone 'UTC')`,
    ),
    { prepareAs: 'refresh-vehicle-days' },
  )
}

interface VehicleDay {
  readonly accountId: number
  readonly vehicleId: number
  /** Days since 1970-01-01, UTC. */
  readonly day: number
}

function distinctDays(touched: readonly TouchedTrip[]): VehicleDay[] {
  const byKey = new Map<string, VehicleDay>()
  for (const { accountId, vehicleId, timeMs } of touched) {
    const day = Math.floor(timeMs / DAY_MS)
    byKey.set(`${vehicleId} ${day}`, { accountId, vehicleId, day })
  }
  return [...byKey.values()]
}
