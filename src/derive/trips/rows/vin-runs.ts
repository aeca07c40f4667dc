import { insertOf } from '../../../db/bulk-rows.ts'
import type { LockedDevice, LockedDevices } from '../../../db/shards.ts'
import { sql } from '../../../db/sql.ts'
import type { Transaction } from '../../../db/transaction.ts'
import { instantMs, instantOfMs } from '../../../db/values.ts'
import type { DeviceId } from '../../../model/sample.ts'
import { type VinRun } from '../state.ts'

/**
 * Stores the VIN runs of devices, by the first reading of each run.
 * @returns the devices whose runs changed.
 */
export async function writeVinRuns(
  locked: LockedDevices,
  runs: readonly (VinRun & { readonly deviceId: DeviceId })[],
): Promise<Set<DeviceId>> {
  if (runs.length === 0) return new Set()
  const transaction = locked.transactionFor(runs)
  const rows = runs.map(run => ({
    device_id: run.deviceId,
    first_time: run.firstMs,
    boundary: run.boundaryMs,
    vin: run.vin,
    is_confirmed: run.isConfirmed,
  }))
  const ifDifferent = sql`
    on conflict (device_id, first_time) do update set
      boundary = excluded.boundary, vin = excluded.vin, is_confirmed = excluded.is_confirmed
    where (vin_runs.boundary, vin_runs.vin, vin_runs.is_confirmed)
      is distinct from (excluded.boundary, excluded.vin, excluded.is_confirmed)
    returning device_id`
  const changed = await transaction.rows<{ device_id: DeviceId }>(insertOf('vin_runs', rows, ifDifferent), {
    prepareAs: 'write-vin-runs',
  })
  return new Set(changed.map(row => row.device_id))
}

/** The runs of a device whose first reading is in a range of time, `toMs` exclusive. */
export async function readVinRuns(
  transaction: Transaction,
  deviceId: DeviceId,
  fromMs: number,
  toMs: number,
): Promise<VinRun[]> {
  const rows = await transaction.rows<{ first_time: string; boundary: string; vin: string; is_confirmed: boolean }>(sql`
    select first_time, boundary, vin, is_confirmed from vin_runs
    where device_id = ${deviceId} and first_time >= ${instantOfMs(fromMs)} and first_time < ${instantOfMs(toMs)}
    order by first_time`)
  return rows.map(row => ({
    firstMs: instantMs(row.first_time),
    boundaryMs: instantMs(row.boundary),
    vin: row.vin,
    isConfirmed: row.is_confirmed,
  }))
}

/** Deletes runs of a device. @param firstMs their first readings */
export async function deleteVinRuns(
  { transaction, deviceId }: LockedDevice,
  firstMs: readonly number[],
): Promise<void> {
  if (firstMs.length === 0) return
  await transaction.rows(sql`
    delete from vin_runs
    where device_id = ${deviceId} and first_time = any(${firstMs.map(instantOfMs)}::timestamptz[])`)
}
