import type { EventTypeId } from '../../catalogue/event-types.ts'
import type { DeviceId, Sample } from '../../intake/sample.ts'
import { sql } from '../sql.ts'
import type { Transaction } from '../transaction.ts'
import { instantOfMs } from '../values.ts'
import { type SampleRow, samplesOfRows } from './sample-writer.ts'

const PAGE_ROWS = 100

/** The samples of a device that hold any of these types, newest first, a page at a time: stop reading and no more is read. */
export async function* readNewestWith(
  transaction: Transaction,
  types: readonly EventTypeId[],
  { deviceId, fromMs, beforeMs }: { readonly deviceId: DeviceId; readonly fromMs: number; readonly beforeMs: number },
): AsyncGenerator<Sample> {
  let before = beforeMs
  while (true) {
    const rows = await transaction.rows<SampleRow>(sql`
      select device_id, time, shape_id, numbers, texts from samples
      where device_id = ${deviceId} and time >= ${instantOfMs(fromMs)} and time < ${instantOfMs(before)}
        and shape_id in (select id from shapes where types && ${types}::smallint[])
      order by time desc limit ${PAGE_ROWS}`)
    for (const sample of await samplesOfRows(transaction.shapes, rows)) {
      before = sample.timeMs
      yield sample
    }
    if (rows.length < PAGE_ROWS) return
  }
}
