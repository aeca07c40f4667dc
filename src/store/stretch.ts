import { sql } from '../db/sql.ts'
import { instantOfMs } from '../db/values.ts'
import type { DeviceId, Sample } from '../model/sample.ts'
import type { SampleSource } from './sample-source.ts'
import { type SampleRow, samplesOfRows } from './sample-writer.ts'
import { withSealedDays } from './sealed/sealed-stretch.ts'

const CHUNK_SAMPLES = 500

/**
 * All samples of a device from an instant on, in the order of time, a chunk at a time, read lazily.
 */
export async function* readStretch(source: SampleSource, deviceId: DeviceId, fromMs: number): AsyncGenerator<Sample[]> {
  for (let nextMs = fromMs; ; ) {
    const samples = await readSamplesFrom(source, deviceId, nextMs, CHUNK_SAMPLES)
    yield samples
    const last = samples.at(-1)
    if (!last || samples.length < CHUNK_SAMPLES) return
    nextMs = last.timeMs + 1
  }
}

/** The first samples of a device from an instant on, in the order of time; fewer than `most` when there are no more. */
export async function readSamplesFrom(
  source: SampleSource,
  deviceId: DeviceId,
  fromMs: number,
  most: number,
): Promise<Sample[]> {
  const rows = await source.rows<SampleRow>(sql`
    select device_id, time, layout_id, numbers, texts from samples
    where device_id = ${deviceId} and time >= ${instantOfMs(fromMs)}::timestamptz order by time limit ${most}`)
  const hot = await samplesOfRows(source.layouts, rows)
  const toMs = Number.POSITIVE_INFINITY
  return withSealedDays(source, hot, { deviceId, fromMs, toMs, direction: 'ascending', most })
}
