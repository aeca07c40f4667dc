import type { EventTypeId } from '../../catalogue/event-types.ts'
import type { DeviceId, Sample } from '../../intake/sample.ts'
import type { Connection } from '../database.ts'
import { sql } from '../sql.ts'
import { instantOfMs } from '../values.ts'
import { type SampleRow, sampleOfRow } from './sample-writer.ts'

const PAGE_ROWS = 100

/** The samples of a device that hold any of these types, newest first, a page at a time: stop reading and no more is read. */
export async function* readNewestWith(
  connection: Connection,
  types: readonly EventTypeId[],
  { deviceId, fromMs, beforeMs }: { readonly deviceId: DeviceId; readonly fromMs: number; readonly beforeMs: number },
): AsyncGenerator<Sample> {
  let before = beforeMs
  while (true) {
    const rows = await connection.rows<SampleRow>(sql`
      select device_id, time, types, numbers, texts from samples
      where device_id = ${deviceId} and time >= ${instantOfMs(fromMs)} and time < ${instantOfMs(before)}
        and types && ${types}::smallint[]
      order by time desc limit ${PAGE_ROWS}`)
    for (const row of rows) {
      const sample = sampleOfRow(row)
      before = sample.timeMs
      yield sample
    }
    if (rows.length < PAGE_ROWS) return
  }
}
