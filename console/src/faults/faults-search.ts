import type { Dtc } from '../api/types.ts'
import { lastDays, type PeriodSearch, periodsOf } from '../calendar/periods.ts'
import { readText } from '../table/column.ts'

export const VIEWS = ['current', 'history'] as const
export const GROUPINGS = ['none', 'code', 'car'] as const
export const KINDS = ['PERMANENT', 'SPORADIC', 'FREEZEFRAME'] as const satisfies readonly Dtc['dtcType'][]

/** Of the history. */
export const FAULT_PERIODS = periodsOf({ month: lastDays(30), quarter: lastDays(90), year: lastDays(365) }, 'quarter')

/** What the address of the page says, so that a link shows the same. */
export interface FaultsSearch extends PeriodSearch<(typeof FAULT_PERIODS.names)[number]> {
  readonly view?: 'history'
  readonly group?: 'code' | 'car'
  readonly search?: string
  readonly kind?: Dtc['dtcType']
  /** The column by which the list is in order, `-` in front of a descending one. */
  readonly sort?: string
}

/** Reads the address as far as it makes sense; the rest counts as absent. */
export function readFaultsSearch(given: Readonly<Record<string, unknown>>): FaultsSearch {
  const { view, group, search, kind, sort } = given
  return {
    view: view === 'history' ? view : undefined,
    group: group === 'code' || group === 'car' ? group : undefined,
    search: readText(search),
    kind: KINDS.find(name => name === kind),
    sort: readText(sort),
    ...FAULT_PERIODS.read(given),
  }
}
