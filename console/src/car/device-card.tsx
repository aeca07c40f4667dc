import { Card, Group, Stack, Text, Title } from '@mantine/core'
import type { Device, Vehicle } from '../api/types.ts'
import { type FactRow, FactRows } from '../figures/figures.tsx'
import type { CarState } from '../fleet/car-state.ts'
import { heardText } from '../fleet/state-words.ts'
import { formatAge, formatNumber } from '../language/format.ts'
import { type Language, type Texts, useLanguage, useTexts } from '../language/language.ts'
import { valueText } from '../measurements/measurement.ts'

interface DeviceCardProps {
  readonly vehicle: Vehicle
  /** Also undefined without permission for dongles: then only what it measured is shown. */
  readonly device: Device | undefined
  readonly state: CarState
  readonly nowMs: number
}

/** Is the dongle well: connection, plug, reception, supply, firmware. */
export function DeviceCard({ vehicle, device, state, nowMs }: DeviceCardProps) {
  const texts = useTexts('car')
  const states = useTexts('carState')
  const language = useLanguage()
  const facts = factsOf({ vehicle, device, state, nowMs }, texts, states, language)
  return (
    <Card withBorder component="section" aria-label={texts.device}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2} fz="h4">
            {texts.device}
          </Title>
          <Text fz="sm" c="dimmed">
            {vehicle.deviceId}
          </Text>
        </Group>
        {vehicle.deviceId === null && <Text fz="sm">{texts.noDevice}</Text>}
        <FactRows rows={facts} />
      </Stack>
    </Card>
  )
}

function factsOf(
  { vehicle, device, state, nowMs }: DeviceCardProps,
  texts: Texts<'car'>,
  states: Texts<'carState'>,
  language: Language,
): readonly FactRow[] {
  const latest = new Map(vehicle.lastEvents.map(event => [event.eventType, event]))
  const fact = (name: string, eventType: string): readonly FactRow[] => {
    const event = latest.get(eventType)
    return event ? [{ name, text: valueText(event, language) }] : []
  }
  const hardware =
    device && [device.manufacturer, device.hardwareType, device.hardwareVersion].filter(Boolean).join(' ')
  const gps = gpsText(latest, texts, language)
  const { dongle } = state
  return [
    ...(dongle
      ? [
          { name: texts.connection, text: states.contacts[dongle.contact.kind] },
          { name: texts.plug, text: states.plugs[dongle.plug], isWorrying: dongle.plug === 'out' },
          { name: texts.heard, text: heardText(dongle.contact, nowMs, language) },
          ...(dongle.contact.kind === 'catchingUp'
            ? [{ name: texts.newest, text: formatAge(dongle.contact.heardMs, nowMs, language) }]
            : []),
        ]
      : []),
    ...(gps && dongle ? [{ name: texts.gps, text: gps }] : []),
    ...(dongle ? fact(texts.supply, 'BATTERY_VOLTAGE') : []),
    ...(dongle ? fact(texts.standby, 'IS_DONGLE_IN_STANDBY') : []),
    ...(device?.firmwareVersion
      ? [{ name: texts.firmware, text: device.firmwareVersion }]
      : fact(texts.firmware, 'FIRMWARE_VERSION')),
    ...(hardware ? [{ name: texts.hardware, text: hardware }] : []),
  ]
}

function gpsText(
  latest: ReadonlyMap<string, Vehicle['lastEvents'][number]>,
  texts: Texts<'car'>,
  language: Language,
): string | undefined {
  const numberOf = (eventType: string, digits: number) => {
    const value = latest.get(eventType)?.value
    return typeof value === 'number' ? formatNumber(value, language, digits) : undefined
  }
  const inUse = numberOf('GPS_SATELLITES_IN_USE', 0)
  const inView = numberOf('GPS_SATELLITES_IN_VIEW', 0)
  const dilution = numberOf('GPS_HDOP', 1)
  const satellites =
    inUse === undefined ? undefined : inView === undefined ? texts.satellites(inUse) : texts.satellitesOf(inUse, inView)
  return [satellites, dilution && `HDOP ${dilution}`].filter(Boolean).join(', ') || undefined
}
