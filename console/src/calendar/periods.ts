import { dayOf, rangeOfDays, readDays, startOfDayMs, type TimeRange } from './days.ts'

/** What the address of a page says of a time: a range that has a name, or days, `YYYY-MM-DD`, both ends included. */
export interface PeriodSearch<Name extends string> {
  readonly range?: Name
  readonly from?: string
  readonly to?: string
}

/** So many days, today among them. */
export function lastDays(count: number): (nowMs: number) => TimeRange {
  return nowMs => ({ fromMs: startOfDayMs(dayOf(nowMs), 1 - count), toMs: undefined })
}

/**
 * Ranges of time that have a name and move on with the days.
 *
 * @param usual the one of an address that says nothing
 */
export function periodsOf<Name extends string, Range extends TimeRange>(
  ranges: Readonly<Record<Name, (nowMs: number) => Range>>,
  usual: NoInfer<Name>,
) {
  const names = Object.keys(ranges) as unknown as readonly Name[]
  /** The named range that is shown, or `custom` for chosen days. */
  const nameOf = ({ range, from }: PeriodSearch<Name>) => (from === undefined ? (range ?? usual) : 'custom')
  return {
    names,
    nameOf,
    /** Reads the address as far as it makes sense; the rest counts as absent. */
    read({ range, from, to }: Readonly<Record<string, unknown>>): PeriodSearch<Name> {
      const days = readDays(from, to)
      return { range: days ? undefined : names.find(name => name === range), from: days?.from, to: days?.to }
    },
    /** In the time zone of the person. */
    timeOf(search: PeriodSearch<Name>, nowMs: number) {
      const name = nameOf(search)
      return name === 'custom' ? rangeOfDays(search) : ranges[name](nowMs)
    },
  }
}
