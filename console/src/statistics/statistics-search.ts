import { lastMonths, type TimeRange } from '../calendar/days.ts'
import { type PeriodSearch, periodsOf } from '../calendar/periods.ts'
import { readText } from '../table/column.ts'
import { BIN_SIZES, type BinSize, fittingSizes, startOfBinMs } from './bins.ts'

export interface BinnedRange extends TimeRange {
  readonly size: BinSize
}

/** So many bins, the one of now among them. */
const lastBins =
  (size: BinSize, count: number) =>
  (nowMs: number): BinnedRange => ({ fromMs: startOfBinMs(nowMs, size, 1 - count), toMs: undefined, size })

export const STATISTICS_PERIODS = periodsOf(
  {
    days: lastBins('DAY', 30),
    lastMonth: nowMs => ({ ...lastMonths(1, nowMs), size: 'DAY' }),
    lastQuarter: nowMs => ({ ...lastMonths(3, nowMs), size: 'WEEK' }),
    weeks: lastBins('WEEK', 12),
    months: lastBins('MONTH', 12),
    years: lastBins('YEAR', 5),
  },
  'days',
)

export const SUBJECTS = ['distance', 'duration'] as const
export type Subject = (typeof SUBJECTS)[number]

/** What of the trips of a bin: the sum, or of one trip the average, the greatest, the least. */
export const MEASURES = ['sum', 'average', 'most', 'least'] as const
export type Measure = (typeof MEASURES)[number]

/** What the address of the page says, so that a link shows the same. */
export interface StatisticsSearch extends PeriodSearch<(typeof STATISTICS_PERIODS.names)[number]> {
  readonly car?: string
  /** Size of the bins, for chosen days. */
  readonly by?: BinSize
  readonly subject?: Subject
  readonly measure?: Measure
}

/** Reads the address as far as it makes sense; the rest counts as absent. */
export function readStatisticsSearch(given: Readonly<Record<string, unknown>>): StatisticsSearch {
  // Links from before have the name of a period as `preset`.
  const period = STATISTICS_PERIODS.read({ ...given, range: given.range ?? given.preset })
  return {
    car: readText(given.car),
    ...period,
    by: period.from === undefined ? undefined : BIN_SIZES.find(known => known === given.by),
    subject: SUBJECTS.find(known => known === given.subject),
    measure: MEASURES.find(known => known === given.measure),
  }
}

export interface Period extends BinnedRange {
  /** The sizes that there is a choice of. */
  readonly sizes: readonly BinSize[]
}

/** The period in the time zone of the user. Too many chosen days for their bins get larger bins. */
export function periodOf(search: StatisticsSearch, nowMs: number): Period {
  const range = STATISTICS_PERIODS.timeOf(search, nowMs)
  if ('size' in range) return { ...range, sizes: [range.size] }
  const sizes = fittingSizes(range.fromMs, range.toMs)
  const wanted = search.by ?? 'DAY'
  return { ...range, size: sizes.includes(wanted) ? wanted : (sizes[0] ?? 'YEAR'), sizes }
}
