import { Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useLanguage, useTexts } from '../language/language.ts'
import type { Health } from './car-state.ts'
import { reasonText } from './state-words.ts'

/** Orange that is read on light and dark ground. */
const ATTENTION_INK = 'light-dark(#a63c00, var(--mantine-color-orange-4))'

/** The most urgent reason for attention and how many more there are, on one line; nothing when there is none. */
export function AttentionLine({ health }: { readonly health: Health }) {
  const language = useLanguage()
  const texts = useTexts('carState')
  if (health.kind !== 'attention') return null
  const [first, ...others] = health.reasons
  return (
    <Text
      fz="xs"
      fw={600}
      c={ATTENTION_INK}
      truncate
      title={health.reasons.map(each => reasonText(each, language)).join('\n')}
    >
      <IconAlertTriangle
        size={13}
        stroke={2}
        role="img"
        aria-label={texts.needsAttention}
        style={{ verticalAlign: -2, marginRight: 4 }}
      />
      {reasonText(first, language)}
      {others.length > 0 && ` +${others.length}`}
    </Text>
  )
}

/** Every reason for attention, else what is known of the health of a car. */
export function HealthText({ health }: { readonly health: Health }) {
  const language = useLanguage()
  const texts = useTexts('carState')
  if (health.kind !== 'attention')
    return (
      <Text fz="sm" c="dimmed">
        {texts.healths[health.kind]}
      </Text>
    )
  return (
    <Stack gap={2} component="ul" m={0} p={0} style={{ listStyle: 'none' }} aria-label={texts.needsAttention}>
      {health.reasons.map(reason => (
        <Group key={reason.kind} component="li" gap={6} wrap="nowrap" align="start" c={ATTENTION_INK}>
          <IconAlertTriangle size={16} stroke={2} aria-hidden style={{ flexShrink: 0, marginTop: 2 }} />
          <Text fz="sm" fw={600}>
            {reasonText(reason, language)}
          </Text>
        </Group>
      ))}
    </Stack>
  )
}
