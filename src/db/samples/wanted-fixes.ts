import { requiredEventType } from '../../catalogue/event-types.ts'
import { type Statement, sql } from '../sql.ts'
import { instantOfMs } from '../values.ts'
import type { Interval } from './interval.ts'
import { OWN_LAYOUT_ID } from './layouts.ts'
import { CHUNK_COLUMNS } from './packed-samples.ts'

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

export const POSITION = requiredEventType('POSITION')

/** Which samples of each interval are wanted, in the order of time or from the newest on. */
export interface Portion {
  readonly isFromEnd: boolean
  readonly skip: number
  /** Undefined: all of them. */
  readonly most: number | undefined
}

/** Selects the rows of intervals that can hold a fix, in the order of the intervals and of time. @param most of all of them together */
export function selectFixes(intervals: readonly Interval[], portion: Portion, most: number): Statement {
  const { isFromEnd, skip } = portion
  const from = intervals.map(({ fromMs }) => instantOfMs(fromMs))
  const to = intervals.map(({ toMs }) => instantOfMs(toMs))
  return sql`
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
    order by piece.place, s.time limit ${most}`
}

/** A column of `Fixes`. */
export function column(length: number): Float64Array {
  return new Float64Array(length)
}
