import { insertOf } from '../../db/bulk-rows.ts'
import type { LockedDevice, LockedDevices } from '../../db/shards.ts'
import { type Connection, sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import { instantMs, instantOfMs } from '../../db/values.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { Checkpoint } from './fold.ts'
import type { VinRun } from './state.ts'

/** Stores states from which folding can begin again; replaces an existing one for the same instant. */
export async function writeCheckpoints(
  locked: LockedDevices,
  checkpoints: readonly (Checkpoint & { readonly deviceId: DeviceId })[],
): Promise<void> {
  if (checkpoints.length === 0) return
  const transaction = locked.transactionFor(checkpoints)
  await transaction.rows(
    sql`
      insert into fold_checkpoints (device_id, before_time, state)
      select * from unnest(
        ${checkpoints.map(item => item.deviceId)}::bigint[],
        ${checkpoints.map(item => instantOfMs(item.beforeMs))}::timestamptz[],
        ${checkpoints.map(item => item.state)}::text[])
      on conflict (device_id, before_time) do update set state = excluded.state
      where fold_checkpoints.state <> excluded.state`,
    { prepareAs: 'write-checkpoints' },
  )
}

/** The checkpoint from which everything since an instant is folded again; undefined to begin at the first sample. */
export async function readCheckpointBefore(
  connection: Connection,
  deviceId: DeviceId,
  instant: number,
): Promise<Checkpoint | undefined> {
  const [row] = await connection.rows<CheckpointRow>(sql`
    select before_time, state from fold_checkpoints
    where device_id = ${deviceId} and before_time <= ${instantOfMs(instant)} order by before_time desc limit 1`)
  return row && checkpointOf(row)
}

/** The first checkpoint at or after an instant. */
export async function readFirstCheckpoint(
  connection: Connection,
  deviceId: DeviceId,
  instant: number,
): Promise<Checkpoint | undefined> {
  const [row] = await connection.rows<CheckpointRow>(sql`
    select before_time, state from fold_checkpoints
    where device_id = ${deviceId} and before_time >= ${instantOfMs(instant)} order by before_time limit 1`)
  return row && checkpointOf(row)
}

/** The stored states at these instants: equal texts are equal states. */
export async function readCheckpointsAt(
  connection: Connection,
  deviceId: DeviceId,
  instantsMs: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (instantsMs.length === 0) return new Map()
  const rows = await connection.rows<CheckpointRow>(sql`
    select before_time, state from fold_checkpoints
    where device_id = ${deviceId} and before_time = any(${instantsMs.map(instantOfMs)}::timestamptz[])`)
  return new Map(rows.map(row => [instantMs(row.before_time), row.state]))
}

/** Makes the checkpoints between two instants, both exclusive, and at the end those that are given. */
export async function replaceCheckpoints(
  locked: LockedDevice,
  afterMs: number,
  beforeMs: number,
  checkpoints: readonly Checkpoint[],
): Promise<void> {
  const { transaction, deviceId } = locked
  await transaction.rows(sql`
    delete from fold_checkpoints where device_id = ${deviceId}
      and before_time > ${instantOfMs(afterMs)} and before_time < ${instantOfMs(beforeMs)}
      and before_time <> all(${checkpoints.map(item => instantOfMs(item.beforeMs))}::timestamptz[])`)
  await writeCheckpoints(
    locked,
    checkpoints.map(checkpoint => ({ deviceId, ...checkpoint })),
  )
}

interface CheckpointRow {
  readonly before_time: string
  readonly state: string
}

function checkpointOf(row: CheckpointRow): Checkpoint {
  return { beforeMs: instantMs(row.before_time), state: row.state }
}

/** Stores VIN runs by their first readings. @returns the devices whose runs changed */
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
