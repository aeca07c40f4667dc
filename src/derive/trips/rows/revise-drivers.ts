import { revised, updateOf } from '../../../db/bulk-rows.ts'
import type { Transaction } from '../../../db/transaction.ts'
import type { DeviceId } from '../../../model/sample.ts'

/** A device and the vehicle whose `tripId` changes with it. */
interface Driver {
  readonly deviceId: DeviceId
  readonly vehicleId: number
}

/** Gives new revisions to devices and vehicles whose `tripId` changed (decisions.md, *Sync*). */
export async function reviseDrivers(transaction: Transaction, drivers: readonly Driver[]): Promise<void> {
  if (drivers.length === 0) return
  const devices = distinct(drivers.map(driver => driver.deviceId)).map(id => ({ id }))
  const vehicles = distinct(drivers.map(driver => driver.vehicleId)).map(id => ({ id }))
  await transaction.rows(updateOf('devices', ['id'], await revised(transaction, devices)), {
    prepareAs: 'revise-devices',
  })
  await transaction.rows(updateOf('vehicles', ['id'], await revised(transaction, vehicles)), {
    prepareAs: 'revise-vehicles',
  })
}

function distinct<T extends number>(ids: readonly T[]): T[] {
  return [...new Set(ids)].sort((a, b) => a - b)
}
