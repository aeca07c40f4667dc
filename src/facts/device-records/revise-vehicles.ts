import { revised, updateOf } from '../../db/bulk-rows.ts'
import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { DeviceId } from '../../model/sample.ts'

/** Gives vehicles new revisions, because clients see something else of them (decisions.md, *Sync*). Each is named once. */
export async function reviseVehicles(transaction: Transaction, vehicleIds: readonly number[]): Promise<void> {
  if (vehicleIds.length === 0) return
  const rows = vehicleIds.map(id => ({ id }))
  await transaction.rows(updateOf('vehicles', ['id'], await revised(transaction, rows)))
}

/** The same for a device. */
export async function reviseDevice(transaction: Transaction, deviceId: DeviceId): Promise<void> {
  await transaction.rows(sql`
    update devices set modified = ${await transaction.takeRevisions(1)}::timestamptz where id = ${deviceId}`)
}
