import type { EventTypeId } from '../../catalogue/event-types.ts'
import type { Interval } from './interval.ts'
import type { RawSample } from './packed-samples.ts'
import type { RawConnection } from './raw-connection.ts'
import { clipped, readSamples } from './reader.ts'
import { WEEK_MS, weekStartMs } from './weeks.ts'

/**
 * All samples of devices in intervals, in time order, a chunk at a time, for callers that read to the end. It goes from
 * week to week: a statement over a year would be planned for each of its partitions, which takes longer than reading a
 * chunk.
 * @param intervals finite ones
 */
export async function* readWholeIntervals(
  connection: RawConnection,
  intervals: readonly Interval[],
  types: readonly EventTypeId[] | undefined,
): AsyncGenerator<RawSample[]> {
  const toMs = Math.max(...intervals.map(interval => interval.toMs))
  let fromMs = Math.min(...intervals.map(interval => interval.fromMs))
  while (fromMs < toMs) {
    const week = { fromMs, toMs: weekStartMs(fromMs) + WEEK_MS }
    yield* readSamples(connection, clipped(intervals, week), { types, direction: 'ascending' })
    fromMs = week.toMs
  }
}
