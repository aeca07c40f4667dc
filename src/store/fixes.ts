import type { AccountReads } from '../db/account-reads.ts'
import { copiedRow } from '../db/copy.ts'
import { rowsOf, type Statement, sql } from '../db/sql.ts'
import { extentOf } from '../model/time-range.ts'
import type { Interval } from './interval.ts'
import { unpackNumber } from './packed-numbers.ts'
import { chunkOf, deviceIdAt, eachSampleOf, layoutIdsOf, timeMsAt, touchesSealed } from './packed-samples.ts'
import { ofDevices } from './sealed/sealed-days.ts'
import { readFixesBesideSealed } from './sealed/sealed-fixes.ts'
import { column, type Fixes, POSITION, type Portion, selectFixes } from './wanted-fixes.ts'

/**
 * The samples of intervals that can hold a fix, in the order of the intervals and of time. It takes one turn of the account.
 * @param intervals finite ones; some hundred, because PostgreSQL parses them
 * @param most of all of them together
 */
export async function readFixes(
  reads: AccountReads,
  intervals: readonly Interval[],
  portion: Portion,
  most: number,
): Promise<Fixes> {
  const ids = intervals.map(({ deviceId }) => deviceId)
  const sealed = sql`exists (select 1 from sealed_days d where ${ofDevices(ids, extentOf(intervals))})`
  const fixes = await fixesOf(reads, await selectFixes(reads, intervals, portion, most), sealed)
  return fixes ?? (await readFixesBesideSealed(reads, intervals, portion, most))
}

/** The samples of a statement that selects `CHUNK_COLUMNS`, in its order; undefined when there may be sealed ones beside them. */
function fixesOf(reads: AccountReads, statement: Statement, sealed: Statement): Promise<Fixes | undefined> {
  return reads.hold(async client => {
    const row = await copiedRow(client, chunkOf(statement, { sealed }))
    if (touchesSealed(row)) return undefined
    const { layouts } = reads
    // Over the same connection: callers that hold a reader and wait for another one could wait for ever.
    await layouts.load(layoutIdsOf(row), { rows: (asked, options) => rowsOf(client, asked, options) })
    const [times = NONE, , numbers = NONE, , devices = NONE] = row ?? []
    const count = times.length / 8
    const [deviceIds, timesMs, longitudes, latitudes] = [column(count), column(count), column(count), column(count)]
    eachSampleOf(row, layouts, (index, layout, _, numbersAt) => {
      const place = layout.indexOf(POSITION)
      deviceIds[index] = deviceIdAt(devices, index)
      timesMs[index] = timeMsAt(times, index)
      longitudes[index] = place < 0 ? Number.NaN : unpackNumber(numbers, layout.numberCount, place, numbersAt)
      latitudes[index] = place < 0 ? Number.NaN : unpackNumber(numbers, layout.numberCount, place + 1, numbersAt)
    })
    return { count, deviceIds, timesMs, longitudes, latitudes }
  })
}

const NONE = Buffer.alloc(0)
