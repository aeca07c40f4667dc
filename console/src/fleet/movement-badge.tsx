import { Badge } from '@mantine/core'
import {
  type Icon,
  IconCloudUpload,
  IconNavigation,
  IconParking,
  IconPlayerPause,
  IconPlugConnectedX,
  IconPlugX,
  IconQuestionMark,
} from '@tabler/icons-react'
import { useTexts } from '../language/language.ts'
import type { MovementKind } from './car-state.ts'
import { MOVEMENT_COLORS } from './movement-colors.ts'

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
      // The theme's letters on light badges are too pale to be read at this size.
      c={`light-dark(color-mix(in srgb, var(--mantine-color-${name}-9), black 35%), var(--mantine-color-${name}-3))`}
      leftSection={<Symbol size={12} stroke={2} aria-hidden />}
      tt="none"
      style={{ flexShrink: 0 }}
    >
      {texts.movements[movement]}
    </Badge>
  )
}
