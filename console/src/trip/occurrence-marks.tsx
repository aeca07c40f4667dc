import { Box } from '@mantine/core'
import { SEVERITY_COLORS } from '../incidents/severity.ts'
import type { Occurrence } from './occurrences.ts'

interface OccurrenceMarksProps {
  readonly occurrences: readonly Occurrence[]
  readonly beginMs: number
  readonly endMs: number
}

/** Where on the slider below something happened; the list beside it says what, for keyboards and screen readers too. */
export function OccurrenceMarks({ occurrences, beginMs, endMs }: OccurrenceMarksProps) {
  return (
    <Box pos="relative" h={10} aria-hidden>
      {occurrences.map((occurrence, index) => (
        <Box
          // biome-ignore lint/suspicious/noArrayIndexKey: several can happen at once, and they never change places
          key={index}
          pos="absolute"
          left={`${(100 * (occurrence.timeMs - beginMs)) / Math.max(1, endMs - beginMs)}%`}
          w={6}
          h={8}
          ml={-3}
          bg={SEVERITY_COLORS[occurrence.severity]}
          style={{ borderRadius: 2 }}
        />
      ))}
    </Box>
  )
}
