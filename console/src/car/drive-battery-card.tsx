import { Box, Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconBolt } from '@tabler/icons-react'
import type { LastEvent } from '../api/types.ts'
import { type FactRow, FactRows } from '../figures/figures.tsx'
import { batteryOf, isCharging as isChargingNow } from '../fleet/car-state.ts'
import { isOfNow } from '../fleet/dongle-state.ts'
import { formatAge } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { eventTypeName, valueText } from '../measurements/measurement.ts'
import { type DriveBattery, firstOf } from './drive-battery.ts'

/** Below, somebody should charge it before the next trip. */
const LOW_PERCENT = 20

interface DriveBatteryCardProps {
  readonly battery: DriveBattery
  readonly lastEvents: readonly LastEvent[]
  readonly nowMs: number
}

/** How far an electric car gets: charge, range, whether it is charged, and how its battery is. */
export function DriveBatteryCard({ battery, lastEvents, nowMs }: DriveBatteryCardProps) {
  const texts = useTexts('car')
  const language = useLanguage()
  const charge = battery.get('HV_BATTERY_SOC')
  if (!charge) return null
  const percent = Number(charge.value)
  const isCharging = isChargingNow(battery.get('HV_BATTERY_IS_CHARGING'), nowMs)
  const starter = batteryOf(lastEvents)
  const row = (name: string, event: LastEvent | undefined): readonly FactRow[] =>
    event ? [{ name, text: valueText(event, language) }] : []
  const named = (eventType: string) => row(eventTypeName(eventType, language), battery.get(eventType))
  const rows: readonly FactRow[] = [
    ...row(texts.range, firstOf(battery, 'HV_BATTERY_REMAINING_RANGE', 'REMAINING_RANGE')),
    {
      name: texts.charging,
      text: isCharging === undefined ? texts.chargingUnknown : isCharging ? texts.chargingNow : texts.notCharging,
    },
    ...(isCharging ? ['HV_BATTERY_CHARGING_POWER', 'HV_BATTERY_REMAINING_CHARGING_DURATION'].flatMap(named) : []),
    ...row(texts.batteryHealth, battery.get('HV_BATTERY_SOH')),
    ...named('HV_BATTERY_TEMPERATURE'),
    ...named('HV_BATTERY_VOLTAGE'),
    ...(starter
      ? [
          {
            name: texts.battery,
            text:
              starter.state === 'Loading' && !isOfNow(starter.measuredMs, nowMs)
                ? texts.wasCharging
                : texts.batteryStates[starter.state].word,
            isWorrying: starter.state !== 'Normal' && starter.state !== 'Loading',
          },
        ]
      : []),
  ]
  const color = percent < LOW_PERCENT ? 'orange' : 'teal'
  return (
    <Card withBorder component="section" aria-label={texts.driveBattery}>
      <Stack gap="xs">
        <Title order={2} fz="h4">
          {texts.driveBattery}
        </Title>
        <Group gap="sm">
          <Text fz={28} fw={650} lh={1.1}>
            {valueText(charge, language)}
          </Text>
          {isCharging && <IconBolt size={24} stroke={1.6} aria-hidden color="var(--mantine-color-teal-6)" />}
          <Text fz="sm" c="dimmed" ml="auto">
            {formatAge(Date.parse(charge.recordedTimestamp), nowMs, language)}
          </Text>
        </Group>
        <Box h={8} bg="var(--mantine-color-default-border)" style={{ borderRadius: 4 }} aria-hidden>
          <Box
            h={8}
            w={`${Math.min(100, Math.max(0, percent))}%`}
            bg={`var(--mantine-color-${color}-6)`}
            style={{ borderRadius: 4 }}
          />
        </Box>
        <FactRows rows={rows} />
      </Stack>
    </Card>
  )
}
