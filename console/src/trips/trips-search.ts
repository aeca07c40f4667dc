import { dayOf, lastMonths, rangeOfDays, readDays, startOfDayMs, type TimeRange } from '../calendar/days.ts'

/** The ranges of time that have a name; they move on with the days. */
export const RANGES = ['today', 'yesterday', 'week', 'month', 'lastMonth', 'lastQuarter'] as const
type RangeName = (typeof RANGES)[number]

const DEFAULT_RANGE: RangeName = 'week'

/** What the address of the list says, so that a link shows the same list. Days are `YYYY-MM-DD`, both ends included. */
export interface TripsSearch {
  readonly car?: string | undefined
  readonly range?: RangeName
  readonly from?: string
  readonly to?: string
}

/** Reads the address as far as it makes sense; the rest counts as absent. */
export function readTripsSearch(given: Record<string, unknown>): TripsSearch {
  const { car, range, from, to } = given
  const days = readDays(from, to)
  const known = RANGES.find(name => name === range)
  return {
    ...(typeof car === 'string' && car !== '' ? { car } : {}),
    ...(days ?? (known ? { range: known } : {})),
  }
}

/** The named range that is shown, or `custom` for chosen days. */
export function rangeNameOf({ range, from }: TripsSearch): RangeName | 'custom' {
  return from === undefined ? (range ?? DEFAULT_RANGE) : 'custom'
}

/** The range in the time zone of the person. */
export function timeRangeOf(search: TripsSearch, nowMs: number): TimeRange {
  const name = rangeNameOf(search)
  const today = dayOf(nowMs)
  /** Days are not always 24 h long, so they are counted by the calendar. */
  const dayMs = (shift: number) => startOfDayMs(today, shift)
  switch (name) {
    case 'today':
      return { fromMs: dayMs(0), toMs: undefined }
    case 'yesterday':
      return { fromMs: dayMs(-1), toMs: dayMs(0) - 1 }
    case 'week':
      return { fromMs: dayMs(-6), toMs: undefined }
    case 'month':
      return { fromMs: lastMonths(1, nowMs).toMs + 1, toMs: undefined }
    case 'lastMonth':
      return lastMonths(1, nowMs)
    case 'lastQuarter':
      return lastMonths(3, nowMs)
    case 'custom':
      return rangeOfDays(search)
  }
}
