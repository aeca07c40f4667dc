import { revisionAfter } from '../../../db/revisions.ts'
import { sql } from '../../../db/sql.ts'
import type { Transaction } from '../../../db/transaction.ts'
import type { DeviceId } from '../../../model/sample.ts'

/** A device and the vehicle whose `tripId` changes with it. */
export interface Driver {
  readonly deviceId: DeviceId
  readonly vehicleId: number
}

/** Gives devices and vehicles whose `tripId` changed new revisions (decisions.md, *Sync*). */
export async function reviseDrivers(transaction: Transaction, drivers: readonly Driver[]): Promise<void> {
  if (drivers.length === 0) return
  const deviceIds = distinct(drivers.map(driver => driver.deviceId))
  const vehicleIds = distinct(drivers.map(driver => driver.vehicleId))
  const first = await transaction.takeRevisions(deviceIds.length + vehicleIds.length)
  await transaction.rows(
    sql`
      update devices d set modified = u.modified
      from unnest(${deviceIds}::bigint[], ${deviceIds.map((_, index) => revisionAfter(first, index))}::timestamptz[])
        as u (id, modified)
      where d.id = u.id`,
    { prepareAs: 'revise-devices' },
  )
  await transaction.rows(
    sql`
      update vehicles v set modified = u.modified
      from unnest(
        ${vehicleIds}::bigint[],
        ${vehicleIds.map((_, index) => revisionAfter(first, deviceIds.length + index))}::timestamptz[]
      ) as u (id, modified)
      where v.id = u.id`,
    { prepareAs: 'revise-vehicles' },
  )
}

function distinct<T extends number>(ids: readonly T[]): T[] {
  return [...new Set(ids)].sort((a, b) => a - b)
}
