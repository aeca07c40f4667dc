import type { EventTypeId } from '../../catalogue/event-types.ts'
import { clippedTo } from '../../model/time-range.ts'
import { sql } from '../sql.ts'
import { instantOfMs } from '../values.ts'
import { OWN_LAYOUT_ID } from './layouts.ts'
import { CHUNK_COLUMNS, type RawSample } from './packed-samples.ts'
import type { RawConnection } from './raw-connection.ts'
import type { Interval } from './reader.ts'
import { WEEK_MS, weekStartMs } from './weeks.ts'

/** At a sample a second, about 70,000 samples a round trip. */
const CHUNK_MS = 20 * 3_600_000
/** So many pieces are one statement at most. */
const CHUNK_PIECES = 500

/**
 * The samples of many short intervals, such as the trips of a fleet, that hold one of some types: of one device after the other, each in
 * the order of time. `readSamples` has a subquery for each interval, which takes longer to plan than to run when there are thousands.
 * @param intervals finite ones, of each device in the order of time and without overlaps
 */
export async function* readManyIntervals(
  connection: RawConnection,
  intervals: readonly Interval[],
  types: readonly EventTypeId[],
): AsyncGenerator<RawSample[]> {
  let pieces: Interval[] = []
  let lengthMs = 0
  for (const interval of intervals) {
    for (const piece of weeksOf(interval)) {
      pieces.push(piece)
      lengthMs += piece.toMs - piece.fromMs
      if (lengthMs < CHUNK_MS && pieces.length < CHUNK_PIECES) continue
      yield await readPieces(connection, pieces, types)
      pieces = []
      lengthMs = 0
    }
  }
  if (pieces.length > 0) yield await readPieces(connection, pieces, types)
}

/** By weeks, so that long ones are not one chunk. */
function* weeksOf(interval: Interval): Generator<Interval> {
  let { fromMs } = interval
  while (fromMs < interval.toMs) {
    const toMs = Math.min(interval.toMs, weekStartMs(fromMs) + WEEK_MS)
    const piece = clippedTo(interval, { ...interval, fromMs, toMs })
    if (piece) yield piece
    fromMs = toMs
  }
}

async function readPieces(
  connection: RawConnection,
  pieces: readonly Interval[],
  types: readonly EventTypeId[],
): Promise<RawSample[]> {
  const from = pieces.map(({ fromMs }) => instantOfMs(fromMs))
  const to = pieces.map(({ toMs }) => instantOfMs(toMs))
  return connection.chunk(sql`
    select ${CHUNK_COLUMNS}
    from unnest(${pieces.map(({ deviceId }) => deviceId)}::bigint[], ${from}::timestamptz[], ${to}::timestamptz[])
      with ordinality as piece (device_id, from_time, to_time, place)
    cross join lateral (
      select * from samples inner_s
      where inner_s.device_id = piece.device_id and inner_s.time >= piece.from_time and inner_s.time < piece.to_time
        and inner_s.layout_id = any (array(
          select id from layouts where types && ${types}::smallint[] union all select ${OWN_LAYOUT_ID}::integer))
    ) as s
    order by piece.place, s.time`)
}
