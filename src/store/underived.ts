import { requireDecided } from '../db/low-watermark.ts'
import type { LockedShards } from '../db/shards/locked-devices.ts'
import { SHARD_COUNT } from '../db/shards/shards.ts'
import { sql } from '../db/sql.ts'
import type { DeviceId, Sample } from '../model/sample.ts'
import { type SampleRow, samplesOfRows } from './sample-writer.ts'

/**
 * The stored samples of some shards from which nothing was derived: those newer than the state of their device.
 * Only samples in order ever wait. Ascending by time.
 * @param shards with the revision of the first sample that waits there
 */
export async function readUnderivedSamples(
  { transaction }: LockedShards,
  shards: readonly { readonly shard: number; readonly backlogSince: string }[],
): Promise<Map<DeviceId, Sample[]>> {
  await requireDecided(transaction)
  const since = shards.map(({ backlogSince }) => backlogSince).reduce((a, b) => (a < b ? a : b))
  const rows = await transaction.rows<SampleRow>(sql`
    select s.device_id, s.time, s.layout_id, s.numbers, s.texts
    from samples s join device_states d on d.device_id = s.device_id
    where s.stored >= ${since}::timestamptz and s.device_id % ${SHARD_COUNT} = any(${shards.map(({ shard }) => shard)}::integer[])
      and s.time > d.last_time
    order by s.device_id, s.time`)
  const byDevice = new Map<DeviceId, Sample[]>()
  for (const sample of await samplesOfRows(transaction.layouts, rows)) {
    const samples = byDevice.get(sample.deviceId)
    if (samples) samples.push(sample)
    else byDevice.set(sample.deviceId, [sample])
  }
  return byDevice
}
