import type { Severity } from '../api/types.ts'
import { dayOf, lastMonths, rangeOfDays, readDays, startOfDayMs, type TimeRange } from '../calendar/days.ts'
import { readSort, readText } from '../table/column.ts'
import { SEVERITIES } from './incident.ts'

export const STATES = ['unseen', 'open', 'withdrawn'] as const

/** The ranges that have a name: so many days until today, or the last whole part of a year of so many months. */
const RANGES = {
  week: { days: 7 },
  month: { days: 30 },
  quarter: { days: 90 },
  year: { days: 365 },
  lastMonth: { months: 1 },
  lastQuarter: { months: 3 },
} as const satisfies Readonly<Record<string, { readonly days: number } | { readonly months: number }>>
type RangeName = keyof typeof RANGES
export const RANGE_NAMES = Object.keys(RANGES) as readonly RangeName[]
const DEFAULT_RANGE: RangeName = 'month'

/** What the address of the page says, so that a link shows the same. Days are `YYYY-MM-DD`, both ends included. */
export interface IncidentsSearch {
  /** Name of a kind of rules. */
  readonly kind?: string
  readonly rule?: string
  readonly severity?: Severity
  readonly state?: (typeof STATES)[number]
  readonly car?: string
  readonly area?: string
  readonly range?: RangeName
  readonly from?: string
  readonly to?: string
  /** What the rows must show. */
  readonly search?: string
  readonly sort?: string
}

/** Reads the address as far as it makes sense; the rest counts as absent, and is named, as the router keeps what is not. */
export function readIncidentsSearch(given: Readonly<Record<string, unknown>>): IncidentsSearch {
  const days = readDays(given.from, given.to)
  return {
    kind: readText(given.kind),
    rule: readText(given.rule),
    severity: SEVERITIES.find(name => name === given.severity),
    state: STATES.find(name => name === given.state),
    car: readText(given.car),
    area: readText(given.area),
    range: days ? undefined : RANGE_NAMES.find(name => name === given.range),
    from: days?.from,
    to: days?.to,
    search: readText(given.search),
    sort: readSort(given.sort).sort,
  }
}

/** The named range that is shown, or `custom` for chosen days. */
export function rangeNameOf({ range, from }: IncidentsSearch): RangeName | 'custom' {
  return from === undefined ? (range ?? DEFAULT_RANGE) : 'custom'
}

/** The range in the time zone of the person. */
export function timeRangeOf(search: IncidentsSearch, nowMs: number): TimeRange {
  const name = rangeNameOf(search)
  if (name === 'custom') return rangeOfDays(search)
  const range = RANGES[name]
  if ('months' in range) return lastMonths(range.months, nowMs)
  return { fromMs: startOfDayMs(dayOf(nowMs), 1 - range.days), toMs: undefined }
}
