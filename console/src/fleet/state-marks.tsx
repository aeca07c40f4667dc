import { Badge, Group, Stack, Text } from '@mantine/core'
import {
  type Icon,
  IconAlertTriangle,
  IconCloudUpload,
  IconNavigation,
  IconParking,
  IconPlayerPause,
  IconPlugConnectedX,
  IconPlugX,
  IconQuestionMark,
} from '@tabler/icons-react'
import { useLanguage, useTexts } from '../language/language.ts'
import type { Health, MovementKind } from './car-state.ts'
import { MOVEMENT_COLORS, reasonText } from './state-words.ts'

const ICONS: Readonly<Record<MovementKind, Icon>> = {
  driving: IconNavigation,
  idling: IconPlayerPause,
  parked: IconParking,
  catchingUp: IconCloudUpload,
  silent: IconPlugConnectedX,
  withoutDongle: IconPlugX,
  neverReported: IconQuestionMark,
}

const IS_OUTLINED: ReadonlySet<MovementKind> = new Set(['catchingUp', 'silent', 'withoutDongle', 'neverReported'])

/** What a car does, shown by colour, symbol and word. */
export function MovementBadge({ movement }: { readonly movement: MovementKind }) {
  const texts = useTexts('carState')
  const Symbol = ICONS[movement]
  const { name } = MOVEMENT_COLORS[movement]
  return (
    <Badge
      color={name}
      variant={IS_OUTLINED.has(movement) ? 'outline' : 'light'}
      c={badgeInk(name)}
      leftSection={<Symbol size={12} stroke={2} aria-hidden />}
      tt="none"
      style={{ flexShrink: 0 }}
    >
      {texts.movements[movement]}
    </Badge>
  )
}

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

/** The theme's letters on light badges of a colour are too pale to be read at their size. */
export function badgeInk(color: string): string {
  return `light-dark(color-mix(in srgb, var(--mantine-color-${color}-9), black 35%), var(--mantine-color-${color}-3))`
}
