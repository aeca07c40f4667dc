import { dayOf, lastMonths, startOfDayMs } from '../calendar/days.ts'
import { lastDays, type PeriodSearch, periodsOf } from '../calendar/periods.ts'
import { readText } from '../table/column.ts'

export const TRIP_PERIODS = periodsOf(
  {
    today: lastDays(1),
    yesterday: nowMs => ({ fromMs: startOfDayMs(dayOf(nowMs), -1), toMs: startOfDayMs(dayOf(nowMs)) - 1 }),
    week: lastDays(7),
    month: nowMs => ({ fromMs: lastMonths(1, nowMs).toMs + 1, toMs: undefined }),
    lastMonth: nowMs => lastMonths(1, nowMs),
    lastQuarter: nowMs => lastMonths(3, nowMs),
  },
  'week',
)

/** What the address of the list says, so that a link shows the same list. */
export interface TripsSearch extends PeriodSearch<(typeof TRIP_PERIODS.names)[number]> {
  readonly car?: string
  /** What the rows must show. */
  readonly search?: string
}

/** Reads the address as far as it makes sense; the rest counts as absent. */
export function readTripsSearch(given: Readonly<Record<string, unknown>>): TripsSearch {
  return { car: readText(given.car), search: readText(given.search), ...TRIP_PERIODS.read(given) }
}
