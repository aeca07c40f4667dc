import { revisionAfter } from '../../db/revisions.ts'
import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Assignment } from '../../facts/device-records/device-records.ts'
import type { DeviceId } from '../../model/sample.ts'

export interface NewDevice {
  readonly deviceId: DeviceId
  readonly accountId: number
  /** Only a key of the account says that it is its dongle. */
  readonly isClaimed?: boolean
}

/**
 * Lets unknown dongles join: each gets a vehicle of its own that answers to `IMEI_…` until its VIN is known.
 * The caller holds the shards of the devices and knows that they do not exist, or were deleted.
 */
export async function registerDevices(
  transaction: Transaction,
  devices: readonly NewDevice[],
): Promise<Map<DeviceId, Assignment>> {
  if (devices.length === 0) return new Map()
  const first = await transaction.takeRevisions(devices.length * 2)
  const ids = devices.map(device => device.deviceId)
  const revisions = devices.map((_, index) => revisionAfter(first, index))
  const vehicleRevisions = devices.map((_, index) => revisionAfter(first, devices.length + index))
  await transaction.rows(sql`
    insert into devices (id, is_claimed, modified)
    select * from unnest(
      ${ids}::bigint[], ${devices.map(device => device.isClaimed ?? false)}::boolean[], ${revisions}::timestamptz[])
    on conflict (id) do update set
      deleted = null, created = clock_timestamp(), is_claimed = excluded.is_claimed, modified = excluded.modified`)
  const vehicles = await transaction.rows<{ id: number; first_device_id: DeviceId; account_id: number }>(sql`
    insert into vehicles (account_id, first_device_id, modified)
    select * from unnest(
      ${devices.map(device => device.accountId)}::integer[], ${ids}::bigint[], ${vehicleRevisions}::timestamptz[])
    on conflict (account_id, public_id) do update set deleted = null, modified = excluded.modified
    returning id, first_device_id, account_id`)
  await transaction.rows(sql`
    insert into assignments (device_id, account_id, vehicle_id)
    select * from unnest(
      ${vehicles.map(vehicle => vehicle.first_device_id)}::bigint[],
      ${vehicles.map(vehicle => vehicle.account_id)}::integer[],
      ${vehicles.map(vehicle => vehicle.id)}::bigint[])`)
  return new Map(
    vehicles.map(({ id, first_device_id, account_id }) => [
      first_device_id,
      { accountId: account_id, vehicleId: id, fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY },
    ]),
  )
}
