import { Box, Group, List, ScrollArea, Stack, Text, Title, UnstyledButton } from '@mantine/core'
import { SEVERITY_COLORS } from '../incidents/severity.ts'
import { formatTime } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { PageLink } from '../shell/page-link.tsx'
import { occurrenceText } from './occurrence-text.ts'
import type { Occurrence } from './occurrences.ts'

interface OccurrenceListProps {
  readonly occurrences: readonly Occurrence[]
  readonly onPick: (timeMs: number) => void
}

/** What happened on the way, with its time; a click goes there. */
export function OccurrenceList({ occurrences, onPick }: OccurrenceListProps) {
  const texts = useTexts('trip')
  const language = useLanguage()
  return (
    <Stack gap="xs">
      <Title order={2} fz="h4">
        {texts.onTheWay}
      </Title>
      {occurrences.length === 0 && (
        <Text fz="sm" c="dimmed">
          {texts.nothing}
        </Text>
      )}
      <ScrollArea.Autosize mah={420}>
        <List listStyleType="none" aria-label={texts.onTheWay}>
          {occurrences.map((occurrence, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: several can happen at once, and they never change places
            <List.Item key={index}>
              <Group gap="xs" wrap="nowrap" align="baseline">
                <UnstyledButton onClick={() => onPick(occurrence.timeMs)} py={3}>
                  <Group gap="xs" wrap="nowrap" align="baseline">
                    <Box
                      w={8}
                      h={8}
                      bg={SEVERITY_COLORS[occurrence.severity]}
                      style={{ borderRadius: 2, flexShrink: 0 }}
                      aria-hidden
                    />
                    <Text fz="sm" c="dimmed" component="span">
                      {formatTime(occurrence.timeMs, language)}
                    </Text>
                    <Text fz="sm" component="span">
                      {occurrenceText(occurrence, texts, language)}
                    </Text>
                  </Group>
                </UnstyledButton>
                {occurrence.kind === 'incident' && (
                  <PageLink
                    to="/incidents/$incidentId"
                    params={{ incidentId: occurrence.incident.id }}
                    fz="sm"
                    aria-label={texts.toIncidentOf(occurrenceText(occurrence, texts, language))}
                  >
                    {texts.toIncident}
                  </PageLink>
                )}
              </Group>
            </List.Item>
          ))}
        </List>
      </ScrollArea.Autosize>
    </Stack>
  )
}
