import { Badge } from '@mantine/core'
import { type Icon, IconAlertTriangle, IconNavigation, IconParking, IconPlugConnectedX } from '@tabler/icons-react'
import { useTexts } from '../language/language.ts'
import type { CarState } from './car.ts'
import { CAR_STATE_COLORS } from './car-state-colors.ts'
import { fleetTexts } from './texts.ts'

const ICONS: Readonly<Record<CarState, Icon>> = {
  warning: IconAlertTriangle,
  driving: IconNavigation,
  parked: IconParking,
  offline: IconPlugConnectedX,
}

/** What a car is doing, shown by colour, symbol and word. */
export function CarStateBadge({ state }: { readonly state: CarState }) {
  const texts = useTexts(fleetTexts)
  const Symbol = ICONS[state]
  const { name } = CAR_STATE_COLORS[state]
  return (
    <Badge
      color={name}
      variant={state === 'offline' ? 'outline' : 'light'}
      // The theme's letters on light badges are too pale to be read at this size.
      c={`light-dark(color-mix(in srgb, var(--mantine-color-${name}-9), black 35%), var(--mantine-color-${name}-3))`}
      leftSection={<Symbol size={12} stroke={2} aria-hidden />}
      tt="none"
      style={{ flexShrink: 0 }}
    >
      {texts.states[state]}
    </Badge>
  )
}
