import { revised, updateOf } from '../../db/bulk-rows.ts'
import type { LockedDevice } from '../../db/shards/locked-devices.ts'
import type { Transaction } from '../../db/transaction.ts'

/** Gives vehicles new revisions, because clients see something else of them (decisions.md, *Sync*). Each is named once. */
export async function reviseVehicles(transaction: Transaction, vehicleIds: readonly number[]): Promise<void> {
  if (vehicleIds.length === 0) return
  const rows = vehicleIds.map(id => ({ id }))
  await transaction.rows(updateOf('vehicles', ['id'], await revised(transaction, rows)))
}

/** The same for a device. */
export async function reviseDevice({ transaction, deviceId }: LockedDevice): Promise<void> {
  await transaction.rows(updateOf('devices', ['id'], await revised(transaction, [{ id: deviceId }])))
}
