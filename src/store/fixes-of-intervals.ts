import type { AccountReads } from '../db/account-reads.ts'
import type { DeviceId } from '../model/sample.ts'
import { clippedTo, isIn, WEEK_MS, weekStartMs } from '../model/time-range.ts'
import { readFixes } from './fixes.ts'
import type { Interval } from './interval.ts'
import type { Fixes } from './wanted-fixes.ts'

/** So many samples and so many pieces are one statement at most. */
const CHUNK_SAMPLES = 50_000
const CHUNK_PIECES = 500
const ALL = { isFromEnd: false, skip: 0, most: undefined }

/**
 * The fixes of many short intervals, such as the trips of a fleet: of one device after the other, each in
 * the order of time. `readSamples` has a subquery for each interval, which takes longer to plan than to run when there are thousands.
 * @param intervals finite ones, of each device in the order of time and without overlaps
 */
export async function* readFixesOfIntervals(
  reads: AccountReads,
  intervals: readonly Interval[],
): AsyncGenerator<Fixes> {
  let pieces: Interval[] = []
  for (const interval of intervals) {
    for (const piece of weeksOf(interval)) {
      pieces.push(piece)
      if (pieces.length < CHUNK_PIECES) continue
      yield* readPieces(reads, pieces)
      pieces = []
    }
  }
  yield* readPieces(reads, pieces)
}

/** How many samples pieces have is not known before: a car that stands may send one an hour or one a second. */
async function* readPieces(reads: AccountReads, pieces: readonly Interval[]): AsyncGenerator<Fixes> {
  let left = pieces
  while (left.length > 0) {
    const fixes = await readFixes(reads, left, ALL, CHUNK_SAMPLES)
    yield fixes
    const { count, deviceIds, timesMs } = fixes
    if (count < CHUNK_SAMPLES) return
    left = behind(left, deviceIds[count - 1] as DeviceId, timesMs[count - 1] ?? 0)
  }
}

/** What of pieces is later than a sample in one of them. */
function behind(pieces: readonly Interval[], deviceId: DeviceId, timeMs: number): readonly Interval[] {
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
