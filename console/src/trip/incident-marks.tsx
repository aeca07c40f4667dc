import { Box } from '@mantine/core'
import { SEVERITY_COLORS } from './incident-text.ts'
import type { Incident } from './incidents.ts'

interface IncidentMarksProps {
  readonly incidents: readonly Incident[]
  readonly beginMs: number
  readonly endMs: number
}

/** Where on the slider below something happened; the list beside it says what, for keyboards and screen readers too. */
export function IncidentMarks({ incidents, beginMs, endMs }: IncidentMarksProps) {
  return (
    <Box pos="relative" h={10} aria-hidden>
      {incidents.map((incident, index) => (
        <Box
          // biome-ignore lint/suspicious/noArrayIndexKey: several can happen at once, and they never change places
          key={index}
          pos="absolute"
          left={`${(100 * (incident.timeMs - beginMs)) / Math.max(1, endMs - beginMs)}%`}
          w={6}
          h={8}
          ml={-3}
          bg={SEVERITY_COLORS[incident.severity]}
          style={{ borderRadius: 2 }}
        />
      ))}
    </Box>
  )
}
