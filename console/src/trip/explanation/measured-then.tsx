import { Box, Group, Text } from '@mantine/core'
import type { LastEvent } from '../../api/types.ts'
import { formatQuantity } from '../../language/format.ts'
import { type Language, type Texts, useLanguage, useTexts } from '../../language/language.ts'

/** The deciding measurements, by their names in the API, for a closer look. */
export function MeasuredThen({ events }: { readonly events: readonly LastEvent[] }) {
  const texts = useTexts('explanation')
  const language = useLanguage()
  if (events.length === 0) return null
  return (
    <details>
      <Text component="summary" fz="sm" style={{ cursor: 'pointer' }}>
        {texts.measuredThen(events.length)}
      </Text>
      <Box py={4}>
        {events.map(event => (
          <Group key={event.eventType} gap="xs" justify="space-between" maw={420}>
            <Text fz="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {event.eventType}
            </Text>
            <Text fz="xs">{valueText(event, texts, language)}</Text>
          </Group>
        ))}
      </Box>
    </details>
  )
}

function valueText({ value, unit }: LastEvent, texts: Texts<'explanation'>, language: Language): string {
  if (typeof value === 'boolean') return value ? texts.yes : texts.no
  if (typeof value === 'number') return formatQuantity(value, unit ?? '', language, 3)
  return value === '' ? '–' : value
}
