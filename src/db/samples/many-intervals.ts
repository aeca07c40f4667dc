import type { EventTypeId } from '../../catalogue/event-types.ts'
import { clippedTo, isIn } from '../../model/time-range.ts'
import { sql } from '../sql.ts'
import { instantOfMs } from '../values.ts'
import { OWN_LAYOUT_ID } from './layouts.ts'
import { CHUNK_COLUMNS, type RawSample } from './packed-samples.ts'
import type { RawConnection } from './raw-connection.ts'
import type { Interval } from './reader.ts'
import { WEEK_MS, weekStartMs } from './weeks.ts'

/** So many samples and so many pieces are one statement at most. */
const CHUNK_SAMPLES = 50_000
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
  for (const interval of intervals) {
    for (const piece of weeksOf(interval)) {
      pieces.push(piece)
      if (pieces.length < CHUNK_PIECES) continue
      yield* readPieces(connection, pieces, types)
      pieces = []
    }
  }
  yield* readPieces(connection, pieces, types)
}

/** How many samples pieces have is not known before: a car that stands may send one an hour or one a second. */
async function* readPieces(
  connection: RawConnection,
  pieces: readonly Interval[],
  types: readonly EventTypeId[],
): AsyncGenerator<RawSample[]> {
  let left = pieces
  while (left.length > 0) {
    const samples = await readChunk(connection, left, types)
    yield samples
    const last = samples.at(-1)
    if (!last || samples.length < CHUNK_SAMPLES) return
    left = behind(left, last)
  }
}

/** What of pieces is later than a sample in one of them. */
function behind(pieces: readonly Interval[], { deviceId, timeMs }: RawSample): readonly Interval[] {
  const index = pieces.findIndex(piece => piece.deviceId === deviceId && isIn(piece, timeMs))
  return pieces.slice(index).flatMap((piece, place) => {
    const fromMs = place === 0 ? timeMs + 1 : piece.fromMs
    return fromMs < piece.toMs ? [{ ...piece, fromMs }] : []
  })
}

/** By weeks, so that no sort is long. */
function* weeksOf(interval: Interval): Generator<Interval> {
  let { fromMs } = interval
  while (fromMs < interval.toMs) {
    const toMs = Math.min(interval.toMs, weekStartMs(fromMs) + WEEK_MS)
    const piece = clippedTo(interval, { ...interval, fromMs, toMs })
    if (piece) yield piece
    fromMs = toMs
  }
}

async function readChunk(
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
    order by piece.place, s.time limit ${CHUNK_SAMPLES}`)
}
