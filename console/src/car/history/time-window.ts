import type { TimeView } from '../../chart/chart-data.ts'

/** Values that one series has at most in a window: more than two for each pixel of a usual chart. */
export const MOST_POINTS = 8000

/** The service keeps up to four values of each of its buckets (docs of `maxPoints`). */
const POINTS_OF_A_BUCKET = 4

const HOUR_MS = 3_600_000
/** From this length on, its buckets are whole hours, beginning at a full hour. */
const HOURLY_FROM_MS = 2 * HOUR_MS

/** Windows begin and end at multiples of this share of their view's length. */
const STEPS_OF_A_VIEW = 4

/**
 * The range to fetch for a view: with room on both sides for panning, and rounded, so that views close to
 * each other use the same range and find it in the cache.
 */
export function windowOf({ fromMs, toMs }: TimeView): TimeView {
  const stepMs = 2 ** Math.ceil(Math.log2(toMs - fromMs)) / STEPS_OF_A_VIEW
  return {
    fromMs: (Math.floor(fromMs / stepMs) - 1) * stepMs,
    toMs: (Math.ceil(toMs / stepMs) + 1) * stepMs,
  }
}

/** The length of a bucket of the thinned window: neighbours that are closer may have had others between them. */
export function bucketMsOf({ fromMs, toMs }: TimeView): number {
  const buckets = MOST_POINTS / POINTS_OF_A_BUCKET
  const bucketMs = Math.ceil((toMs - fromMs) / buckets)
  if (bucketMs < HOURLY_FROM_MS) return bucketMs
  return Math.ceil((toMs - Math.floor(fromMs / HOUR_MS) * HOUR_MS) / buckets / HOUR_MS) * HOUR_MS
}
