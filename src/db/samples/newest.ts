import type { EventTypeId } from '../../catalogue/event-types.ts'
import type { Sample } from '../../model/sample.ts'
import { holdsAny } from '../../model/sample-layout.ts'
import { type Statement, sql } from '../sql.ts'
import type { Transaction } from '../transaction.ts'
import { instantOfMs } from '../values.ts'
import { OWN_LAYOUT_ID } from './layouts.ts'
import type { Interval } from './reader.ts'
import { type SampleRow, samplesOfRows } from './sample-writer.ts'

const PAGE_ROWS = 100

/** The samples of a device that have any of these types, newest first, a page at a time, read lazily. */
export async function* readNewestWith(
  transaction: Transaction,
  types: readonly EventTypeId[],
  range: Interval,
): AsyncGenerator<Sample> {
  let { toMs } = range
  while (true) {
    const page = await readPage(transaction, types, { ...range, toMs }, sql`time desc`)
    for (const sample of page) {
      toMs = sample.timeMs
      if (holdsAny(sample, types)) yield sample
    }
    if (page.length < PAGE_ROWS) return
  }
}

/** The same, oldest first. */
export async function* readOldestWith(
  transaction: Transaction,
  types: readonly EventTypeId[],
  range: Interval,
): AsyncGenerator<Sample> {
  let { fromMs } = range
  while (true) {
    const page = await readPage(transaction, types, { ...range, fromMs }, sql`time`)
    for (const sample of page) {
      fromMs = sample.timeMs + 1
      if (holdsAny(sample, types)) yield sample
    }
    if (page.length < PAGE_ROWS) return
  }
}

async function readPage(
  transaction: Transaction,
  types: readonly EventTypeId[],
  { deviceId, fromMs, toMs }: Interval,
  order: Statement,
): Promise<Sample[]> {
  const rows = await transaction.rows<SampleRow>(sql`
    select device_id, time, layout_id, numbers, texts from samples
    where device_id = ${deviceId} and time >= ${instantOfMs(fromMs)} and time < ${instantOfMs(toMs)}
      and (layout_id in (select id from layouts where types && ${types}::smallint[]) or layout_id = ${OWN_LAYOUT_ID})
    order by ${order} limit ${PAGE_ROWS}`)
  return samplesOfRows(transaction.layouts, rows)
}
