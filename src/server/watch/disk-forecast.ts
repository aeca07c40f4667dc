/** How much room there was at one time. */
export interface FreeSpace {
  readonly atMs: number
  readonly freeBytes: number
}

/** A shorter time says little: PostgreSQL reserves its log in steps of 16 MB, and gives tables back in larger ones. */
export const SHORTEST_SPAN_MS = 3600_000
/** Whatever fills more slowly than this does not fill: nothing can be said of a time so far off. */
const MOST_DAYS = 3650
/** Every pair of them is compared. */
const MOST_POINTS = 150

const DAY_MS = 86_400_000

/**
 * In how many days the disk is full if it goes on as it did: the median of the slopes between all pairs of samples (Theil and
 * Sen), so that a file that came or went at once counts little.
 * @param samples ascending by time
 * @returns undefined while too little is known, and when the disk does not fill.
 */
export function daysLeft(samples: readonly FreeSpace[]): number | undefined {
  const newest = samples.at(-1)
  const bytesPerMs = usedPerMs(samples)
  if (!newest || bytesPerMs === undefined || bytesPerMs <= 0) return undefined
  const days = newest.freeBytes / bytesPerMs / DAY_MS
  return days <= MOST_DAYS ? days : undefined
}

function usedPerMs(samples: readonly FreeSpace[]): number | undefined {
  const [oldest, newest] = [samples[0], samples.at(-1)]
  if (!oldest || !newest || newest.atMs - oldest.atMs < SHORTEST_SPAN_MS) return undefined
  const points = thinned(samples)
  const slopes = points.flatMap((later, index) =>
    points
      .slice(0, index)
      .flatMap(earlier =>
        later.atMs > earlier.atMs ? [(earlier.freeBytes - later.freeBytes) / (later.atMs - earlier.atMs)] : [],
      ),
  )
  slopes.sort((a, b) => a - b)
  return slopes[Math.floor(slopes.length / 2)]
}

/** Evenly chosen, with the newest one. */
function thinned(samples: readonly FreeSpace[]): readonly FreeSpace[] {
  const step = Math.ceil(samples.length / MOST_POINTS)
  return samples.filter((_, index) => (samples.length - 1 - index) % step === 0)
}
