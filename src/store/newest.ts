import type { EventTypeId } from '../catalogue/event-types.ts'
import { OWN_LAYOUT_ID } from '../db/layouts.ts'
import { sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import { instantMs, instantOfMs } from '../db/values.ts'
import { holdsAny, type Sample } from '../model/sample.ts'
import type { ReadingDirection } from './growing-windows.ts'
import type { Interval } from './interval.ts'
import { readSamplesAt, type SampleRow, samplesOfRows } from './sample-writer.ts'
import { rangeOfDay } from './sealed/days.ts'
import { ofDevices, readSealedDays } from './sealed/sealed-days.ts'
import { withSealedDays } from './sealed/sealed-stretch.ts'

const PAGE_ROWS = 100

/** The samples of a device that have any of these types, newest first, a page at a time, read lazily. */
export async function* readNewestWith(
  transaction: Transaction,
  types: readonly EventTypeId[],
  range: Interval,
): AsyncGenerator<Sample> {
  let { toMs } = range
  while (true) {
    const page = await readPage(transaction, types, { ...range, toMs }, 'descending')
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
    const page = await readPage(transaction, types, { ...range, fromMs }, 'ascending')
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
  direction: ReadingDirection,
): Promise<Sample[]> {
  const rows = await transaction.rows<SampleRow>(sql`
    select device_id, time, layout_id, numbers, texts from samples
    where device_id = ${deviceId} and time >= ${instantOfMs(fromMs)} and time < ${instantOfMs(toMs)}
      and (layout_id in (select id from layouts where types && ${types}::smallint[]) or layout_id = ${OWN_LAYOUT_ID})
    order by time ${direction === 'ascending' ? sql`` : sql`desc`} limit ${PAGE_ROWS}`)
  const hot = await samplesOfRows(transaction.layouts, rows)
  return withSealedDays(transaction, hot, { deviceId, fromMs, toMs, direction, types, most: PAGE_ROWS })
}

/** The newest sample of each layout of a device in a range; of values, the newest of each type is in one of them. */
export async function readNewestOfLayouts(transaction: Transaction, range: Interval): Promise<Sample[]> {
  const { deviceId, fromMs, toMs } = range
  const rows = await transaction.rows<{ time: string }>(sql`
    select max(time) as time from samples
    where device_id = ${deviceId} and time >= ${instantOfMs(fromMs)} and time < ${instantOfMs(toMs)} group by layout_id`)
  const times = new Set(rows.map(({ time }) => instantMs(time)))
  for (const timeMs of await newestSealedTimes(transaction, range)) times.add(timeMs)
  return readSamplesAt(
    transaction,
    [...times].map(timeMs => ({ deviceId, timeMs })),
  )
}

/** The newest sealed sample of each layout: from the newest day with that layout which is within the range. */
async function newestSealedTimes(transaction: Transaction, range: Interval): Promise<Iterable<number>> {
  const days = await transaction.rows<{ day: string; layout_ids: number[] }>(sql`
    select d.day::text as day, d.layout_ids from sealed_days d where ${ofDevices([range.deviceId], range)} order by d.day desc`)
  const newest = new Map<number, number>()
  for (const { day, layout_ids: ids } of days) {
    if (ids.every(id => newest.has(id))) continue
    for (const { body } of await readSealedDays(transaction, ofDevices([range.deviceId], rangeOfDay(day)))) {
      const { first, end } = body.placesIn(range)
      for (let place = end - 1; place >= first; place--) {
        const layoutId = body.layoutIdAt(place)
        if (!newest.has(layoutId)) newest.set(layoutId, body.timeMsAt(place))
      }
    }
  }
  return newest.values()
}
