import type { EventTypeId } from '../catalogue/event-types.ts'
import { WEEK_MS, weekStartMs } from '../model/time-range.ts'
import type { Interval } from './interval.ts'
import type { RawSample } from './packed-samples.ts'
import type { RawConnection } from './raw-connection.ts'
import { clipped, readSamples } from './reader.ts'
import { longerStretch } from './weeks.ts'

/**
 * All samples of devices in intervals, in time order, a chunk at a time, for callers that read to the end. It goes from
 * week to week: a statement over a year would be planned for each of its partitions, which takes longer than
 * reading a chunk. Where all is sealed, or nothing was recorded, there is a single chunk of rows, and it goes further at once.
 * @param intervals finite ones
 */
export async function* readWholeIntervals(
  connection: RawConnection,
  intervals: readonly Interval[],
  types: readonly EventTypeId[] | undefined,
): AsyncGenerator<RawSample[]> {
  const toMs = Math.max(...intervals.map(interval => interval.toMs))
  let fromMs = Math.min(...intervals.map(interval => interval.fromMs))
  let weeks = 1
  while (fromMs < toMs) {
    const stretch = { fromMs, toMs: weekStartMs(fromMs) + weeks * WEEK_MS }
    let hasRows = false
    for await (const samples of readSamples(connection, clipped(intervals, stretch), {
      types,
      direction: 'ascending',
    })) {
      hasRows ||= samples.some(sample => 'columns' in sample)
      yield samples
    }
    weeks = hasRows ? 1 : longerStretch(weeks)
    fromMs = stretch.toMs
  }
}
