import type { Severity } from '../api/types.ts'
import { dayOf, rangeOfDays, readDays, startOfDayMs, type TimeRange } from '../calendar/days.ts'
import { SEVERITIES } from './incident.ts'

export const STATES = ['unseen', 'open', 'withdrawn'] as const

/** The ranges that have a name, with their days; they move on with the days. */
const RANGES = { week: 7, month: 30, quarter: 90, year: 365 } as const
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
}

/** Reads the address as far as it makes sense; the rest counts as absent. */
export function readIncidentsSearch(given: Readonly<Record<string, unknown>>): IncidentsSearch {
  const { severity, state, range, from, to } = given
  const [kind, rule, car, area] = [given.kind, given.rule, given.car, given.area].map(textOf)
  const days = readDays(from, to)
  const named = RANGE_NAMES.find(name => name === range)
  const knownSeverity = SEVERITIES.find(name => name === severity)
  const knownState = STATES.find(name => name === state)
  return {
    ...(kind ? { kind } : {}),
    ...(rule ? { rule } : {}),
    ...(knownSeverity ? { severity: knownSeverity } : {}),
    ...(knownState ? { state: knownState } : {}),
    ...(car ? { car } : {}),
    ...(area ? { area } : {}),
    ...(days ?? (named ? { range: named } : {})),
  }
}

/** The router reads `?rule=7` as a number. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** The named range that is shown, or `custom` for chosen days. */
export function rangeNameOf({ range, from }: IncidentsSearch): RangeName | 'custom' {
  return from === undefined ? (range ?? DEFAULT_RANGE) : 'custom'
}

/** The range in the time zone of the person. */
export function timeRangeOf(search: IncidentsSearch, nowMs: number): TimeRange {
  const name = rangeNameOf(search)
  if (name !== 'custom') return { fromMs: startOfDayMs(dayOf(nowMs), 1 - RANGES[name]), toMs: undefined }
  return rangeOfDays(search)
}
