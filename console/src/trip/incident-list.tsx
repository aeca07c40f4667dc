import { Box, Group, List, ScrollArea, Stack, Text, Title, UnstyledButton } from '@mantine/core'
import { formatTime } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { incidentText, SEVERITY_COLORS } from './incident-text.ts'
import type { Incident } from './incidents.ts'
import { tripTexts } from './texts.ts'

interface IncidentListProps {
  readonly incidents: readonly Incident[]
  readonly onPick: (timeMs: number) => void
}

/** What happened on the way, with its time; a click goes there. */
export function IncidentList({ incidents, onPick }: IncidentListProps) {
  const texts = useTexts(tripTexts)
  const language = useLanguage()
  return (
    <Stack gap="xs">
      <Title order={2} fz="h4">
        {texts.onTheWay}
      </Title>
      {incidents.length === 0 && (
        <Text fz="sm" c="dimmed">
          {texts.nothing}
        </Text>
      )}
      <ScrollArea.Autosize mah={420}>
        <List listStyleType="none" aria-label={texts.onTheWay}>
          {incidents.map((incident, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: several can happen at once, and they never change places
            <List.Item key={index}>
              <UnstyledButton onClick={() => onPick(incident.timeMs)} py={3}>
                <Group gap="xs" wrap="nowrap" align="baseline">
                  <Box
                    w={8}
                    h={8}
                    bg={SEVERITY_COLORS[incident.severity]}
                    style={{ borderRadius: 2, flexShrink: 0 }}
                    aria-hidden
                  />
                  <Text fz="sm" c="dimmed" component="span">
                    {formatTime(incident.timeMs, language)}
                  </Text>
                  <Text fz="sm" component="span">
                    {incidentText(incident, texts, language)}
                  </Text>
                </Group>
              </UnstyledButton>
            </List.Item>
          ))}
        </List>
      </ScrollArea.Autosize>
    </Stack>
  )
}
