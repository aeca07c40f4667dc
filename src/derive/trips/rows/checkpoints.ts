import type { LockedDevice, LockedDevices } from '../../../db/shards.ts'
import { type Connection, sql } from '../../../db/sql.ts'
import { instantMs, instantOfMs } from '../../../db/values.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { Checkpoint } from '../fold.ts'

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
