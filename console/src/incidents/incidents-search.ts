import type { Severity } from '../api/types.ts'
import { lastMonths } from '../calendar/days.ts'
import { lastDays, type PeriodSearch, periodsOf } from '../calendar/periods.ts'
import { readText } from '../table/column.ts'
import { SEVERITIES } from './incident.ts'

export const STATES = ['unseen', 'open', 'withdrawn'] as const

export const INCIDENT_PERIODS = periodsOf(
  {
    week: lastDays(7),
    month: lastDays(30),
    quarter: lastDays(90),
    year: lastDays(365),
    lastMonth: nowMs => lastMonths(1, nowMs),
    lastQuarter: nowMs => lastMonths(3, nowMs),
  },
  'month',
)

/** What the address of the page says, so that a link shows the same. */
export interface IncidentsSearch extends PeriodSearch<(typeof INCIDENT_PERIODS.names)[number]> {
  /** Name of a kind of rules. */
  readonly kind?: string
  readonly rule?: string
  readonly severity?: Severity
  readonly state?: (typeof STATES)[number]
  readonly car?: string
  readonly area?: string
  /** What the rows must show. */
  readonly search?: string
  readonly sort?: string
}

/** Reads the address as far as it makes sense; the rest counts as absent. */
export function readIncidentsSearch(given: Readonly<Record<string, unknown>>): IncidentsSearch {
  return {
    kind: readText(given.kind),
    rule: readText(given.rule),
    severity: SEVERITIES.find(name => name === given.severity),
    state: STATES.find(name => name === given.state),
    car: readText(given.car),
    area: readText(given.area),
    ...INCIDENT_PERIODS.read(given),
    search: readText(given.search),
    sort: readText(given.sort),
  }
}
