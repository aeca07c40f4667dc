import type { Rule } from '../api/types.ts'

type DaysOfRule = NonNullable<Rule['hours']>['days']

/** Hours as people enter them: on some days from one time to another, over midnight if that is not later. */
export interface HoursRow {
  /** 0 is Monday. */
  readonly days: readonly number[]
  /** `HH:MM`; a `to` of `00:00` is the end of the day. */
  readonly from: string
  readonly to: string
}

const DAYS = [0, 1, 2, 3, 4, 5, 6]
const BEGIN = '00:00'
const END = '24:00'

/** Whether both times are given and form an interval. */
export function isWholeRow({ days, from, to }: HoursRow): boolean {
  return days.length > 0 && from !== '' && to !== '' && (from !== to || to === BEGIN)
}

/** Whether it lasts until the next day. */
export function isOverMidnight({ from, to }: HoursRow): boolean {
  return from !== '' && to !== '' && to !== BEGIN && to < from
}

/** The hours of each day, Monday first, as the API takes them: in order, and none overlaps another. */
export function daysOf(rows: readonly HoursRow[]): DaysOfRule {
  const intervals = DAYS.map((): { from: string; to: string }[] => [])
  for (const row of rows)
    for (const day of row.days) {
      const isOver = isOverMidnight(row)
      intervals[day]?.push({ from: row.from, to: isOver || row.to === BEGIN ? END : row.to })
      if (isOver) intervals[(day + 1) % 7]?.push({ from: BEGIN, to: row.to })
    }
  return intervals.map(joined)
}

function joined(intervals: DaysOfRule[number]): DaysOfRule[number] {
  const all: { from: string; to: string }[] = []
  for (const { from, to } of intervals.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = all.at(-1)
    if (last && from <= last.to) last.to = to > last.to ? to : last.to
    else all.push({ from, to })
  }
  return all
}

/** The same hours in as few rows as their times allow. */
export function rowsOf(days: DaysOfRule): readonly HoursRow[] {
  const left = days.map(intervals => [...intervals])
  const rows = new Map<string, { days: number[]; from: string; to: string }>()
  const add = (day: number, from: string, to: string) => {
    const row = rows.get(`${from} ${to}`) ?? { days: [], from, to: to === END ? BEGIN : to }
    row.days.push(day)
    rows.set(`${from} ${to}`, row)
  }
  // What continues after midnight belongs to the day before.
  const isNight = (day: number) => {
    const evening = days[day]?.at(-1)
    const morning = days[(day + 1) % 7]?.[0]
    return evening?.to === END && morning?.from === BEGIN && morning.to < evening.from
  }
  for (const day of DAYS) if (isNight((day + 6) % 7)) left[day]?.shift()
  for (const [day, intervals] of left.entries())
    for (const { from, to } of intervals) {
      const goesOn = to === END && isNight(day)
      add(day, from, goesOn ? (days[(day + 1) % 7]?.[0]?.to ?? to) : to)
    }
  return [...rows.values()]
}
