export const BIN_SIZES = ['DAY', 'WEEK', 'MONTH', 'YEAR'] as const
export type BinSize = (typeof BIN_SIZES)[number]

/**
 * The first instant of the bin of an instant, in the time zone of the person; weeks start on Monday (ISO 8601). Days are
 * not always 24 h long, so they are counted by the calendar. Where a day has no midnight or two, it begins at the first
 * instant of it, as the bins of the service do.
 *
 * @param shift how many bins later
 */
export function startOfBinMs(timeMs: number, size: BinSize, shift = 0): number {
  const time = new Date(timeMs)
  const [year, month, day] = [time.getFullYear(), time.getMonth(), time.getDate()]
  const daysSinceMonday = (time.getDay() + 6) % 7
  switch (size) {
    case 'DAY':
      return new Date(year, month, day + shift).getTime()
    case 'WEEK':
      return new Date(year, month, day - daysSinceMonday + 7 * shift).getTime()
    case 'MONTH':
      return new Date(year, month + shift).getTime()
    case 'YEAR':
      return new Date(year + shift, 0).getTime()
  }
}

/** The first instants of all bins of a range, both ends included, whether anything happened in them or not. */
export function binStartsMs(fromMs: number, toMs: number, size: BinSize): readonly number[] {
  const starts: number[] = []
  for (let startMs = startOfBinMs(fromMs, size); startMs <= toMs; startMs = startOfBinMs(startMs, size, 1))
    starts.push(startMs)
  return starts
}

/** More bars than this cannot be distinguished. */
const MOST_BINS = 400

const SHORTEST_MS: Readonly<Record<BinSize, number>> = {
  DAY: 23 * 3_600_000,
  WEEK: 167 * 3_600_000,
  MONTH: 671 * 3_600_000,
  YEAR: 8759 * 3_600_000,
}

/** The sizes of bins in which a range can be shown: not more bins than can be distinguished. */
export function fittingSizes(fromMs: number, toMs: number): readonly BinSize[] {
  return BIN_SIZES.filter(size => size === 'YEAR' || (toMs - fromMs) / SHORTEST_MS[size] <= MOST_BINS)
}
