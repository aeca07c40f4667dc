import { insertOf, revised } from '../../db/bulk-rows.ts'
import type { LockedDevices } from '../../db/shards/locked-devices.ts'
import { sql } from '../../db/sql.ts'
import type { Assignment } from '../../derive/device-records.ts'
import type { DeviceId } from '../../model/sample.ts'

interface NewDevice {
  readonly deviceId: DeviceId
  readonly accountId: number
  /** Only a key of the account claims it. */
  readonly isClaimed?: boolean
}

/**
 * Lets unknown dongles join: each gets a vehicle of its own that answers to `IMEI_…` until its VIN is known.
 * The caller knows that they do not exist, or were deleted.
 */
export async function registerDevices(
  locked: LockedDevices,
  devices: readonly NewDevice[],
): Promise<Map<DeviceId, Assignment>> {
  if (devices.length === 0) return new Map()
  const transaction = locked.transactionFor(devices)
  const added = devices.map(({ deviceId, isClaimed }) => ({ id: deviceId, is_claimed: isClaimed ?? false }))
  await transaction.rows(
    insertOf(
      'devices',
      await revised(transaction, added),
      sql`on conflict (id) do update set
        deleted = null, created = clock_timestamp(), is_claimed = excluded.is_claimed, modified = excluded.modified`,
    ),
  )
  const cars = devices.map(({ accountId, deviceId }) => ({ account_id: accountId, first_device_id: deviceId }))
  const vehicles = await transaction.rows<{ id: number; first_device_id: DeviceId; account_id: number }>(
    insertOf(
      'vehicles',
      await revised(transaction, cars),
      sql`on conflict (account_id, public_id) do update set deleted = null, modified = excluded.modified
      returning id, first_device_id, account_id`,
    ),
  )
  const placed = vehicles.map(row => ({
    device_id: row.first_device_id,
    account_id: row.account_id,
    vehicle_id: row.id,
  }))
  await transaction.rows(insertOf('assignments', placed))
  return new Map(
    vehicles.map(({ id, first_device_id, account_id }) => [
      first_device_id,
      { accountId: account_id, vehicleId: id, fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY },
    ]),
  )
}
