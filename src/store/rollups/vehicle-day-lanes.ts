import { sql } from '../sql.ts'
import type { Transaction } from '../transaction.ts'

/** Advisory locks of this kind are for the rollups of vehicles; the lane is the second key. */
const LOCK_KIND_OF_VEHICLE_DAYS = 7413
/** Few enough that a batch that ends trips of a whole fleet does not fill the table of locks. Every node must count alike. */
const LANE_COUNT = 64

/**
 * Waits until this transaction is the only one that works out days of these vehicles. Dongles have lanes of their own
 * (`fleet/lanes.ts`), but two dongles can be in one vehicle, and their batches in two transactions: neither sees the
 * trips of the other before it commits. With the lane held, whatever the other one wrote is committed and seen by the
 * next statement. Taken in ascending order, so that two transactions can not wait for each other.
 */
export async function lockVehicleDays(transaction: Transaction, vehicleIds: Iterable<number>): Promise<void> {
  await lockLanes(transaction, new Set([...vehicleIds].map(id => id % LANE_COUNT)))
}

/** Waits until this transaction is the only one that works out days of any vehicle. */
export async function lockAllVehicleDays(transaction: Transaction): Promise<void> {
  await lockLanes(
    transaction,
    Array.from({ length: LANE_COUNT }, (_, lane) => lane),
  )
}

async function lockLanes(transaction: Transaction, wanted: Iterable<number>): Promise<void> {
  const lanes = [...wanted].sort((a, b) => a - b)
  await transaction.rows(
    sql`select pg_advisory_xact_lock(${LOCK_KIND_OF_VEHICLE_DAYS}, lane) from unnest(${lanes}::integer[]) as lane`,
    { prepareAs: 'lock-vehicle-days' },
  )
}
