import { readDays } from '../calendar/days.ts'

/** What the address of the areas holds, so that a link shows what its sender saw. */
export interface AreasSearch {
  /** Id of the chosen area. */
  readonly area?: string
  /** Whether it is about who was there, and on which days (`YYYY-MM-DD`). */
  readonly visits?: true
  readonly from?: string
  readonly to?: string
}

/** Reads the address; what is not understood is left out. The router reads `?area=7` as a number. */
export function readAreasSearch({ area, visits, from, to }: Readonly<Record<string, unknown>>): AreasSearch {
  if (typeof area !== 'string' && typeof area !== 'number') return {}
  return { area: String(area), ...(visits === true ? { visits, ...readDays(from, to) } : {}) }
}
