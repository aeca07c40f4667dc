/** Minutes of a local day, from 0 to 1440; `toMinute` exclusive. What goes over midnight is two of them. */
interface HoursOfDay {
  readonly fromMinute: number
  readonly toMinute: number
}

/** Hours of each week by the clock on the wall. */
export interface WeeklyHours {
  /** IANA name, such as `Europe/Berlin`. */
  readonly timeZone: string
  /** Seven lists, Monday first. */
  readonly days: readonly (readonly HoursOfDay[])[]
}

const MINUTE_MS = 60_000
/** Clocks of all zones change at such instants only. */
const QUARTER_MS = 15 * MINUTE_MS
const DAY_MINUTES = 1440
/** 1 January 1970 was a Thursday: the days since then of a Monday. */
const MONDAY = 4

/** An instant is within the hours, by the clock of their zone: right on the days on which it is changed. */
export function isWithinHours({ timeZone, days }: WeeklyHours, timeMs: number): boolean {
  const minutes = Math.floor(timeMs / MINUTE_MS) + offsetMinutes(timeZone, timeMs)
  const day = Math.floor(minutes / DAY_MINUTES)
  const minute = minutes - day * DAY_MINUTES
  const hours = days[(((day - MONDAY) % 7) + 7) % 7] ?? []
  return hours.some(({ fromMinute, toMinute }) => fromMinute <= minute && minute < toMinute)
}

interface Clock {
  readonly format: Intl.DateTimeFormat
  /** By quarter of an hour since 1970. */
  readonly offsets: Map<number, number>
}

const clocks = new Map<string, Clock>()
const MOST_QUARTERS = 20_000

/** By how many minutes the clock of a zone is ahead of UTC. */
function offsetMinutes(timeZone: string, timeMs: number): number {
  const clock = clockOf(timeZone)
  const quarter = Math.floor(timeMs / QUARTER_MS)
  const known = clock.offsets.get(quarter)
  if (known !== undefined) return known
  const offset = readOffset(clock.format, quarter * QUARTER_MS)
  if (clock.offsets.size >= MOST_QUARTERS) clock.offsets.clear()
  clock.offsets.set(quarter, offset)
  return offset
}

function clockOf(timeZone: string): Clock {
  const known = clocks.get(timeZone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  const clock = { format, offsets: new Map<number, number>() }
  clocks.set(timeZone, clock)
  return clock
}

function readOffset(format: Intl.DateTimeFormat, timeMs: number): number {
  const parts = new Map(format.formatToParts(timeMs).map(({ type, value }) => [type, Number(value)]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  const localMs = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'))
  return Math.round((localMs - timeMs) / MINUTE_MS)
}
