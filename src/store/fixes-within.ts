import type { AccountReads } from '../db/account-reads.ts'
import type { Position } from '../model/sample.ts'
import { isIn } from '../model/time-range.ts'
import { readFixes } from './fixes.ts'
import type { Interval } from './interval.ts'
import type { Fixes } from './wanted-fixes.ts'

/** So many intervals are one statement at most. */
const CHUNK_INTERVALS = 500

/** A fix and its time. */
export interface TimedFix {
  readonly timeMs: number
  readonly fix: Position
}

/** Which fixes of each interval are wanted: `most` of them behind the first `skip`, from its begin or from its end on. */
export interface FixesWanted {
  readonly isFromEnd: boolean
  readonly skip: number
  readonly most: number
}

/**
 * A few fixes of each of many intervals.
 * @param intervals finite ones, of each device without overlaps
 * @returns for each interval its fixes in the order of time
 */
export async function readFixesWithin(
  reads: AccountReads,
  intervals: readonly Interval[],
  wanted: FixesWanted,
): Promise<readonly (readonly TimedFix[])[]> {
  const found: (readonly TimedFix[])[] = []
  for (let at = 0; at < intervals.length; at += CHUNK_INTERVALS) {
    const some = intervals.slice(at, at + CHUNK_INTERVALS)
    found.push(...byInterval(some, await readFixes(reads, some, wanted, some.length * wanted.most)))
  }
  return found
}

/** Fixes come in the order of the intervals. */
function byInterval(
  intervals: readonly Interval[],
  { count, deviceIds, timesMs, longitudes, latitudes }: Fixes,
): TimedFix[][] {
  let next = 0
  return intervals.map(interval => {
    const own: TimedFix[] = []
    for (; next < count && deviceIds[next] === interval.deviceId; next++) {
      const timeMs = timesMs[next] ?? 0
      if (!isIn(interval, timeMs)) break
      const fix = { lon: longitudes[next] ?? 0, lat: latitudes[next] ?? 0 }
      if (!Number.isNaN(fix.lon)) own.push({ timeMs, fix })
    }
    return own
  })
}
