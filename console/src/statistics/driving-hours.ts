import type { DrivingHour } from '../api/types.ts'

export const WEEKDAYS = [0, 1, 2, 3, 4, 5, 6] as const
export const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

/** An hour of the week. */
export interface WeekHour {
  /** 0 is Monday. */
  readonly weekday: number
  readonly hour: number
}

/** How long cars drove in each hour of the week, in seconds. */
interface DrivingWeek {
  secondsIn(at: WeekHour): number
  /** The hour with the most; undefined when nobody drove. */
  readonly busiest: WeekHour | undefined
}

/** The week from the rows of `GET /aggregations/hours`, which leaves out hours without driving. */
export function drivingWeek(rows: readonly DrivingHour[]): DrivingWeek {
  const seconds = new Map(rows.map(row => [keyOf({ weekday: row.weekday - 1, hour: row.hour }), row.duration]))
  const [busiest] = [...rows].sort((a, b) => b.duration - a.duration)
  return {
    secondsIn: at => seconds.get(keyOf(at)) ?? 0,
    busiest: busiest && { weekday: busiest.weekday - 1, hour: busiest.hour },
  }
}

function keyOf({ weekday, hour }: WeekHour): number {
  return weekday * 24 + hour
}

const STEPS: Readonly<Record<string, readonly [days: number, hours: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  Home: [0, -24],
  End: [0, 24],
}

/** Where a key leads from an hour; undefined for keys that lead nowhere. The ends of day and week stop it. */
export function afterKey(at: WeekHour, key: string): WeekHour | undefined {
  const step = STEPS[key]
  if (!step) return undefined
  const [days, hours] = step
  return {
    weekday: Math.min(6, Math.max(0, at.weekday + days)),
    hour: Math.min(23, Math.max(0, at.hour + hours)),
  }
}
