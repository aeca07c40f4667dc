import { Box, Card, Text, Title, VisuallyHidden } from '@mantine/core'
import { type KeyboardEvent, useMemo, useState } from 'react'
import type { DrivingHour } from '../api/types.ts'
import { instantOfWall } from '../calendar/days.ts'
import { formatClock, formatDuration, localeOf, timeZoneHere, useTexts } from '../language/language.ts'
import classes from './driving-hours.module.css'

/** The least for an hour in which anybody drove, so that it differs from one in which nobody did. */
const LEAST_PERCENT = 12

/** Columns between two that are named: more have no room on a phone. */
const NAMED_EVERY = 3

/** How much was driven in each hour of the week: darker is more. It is a table for who reads it by ear. */
export function DrivingHoursCard({ hours }: { readonly hours: readonly DrivingHour[] }) {
  const texts = useTexts('statistics')
  const [pointed, setPointed] = useState<WeekHour>()
  const week = useMemo(() => drivingWeek(hours), [hours])
  const [short, long] = [weekdayNames('short'), weekdayNames('long')]
  const mostS = week.busiest ? week.secondsIn(week.busiest) : 0
  const describe = (at: WeekHour) => {
    const [from, to] = [clockOf(at.hour), clockOf(at.hour + 1)]
    return texts.hours.of(long[at.weekday] ?? '', from, to, formatDuration(week.secondsIn(at)))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const next = afterKey(pointed ?? week.busiest ?? { weekday: 0, hour: 0 }, event.key)
    if (!next) return
    event.preventDefault()
    setPointed(next)
  }
  return (
    <Card withBorder p="md">
      <Title order={2} fz="h4">
        {texts.hours.title}
      </Title>
      <Text fz="sm" c="dimmed" mb="sm">
        {texts.hours.hint(timeZoneHere())}
      </Text>
      <Box
        className={classes.place}
        role="group"
        aria-label={texts.hours.title}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onFocus={() => setPointed(before => before ?? week.busiest)}
        onMouseLeave={() => setPointed(undefined)}
        onBlur={() => setPointed(undefined)}
      >
        <table className={classes.week} aria-label={texts.hours.title}>
          <thead>
            <tr>
              <th scope="col" className={classes.weekday}>
                <VisuallyHidden>{texts.hours.weekday}</VisuallyHidden>
              </th>
              {HOURS.map(hour => (
                <th key={hour} scope="col" aria-label={clockOf(hour)}>
                  {hour % NAMED_EVERY === 0 && <span>{hour}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {WEEKDAYS.map(weekday => (
              <tr key={weekday}>
                <th scope="row" className={classes.weekday} aria-label={long[weekday]}>
                  {short[weekday]}
                </th>
                {HOURS.map(hour => {
                  const seconds = week.secondsIn({ weekday, hour })
                  return (
                    <td
                      key={hour}
                      data-pointed={(pointed?.weekday === weekday && pointed.hour === hour) || undefined}
                      style={seconds > 0 ? { background: shade(seconds / mostS) } : undefined}
                      onMouseEnter={() => setPointed({ weekday, hour })}
                    >
                      <VisuallyHidden>{formatDuration(seconds)}</VisuallyHidden>
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Box>
      <Text fz="sm" ta="center" mt="xs" aria-live="polite" c={pointed ? undefined : 'dimmed'}>
        {pointed ? describe(pointed) : week.busiest && texts.hours.busiest(describe(week.busiest))}
      </Text>
    </Card>
  )
}

/** @param share of the busiest hour */
function shade(share: number): string {
  const percent = Math.round(LEAST_PERCENT + share * (100 - LEAST_PERCENT))
  return `color-mix(in srgb, var(--driving-color) ${percent}%, var(--mantine-color-default-hover))`
}

/** Monday first. */
function weekdayNames(style: 'short' | 'long'): readonly string[] {
  const format = new Intl.DateTimeFormat(localeOf(), { weekday: style })
  // 2024-01-01 was a Monday.
  return WEEKDAYS.map(weekday => format.format(new Date(2024, 0, 1 + weekday)))
}

function clockOf(hour: number): string {
  return formatClock(instantOfWall(Date.UTC(2024, 0, 1, hour)))
}

const WEEKDAYS = [0, 1, 2, 3, 4, 5, 6] as const
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

/** An hour of the week. */
interface WeekHour {
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
