import { Badge } from '@mantine/core'
import { isOfNow } from '../fleet/dongle-state.ts'
import { useNow } from '../fleet/use-now.ts'
import { useTexts } from '../language/language.ts'

interface RunningBadgeProps {
  /** Up to when the trip is known. */
  readonly endMs: number
  readonly size?: 'sm' | 'md'
}

/** Says that a trip is running, or, if its newest value is old, that its end is unknown: its dongle is silent or catching up. */
export function RunningBadge({ endMs, size = 'sm' }: RunningBadgeProps) {
  const isNow = isOfNow(endMs, useNow())
  const texts = useTexts('trips')
  return (
    <Badge color={isNow ? 'teal' : 'gray'} variant="light" tt="none" size={size}>
      {isNow ? texts.running : texts.endUnknown}
    </Badge>
  )
}
