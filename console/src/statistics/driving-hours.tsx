import { Box, Card, Text, Title, VisuallyHidden } from '@mantine/core'
import { type KeyboardEvent, useMemo, useState } from 'react'
import type { DrivingHour } from '../api/types.ts'
import { instantOfWall } from '../calendar/days.ts'
import { formatClock, formatDuration, localeOf, timeZoneHere, useTexts } from '../language/language.ts'
import { Hint } from '../page/page.tsx'
import classes from './driving-hours.module.css'

/** The least for an hour in which anybody drove, so that it differs from one in which nobody did. */
const LEAST_PERCENT = 12

/** Columns between two that are named: more have no room on a phone. */
const NAMED_EVERY = 3

/** How much was driven in each hour of the week: darker is more. It is a table for who reads it by ear. */
export function DrivingHoursCard({ hours }: { readonly hours: readonly DrivingHour[] }) {
  const texts = useTexts('statistics')
  const [pointed, setPointed] = useState<number>()
  const week = useMemo(() => drivingWeek(hours), [hours])
  const [short, long] = [weekdayNames('short'), weekdayNames('long')]
  const mostS = Math.max(...week)
  const busiest = mostS > 0 ? week.indexOf(mostS) : undefined
  const describe = (at: number) => {
    const [from, to] = [clockOf(at % 24), clockOf((at % 24) + 1)]
    return texts.hours.of(long[Math.floor(at / 24)] ?? '', from, to, formatDuration(week[at] ?? 0))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const next = afterKey(pointed ?? busiest ?? 0, event.key)
    if (next === undefined) return
    event.preventDefault()
    setPointed(next)
  }
  return (
    <Card withBorder p="md">
      <Title order={2} fz="h4">
        {texts.hours.title}
      </Title>
      <Hint mb="sm">{texts.hours.hint(timeZoneHere())}</Hint>
      <Box
        className={classes.place}
        role="group"
        aria-label={texts.hours.title}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onFocus={() => setPointed(before => before ?? busiest)}
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
                  const at = 24 * weekday + hour
                  const seconds = week[at] ?? 0
                  return (
                    <td
                      key={hour}
                      data-pointed={at === pointed || undefined}
                      style={seconds > 0 ? { background: shade(seconds / mostS) } : undefined}
                      onMouseEnter={() => setPointed(at)}
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
      <Text fz="sm" ta="center" mt="xs" aria-live="polite" c={pointed === undefined ? 'dimmed' : undefined}>
        {pointed !== undefined ? describe(pointed) : busiest !== undefined && texts.hours.busiest(describe(busiest))}
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

/** How long cars drove in each hour of the week, in seconds, from the rows of `GET /aggregations/hours`, which leaves out hours without driving. */
export function drivingWeek(rows: readonly DrivingHour[]): readonly number[] {
  const week = Array.from({ length: 7 * 24 }, () => 0)
  for (const { weekday, hour, duration } of rows) week[24 * (weekday - 1) + hour] = duration
  return week
}

const STEPS: Readonly<Record<string, readonly [days: number, hours: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  Home: [0, -24],
  End: [0, 24],
}

/** Where a key leads from an hour of the week; undefined for keys that lead nowhere. The ends of day and week stop it. */
export function afterKey(at: number, key: string): number | undefined {
  const step = STEPS[key]
  if (!step) return undefined
  const weekday = Math.min(6, Math.max(0, Math.floor(at / 24) + step[0]))
  return 24 * weekday + Math.min(23, Math.max(0, (at % 24) + step[1]))
}
