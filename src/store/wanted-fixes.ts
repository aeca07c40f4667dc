import { requiredEventType } from '../catalogue/event-types.ts'
import { areSamplesDistributed } from '../db/citus.ts'
import { OWN_LAYOUT_ID } from '../db/layouts.ts'
import { type Statement, sql } from '../db/sql.ts'
import { instantOfMs } from '../db/values.ts'
import { extentOf } from '../model/time-range.ts'
import type { Interval } from './interval.ts'
import { CHUNK_COLUMNS } from './packed-samples.ts'
import type { SampleSource } from './sample-source.ts'

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
export async function selectFixes(
  source: SampleSource,
  intervals: readonly Interval[],
  portion: Portion,
  most: number,
): Promise<Statement> {
  const { isFromEnd, skip } = portion
  const from = intervals.map(({ fromMs }) => instantOfMs(fromMs))
  const to = intervals.map(({ toMs }) => instantOfMs(toMs))
  const pieces = sql`
    unnest(${intervals.map(({ deviceId }) => deviceId)}::bigint[], ${from}::timestamptz[], ${to}::timestamptz[])
      with ordinality as piece (device_id, from_time, to_time, place)`
  const ofPiece = sql`
    inner_s.device_id = piece.device_id and inner_s.time >= piece.from_time and inner_s.time < piece.to_time
      and inner_s.layout_id = any (array(
        select id from layouts where types && ${[POSITION.id]}::smallint[] union all select ${OWN_LAYOUT_ID}::integer))`
  const direction = isFromEnd ? sql`desc` : sql`asc`
  const mostOfPiece = portion.most ?? most
  if (!(await areSamplesDistributed(source)))
    return sql`
      select ${CHUNK_COLUMNS} from ${pieces}
      cross join lateral (
        select * from samples inner_s where ${ofPiece}
        order by inner_s.time ${direction} offset ${skip} limit ${mostOfPiece}
      ) as s
      order by piece.place, s.time limit ${most}`
  // Workers take no limit for each piece, but they number the rows of their devices.
  const { fromMs, toMs } = extentOf(intervals)
  return sql`
    select ${CHUNK_COLUMNS} from (
      select inner_s.*, piece.place,
        row_number() over (partition by inner_s.device_id, piece.place order by inner_s.time ${direction}) as number
      from ${pieces} join samples inner_s on ${ofPiece}
      where inner_s.time >= ${instantOfMs(fromMs)} and inner_s.time < ${instantOfMs(toMs)}
    ) as s
    where s.number > ${skip} and s.number <= ${skip + mostOfPiece}
    order by s.place, s.time limit ${most}`
}

/** A column of `Fixes`. */
export function column(length: number): Float64Array {
  return new Float64Array(length)
}
