import { Badge, Stack, Text } from '@mantine/core'
import { useNow } from '../fleet/use-now.ts'
import { formatAge } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { useKnownSince, useLiveState } from '../live/live-state.ts'

const COLORS = { live: 'teal', connecting: 'gray', away: 'red' } as const

/** Whether what is shown follows the fleet at the moment. */
export function LiveIndicator() {
  const texts = useTexts('shell')
  const live = useTexts('live')
  const language = useLanguage()
  const state = useLiveState()
  const knownSinceMs = useKnownSince()
  const nowMs = useNow()
  return (
    <Stack gap={2} align="flex-start" miw={0}>
      <Badge
        color={COLORS[state]}
        variant={state === 'live' ? 'light' : 'filled'}
        role="status"
        tt="none"
        miw="fit-content"
        title={state === 'away' ? texts.awayHint : texts.liveHint}
      >
        {texts[state]}
      </Badge>
      {state === 'away' && knownSinceMs !== undefined && (
        <Text size="xs" c="dimmed" lh={1} truncate maw="100%">
          {live.asOf(formatAge(knownSinceMs, nowMs, language))}
        </Text>
      )}
    </Stack>
  )
}
