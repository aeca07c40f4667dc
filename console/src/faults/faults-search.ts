import type { Dtc } from '../api/types.ts'
import { dayOf, rangeOfDays, readDays, startOfDayMs, type TimeRange } from '../calendar/days.ts'
import { readSort, readText } from '../table/column.ts'

export const VIEWS = ['current', 'history'] as const
export const GROUPINGS = ['none', 'code', 'car'] as const
export const KINDS = ['PERMANENT', 'SPORADIC', 'FREEZEFRAME'] as const satisfies readonly Dtc['dtcType'][]

/** The ranges of the history that have a name, with their days; they move on with the days. */
const RANGES = { month: 30, quarter: 90, year: 365 } as const
type RangeName = keyof typeof RANGES
export const RANGE_NAMES = Object.keys(RANGES) as readonly RangeName[]
const DEFAULT_RANGE: RangeName = 'quarter'

/** What the address of the page says, so that a link shows the same. Days are `YYYY-MM-DD`, both ends included. */
export interface FaultsSearch {
  readonly view?: 'history'
  readonly group?: 'code' | 'car'
  readonly search?: string
  readonly kind?: Dtc['dtcType']
  readonly range?: RangeName
  readonly from?: string
  readonly to?: string
  /** The column by which the list is in order, `-` in front of a descending one. */
  readonly sort?: string
}

/** Reads the address as far as it makes sense; the rest counts as absent. */
export function readFaultsSearch(given: Readonly<Record<string, unknown>>): FaultsSearch {
  const { view, group, search, kind, range, from, to } = given
  const days = readDays(from, to)
  const named = RANGE_NAMES.find(name => name === range)
  const known = KINDS.find(name => name === kind)
  const text = readText(search)
  return {
    ...(view === 'history' ? { view } : {}),
    ...(group === 'code' || group === 'car' ? { group } : {}),
    ...(text === undefined ? {} : { search: text }),
    ...(known ? { kind: known } : {}),
    ...readSort(given.sort),
    ...(days ?? (named ? { range: named } : {})),
  }
}

/** The named range that is shown, or `custom` for chosen days. */
export function rangeNameOf({ range, from }: FaultsSearch): RangeName | 'custom' {
  return from === undefined ? (range ?? DEFAULT_RANGE) : 'custom'
}

/** The range of the history in the time zone of the person. */
export function timeRangeOf(search: FaultsSearch, nowMs: number): TimeRange {
  const name = rangeNameOf(search)
  if (name !== 'custom') return { fromMs: startOfDayMs(dayOf(nowMs), 1 - RANGES[name]), toMs: undefined }
  return rangeOfDays(search)
}
