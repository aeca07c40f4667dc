import { makeOfVin } from '../../../catalogue/makes/index.ts'
import type { Home } from '../../../derive/vehicles/placement.ts'
import { sql } from '../../sql.ts'
import type { Transaction } from '../../transaction.ts'
import { afterRename } from '../public-ids.ts'
import type { DeviceAssignments } from './assignment-rows.ts'

/**
 * Gives the vehicle that stands for a device the VIN that was read in it, or takes one back that later readings
 * showed to be none. The caller holds `lockVins` and knows that no other vehicle of the account has the VIN.
 */
export async function nameHome(
  transaction: Transaction,
  { accountId, deviceId }: DeviceAssignments,
  { vehicleId }: Home,
  vin: string | undefined,
): Promise<void> {
  const [row] = await transaction.rows<{ before: string; now: string }>(sql`
    update vehicles v set vin = ${vin ?? null}, make = ${vin === undefined ? '' : makeOfVin(vin)},
      first_device_id = case when ${vin === undefined} then ${deviceId}::bigint else v.first_device_id end,
      modified = ${await transaction.takeStamps(1)}::timestamptz
    from (select id, public_id from vehicles where id = ${vehicleId} for update) old
    where v.id = old.id returning old.public_id as before, v.public_id as now`)
  if (!row) throw new Error(`the vehicle ${vehicleId} is gone`)
  await afterRename(transaction, { accountId, vehicleId }, { ...row, isByOperator: false })
}
