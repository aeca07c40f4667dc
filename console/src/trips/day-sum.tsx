import { Group, Text } from '@mantine/core'
import { startOfDayMs } from '../calendar/days.ts'
import { formatDay, formatDistance, formatDuration, formatNumber } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import type { TripTotals } from './trip-list.ts'

interface DaySumProps {
  /** `YYYY-MM-DD` */
  readonly day: string
  readonly totals: TripTotals
}

/** A day with what its trips add up to, above them. */
export function DaySum({ day, totals: { count, distanceKm, durationS } }: DaySumProps) {
  const texts = useTexts('trips')
  const language = useLanguage()
  const sums = [
    texts.trips(count, formatNumber(count, language)),
    formatDistance(distanceKm, language),
    formatDuration(durationS),
  ]
  return (
    <Group component="span" gap="sm" justify="space-between">
      <Text span fw={600} fz="sm">
        {formatDay(startOfDayMs(day), language)}
      </Text>
      <Text span fz="sm" c="dimmed">
        {sums.join(' · ')}
      </Text>
    </Group>
  )
}
