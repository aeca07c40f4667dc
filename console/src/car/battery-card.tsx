import { Badge, Card, Group, Stack, Text, Title } from '@mantine/core'
import {
  type Icon,
  IconBattery,
  IconBattery1,
  IconBattery2,
  IconBattery4,
  IconBatteryCharging,
  IconBolt,
} from '@tabler/icons-react'
import type { LastEvent } from '../api/types.ts'
import { type BatteryState, batteryOf } from '../fleet/car-state.ts'
import { isOfNow } from '../fleet/dongle-state.ts'
import { formatAge, formatQuantity } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'

const LOOKS: Readonly<Record<BatteryState, { readonly color: string; readonly icon: Icon }>> = {
  Normal: { color: 'teal', icon: IconBattery4 },
  Loading: { color: 'teal', icon: IconBatteryCharging },
  Overvoltage: { color: 'red', icon: IconBolt },
  Warning: { color: 'orange', icon: IconBattery2 },
  'Very Low': { color: 'red', icon: IconBattery1 },
  Empty: { color: 'red', icon: IconBattery },
}

interface BatteryCardProps {
  readonly lastEvents: readonly LastEvent[]
  readonly nowMs: number
}

/** Will the car start: state and voltage of its battery, and what to do. */
export function BatteryCard({ lastEvents, nowMs }: BatteryCardProps) {
  const texts = useTexts('car')
  const language = useLanguage()
  const battery = batteryOf(lastEvents)
  const looks = battery && LOOKS[battery.state]
  const { word, advice } = texts.batteryStates[battery?.state ?? 'Normal']
  /** Only while it lasts; a weak battery stays weak. */
  const wasCharging = battery?.state === 'Loading' && !isOfNow(battery.measuredMs, nowMs)
  return (
    <Card withBorder component="section" aria-label={texts.battery}>
      <Stack gap="xs">
        <Title order={2} fz="h4">
          {texts.battery}
        </Title>
        {battery && looks ? (
          <>
            <Group gap="sm">
              <looks.icon size={36} stroke={1.4} aria-hidden color={`var(--mantine-color-${looks.color}-6)`} />
              {battery.voltageV !== undefined && (
                <Text fz={28} fw={650} lh={1.1}>
                  {formatQuantity(battery.voltageV, 'V', language, 2)}
                </Text>
              )}
              <Badge
                color={looks.color}
                variant="light"
                size="lg"
                tt="none"
                // The theme's letters on light badges are too pale to be read at this size.
                c={`light-dark(color-mix(in srgb, var(--mantine-color-${looks.color}-9), black 35%), var(--mantine-color-${looks.color}-3))`}
              >
                {wasCharging ? texts.wasCharging : word}
              </Badge>
            </Group>
            {advice !== '' && !wasCharging && <Text fz="sm">{advice}</Text>}
            <Text fz="sm" c="dimmed">
              {formatAge(battery.measuredMs, nowMs, language)}
            </Text>
          </>
        ) : (
          <Text fz="sm" c="dimmed">
            {texts.batteryUnknown}
          </Text>
        )}
      </Stack>
    </Card>
  )
}
