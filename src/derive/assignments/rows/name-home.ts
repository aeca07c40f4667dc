import { makeOfVin } from '../../../catalogue/makes.ts'
import { sql } from '../../../db/sql.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { Home } from '../derive/placement.ts'
import type { HeldVins } from './locked-vins.ts'
import { afterRename } from './public-ids.ts'

/**
 * Sets the VIN of a vehicle to the one read in it, or removes one that later readings showed to be wrong. The caller has
 * made sure that no other vehicle of the account has the VIN.
 * @param deviceId the device for which it stands without a VIN; undefined to leave that as it is
 */
export async function nameHome(
  held: HeldVins,
  { accountId, deviceId }: { readonly accountId: number; readonly deviceId: DeviceId | undefined },
  { vehicleId }: Pick<Home, 'vehicleId'>,
  vin: string | undefined,
): Promise<void> {
  const transaction = held.transactionFor(accountId)
  const [row] = await transaction.rows<{ before: string; now: string }>(sql`
    update vehicles v set vin = ${vin ?? null},
      make = case when v.make_by_operator then v.make else ${vin === undefined ? '' : makeOfVin(vin)} end,
      first_device_id = case when ${vin === undefined} then coalesce(${deviceId ?? null}::bigint, v.first_device_id)
        else v.first_device_id end,
      modified = ${await transaction.takeRevisions(1)}::timestamptz
    from (select id, public_id from vehicles where id = ${vehicleId} for update) old
    where v.id = old.id returning old.public_id as before, v.public_id as now`)
  if (!row) throw new Error(`the vehicle ${vehicleId} is gone`)
  await afterRename(transaction, { accountId, vehicleId }, { ...row, isByOperator: false })
}
