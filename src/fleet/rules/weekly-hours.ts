import type { WeeklyHours } from '../../derive/incidents/derive/weekly-hours.ts'
import { badRequest } from '../../model/errors.ts'

/** Hours as clients write them: `from` and `to` as `HH:MM` by the clock of the zone, `to` up to `24:00`; seven days, Monday first. */
export interface WrittenHours {
  readonly timeZone: string
  readonly days: readonly (readonly { readonly from: string; readonly to: string }[])[]
}

const MOST_TIMES_OF_DAY = 24

/** @throws ClientError 400 naming what is wrong */
export function readHours({ timeZone, days }: WrittenHours): WeeklyHours {
  if (!isTimeZone(timeZone)) throw badRequest('hours.timeZone must be an IANA time zone such as Europe/Berlin.')
  if (days.length !== 7) throw badRequest('hours.days must have seven lists, Monday first.')
  return {
    timeZone,
    days: days.map((day, index) => {
      if (day.length > MOST_TIMES_OF_DAY)
        throw badRequest(`hours.days.${index} must have at most ${MOST_TIMES_OF_DAY} times.`)
      return day
        .map(({ from, to }, at): WeeklyHours['days'][number][number] => {
          const [fromMinute, toMinute] = [minuteOf(from), minuteOf(to)]
          if (fromMinute === undefined || toMinute === undefined || fromMinute >= toMinute)
            throw badRequest(
              `hours.days.${index}.${at} must be from an earlier to a later time of the day, such as 06:00 and 18:00; what goes over midnight is two of them, up to 24:00.`,
            )
          return { fromMinute, toMinute }
        })
        .sort((a, b) => a.fromMinute - b.fromMinute)
    }),
  }
}

export function writtenHours({ timeZone, days }: WeeklyHours) {
  return {
    timeZone,
    days: days.map(day =>
      day.map(({ fromMinute, toMinute }) => ({ from: clockText(fromMinute), to: clockText(toMinute) })),
    ),
  }
}

function minuteOf(text: string): number | undefined {
  const [, hours, minutes] = /^(\d\d):([0-5]\d)$/.exec(text) ?? []
  const minute = Number(hours) * 60 + Number(minutes)
  return minute <= 24 * 60 ? minute : undefined
}

function clockText(minute: number): string {
  const two = (number: number) => String(number).padStart(2, '0')
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
}

/** Abbreviations such as CST are refused, because they are ambiguous. */
function isTimeZone(name: string): boolean {
  if (!/^(UTC|GMT|(?!SystemV)[a-z_]+(\/[a-z0-9_+-]+)+)$/i.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
