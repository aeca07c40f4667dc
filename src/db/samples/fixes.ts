import { requiredEventType } from '../../catalogue/event-types.ts'
import type { AccountReads } from '../account-reads.ts'
import { copiedRow } from '../copied-row.ts'
import { rowsOf } from '../rows.ts'
import { type Statement, sql } from '../sql.ts'
import { instantOfMs } from '../values.ts'
import { OWN_LAYOUT_ID } from './layouts.ts'
import { unpackNumber } from './packed-numbers.ts'
import { CHUNK_COLUMNS, chunkOf, deviceIdAt, eachSampleOf, layoutIdsOf, timeMsAt } from './packed-samples.ts'
import type { Interval } from './reader.ts'

/** Fixes, a column for each field: of hundreds of thousands, objects would cost several times as much. */
export interface Fixes {
  readonly count: number
  readonly deviceIds: Float64Array
  /** Milliseconds since 1970. */
  readonly timesMs: Float64Array
  /** In degrees; NaN for a self-describing sample without a fix. */
  readonly longitudes: Float64Array
  readonly latitudes: Float64Array
}

const POSITION = requiredEventType('POSITION')

/** Which samples of each interval are wanted, in the order of time or from the newest on. */
interface Portion {
  readonly isFromEnd: boolean
  readonly skip: number
  /** Undefined: all of them. */
  readonly most: number | undefined
}

/**
 * The samples of intervals that can hold a fix, in the order of the intervals and of time. It takes one turn of the account.
 * @param intervals finite ones; some hundred, because PostgreSQL parses them
 * @param most of all of them together
 */
export function readFixes(
  reads: AccountReads,
  intervals: readonly Interval[],
  portion: Portion,
  most: number,
): Promise<Fixes> {
  const { isFromEnd, skip } = portion
  const from = intervals.map(({ fromMs }) => instantOfMs(fromMs))
  const to = intervals.map(({ toMs }) => instantOfMs(toMs))
  return fixesOf(
    reads,
    sql`
    select ${CHUNK_COLUMNS}
    from unnest(${intervals.map(({ deviceId }) => deviceId)}::bigint[], ${from}::timestamptz[], ${to}::timestamptz[])
      with ordinality as piece (device_id, from_time, to_time, place)
    cross join lateral (
      select * from samples inner_s
      where inner_s.device_id = piece.device_id and inner_s.time >= piece.from_time and inner_s.time < piece.to_time
        and inner_s.layout_id = any (array(
          select id from layouts where types && ${[POSITION.id]}::smallint[] union all select ${OWN_LAYOUT_ID}::integer))
      order by inner_s.time ${isFromEnd ? sql`desc` : sql`asc`} offset ${skip} limit ${portion.most ?? most}
    ) as s
    order by piece.place, s.time limit ${most}`,
  )
}

/** The samples of a statement that selects `CHUNK_COLUMNS`, in its order. */
function fixesOf(reads: AccountReads, statement: Statement): Promise<Fixes> {
  return reads.hold(async client => {
    const row = await copiedRow(client, chunkOf(statement, {}))
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

function column(length: number): Float64Array {
  return new Float64Array(length)
}

const NONE = Buffer.alloc(0)
