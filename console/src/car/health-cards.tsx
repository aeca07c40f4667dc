import { Alert, Badge, Group, Progress, ScrollArea, Stack, Text } from '@mantine/core'
import {
  type Icon,
  IconBattery,
  IconBattery1,
  IconBattery2,
  IconBattery4,
  IconBatteryCharging,
  IconBolt,
  IconCircleCheck,
  IconEngine,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Device, Dtc, LastEvent, Vehicle } from '../api/types.ts'
import { type FactRow, FactRows } from '../figures/figures.tsx'
import type { Car } from '../fleet/car.ts'
import {
  type BatteryState,
  type CarState,
  isCharging as isChargingNow,
  isWorrying,
  type Reason,
} from '../fleet/car-state.ts'
import { badgeInk, heardText } from '../fleet/state-marks.tsx'
import { formatAge, formatDate, formatNumber, formatQuantity, type Texts, useTexts } from '../language/language.ts'
import { eventTypeName, valueText } from '../measurements/measurement.ts'
import { ErrorState, LoadingState, PageLink, Part } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import { type DriveBattery, firstOf } from './car-facts.ts'
import { vehicleDtcsQuery } from './vehicle-queries.ts'

const LOOKS: Readonly<Record<BatteryState, { readonly color: string; readonly icon: Icon }>> = {
  Normal: { color: 'teal', icon: IconBattery4 },
  Loading: { color: 'teal', icon: IconBatteryCharging },
  Overvoltage: { color: 'red', icon: IconBolt },
  Warning: { color: 'orange', icon: IconBattery2 },
  'Very Low': { color: 'red', icon: IconBattery1 },
  Empty: { color: 'red', icon: IconBattery },
}

interface HealthCardProps {
  readonly state: CarState
  readonly nowMs: number
}

/** Will the car start: state and voltage of its battery, and what to do. */
export function BatteryCard({ state: { battery }, nowMs }: HealthCardProps) {
  const texts = useTexts('car')
  if (!battery)
    return (
      <Part title={texts.battery}>
        <Text fz="sm" c="dimmed">
          {texts.batteryUnknown}
        </Text>
      </Part>
    )
  const { color, icon: Symbol } = LOOKS[battery.wasCharging ? 'Normal' : battery.state]
  const { word, advice } = texts.batteryStates[battery.state]
  return (
    <Part title={texts.battery}>
      <Group gap="sm">
        <Symbol size={36} stroke={1.4} aria-hidden color={`var(--mantine-color-${color}-6)`} />
        {battery.voltageV !== undefined && (
          <Text fz={28} fw={650} lh={1.1}>
            {formatQuantity(battery.voltageV, 'V', 2)}
          </Text>
        )}
        <Badge color={color} variant="light" size="lg" tt="none" c={badgeInk(color)}>
          {battery.wasCharging ? texts.wasCharging : word}
        </Badge>
      </Group>
      {advice !== '' && !battery.wasCharging && <Text fz="sm">{advice}</Text>}
      <Text fz="sm" c="dimmed">
        {formatAge(battery.measuredMs, nowMs)}
      </Text>
    </Part>
  )
}

/** Below, somebody should charge it before the next trip. */
const LOW_PERCENT = 20

/** How far an electric car gets: charge, range, whether it is charged, and how its battery is. */
export function DriveBatteryCard({ battery, state, nowMs }: HealthCardProps & { readonly battery: DriveBattery }) {
  const texts = useTexts('car')
  const charge = battery.get('HV_BATTERY_SOC')
  if (!charge) return null
  const percent = Number(charge.value)
  const isCharging = isChargingNow(battery.get('HV_BATTERY_IS_CHARGING'), nowMs)
  const starter = state.battery
  const row = (name: string, event: LastEvent | undefined): readonly FactRow[] =>
    event ? [{ name, text: valueText(event) }] : []
  const named = (eventType: string) => row(eventTypeName(eventType), battery.get(eventType))
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
            text: starter.wasCharging
              ? `${texts.wasCharging}, ${formatAge(starter.measuredMs, nowMs)}`
              : texts.batteryStates[starter.state].word,
            isWorrying: isWorrying(starter.state),
          },
        ]
      : []),
  ]
  return (
    <Part title={texts.driveBattery}>
      <Group gap="sm">
        <Text fz={28} fw={650} lh={1.1}>
          {valueText(charge)}
        </Text>
        {isCharging && <IconBolt size={24} stroke={1.6} aria-hidden color="var(--mantine-color-teal-6)" />}
        <Text fz="sm" c="dimmed" ml="auto">
          {formatAge(Date.parse(charge.recordedTimestamp), nowMs)}
        </Text>
      </Group>
      <Progress value={percent} color={percent < LOW_PERCENT ? 'orange' : 'teal'} aria-label={texts.driveBattery} />
      <FactRows rows={rows} />
    </Part>
  )
}

const FAULTS_HEIGHT_PX = 260

/** What is wrong with the car now: its fault codes with their texts, and the warning light. */
export function FaultsCard({ car: { id, plate, vin, name, state } }: { readonly car: Car }) {
  const texts = useTexts('car')
  const mayReadDtcs = useMay('dtcs')
  const isLampOn = isReasonOf(state, 'lamp')
  return (
    <Part
      title={texts.faults}
      aside={
        mayReadDtcs && (
          <PageLink to="/faults" search={{ view: 'history', search: plate || vin || name }} fz="sm">
            {texts.pastFaults}
          </PageLink>
        )
      }
    >
      {isLampOn && (
        <Alert color="orange" icon={<IconEngine size={18} />} p="xs">
          {texts.milOn}
        </Alert>
      )}
      {mayReadDtcs ? (
        <CurrentFaults vehicleId={id} state={state} />
      ) : (
        <Text fz="sm" c="dimmed">
          {texts.noFaultsPermission}
        </Text>
      )}
    </Part>
  )
}

function CurrentFaults({ vehicleId, state }: { readonly vehicleId: string; readonly state: CarState }) {
  const texts = useTexts('car')
  const { data: dtcs, error, refetch } = useQuery(vehicleDtcsQuery(vehicleId))
  if (!dtcs) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <LoadingState />
  if (dtcs.length === 0) {
    const isClean = state.areCodesRead && !isReasonOf(state, 'unnamedCodes')
    if (!isClean) return <Text fz="sm">{state.areCodesRead ? texts.faultsUnnamed : texts.faultsNotRead}</Text>
    return (
      <Group gap="xs">
        <IconCircleCheck size={20} stroke={1.6} aria-hidden color="var(--mantine-color-teal-6)" />
        <Text fz="sm">{texts.noFaults}</Text>
      </Group>
    )
  }
  return (
    <ScrollArea.Autosize mah={FAULTS_HEIGHT_PX} viewportProps={{ tabIndex: 0 }}>
      <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
        {dtcs.map(dtc => (
          <Fault key={dtc.id} dtc={dtc} />
        ))}
      </Stack>
    </ScrollArea.Autosize>
  )
}

function isReasonOf({ health }: CarState, kind: Reason['kind']): boolean {
  return health.kind === 'attention' && health.reasons.some(reason => reason.kind === kind)
}

function Fault({ dtc }: { readonly dtc: Dtc }) {
  const texts = useTexts('car')
  const { kinds } = useTexts('faults')
  const details = [dtc.ecuType, texts.since(formatDate(Date.parse(dtc.recordedTimestamp)))]
  return (
    <li>
      <Group gap="xs">
        <Text fw={600} fz="sm" ff="monospace">
          {dtc.code}
        </Text>
        <Badge variant="default" size="sm" tt="none">
          {kinds[dtc.dtcType]}
        </Badge>
      </Group>
      <Text fz="sm">{dtc.label || texts.noFaultText}</Text>
      <Text fz="xs" c="dimmed">
        {details.filter(Boolean).join(' · ')}
      </Text>
    </li>
  )
}

interface DeviceCardProps extends HealthCardProps {
  readonly vehicle: Vehicle
  /** Also undefined without permission for dongles: then only what it measured is shown. */
  readonly device: Device | undefined
}

/** Is the dongle well: connection, plug, reception, supply, firmware. */
export function DeviceCard({ vehicle, device, state, nowMs }: DeviceCardProps) {
  const texts = useTexts('car')
  const states = useTexts('carState')
  const latest = new Map(vehicle.lastEvents.map(event => [event.eventType, event]))
  const fact = (name: string, eventType: string): readonly FactRow[] => {
    const event = latest.get(eventType)
    return event ? [{ name, text: valueText(event) }] : []
  }
  const hardware =
    device && [device.manufacturer, device.hardwareType, device.hardwareVersion].filter(Boolean).join(' ')
  const gps = gpsText(latest, texts)
  const { dongle } = state
  const facts: readonly FactRow[] = [
    ...(dongle
      ? [
          { name: texts.connection, text: states.contacts[dongle.contact.kind] },
          { name: texts.plug, text: states.plugs[dongle.plug], isWorrying: dongle.plug === 'out' },
          { name: texts.heard, text: heardText(dongle.contact, nowMs) },
          ...(dongle.contact.kind === 'catchingUp'
            ? [{ name: texts.newest, text: formatAge(dongle.contact.heardMs, nowMs) }]
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
  return (
    <Part
      title={texts.device}
      aside={
        <Text fz="sm" c="dimmed">
          {vehicle.deviceId}
        </Text>
      }
    >
      {vehicle.deviceId === null && <Text fz="sm">{texts.noDevice}</Text>}
      <FactRows rows={facts} />
    </Part>
  )
}

function gpsText(latest: ReadonlyMap<string, Vehicle['lastEvents'][number]>, texts: Texts<'car'>): string | undefined {
  const numberOf = (eventType: string, digits: number) => {
    const value = latest.get(eventType)?.value
    return typeof value === 'number' ? formatNumber(value, digits) : undefined
  }
  const inUse = numberOf('GPS_SATELLITES_IN_USE', 0)
  const inView = numberOf('GPS_SATELLITES_IN_VIEW', 0)
  const dilution = numberOf('GPS_HDOP', 1)
  const satellites =
    inUse === undefined ? undefined : inView === undefined ? texts.satellites(inUse) : texts.satellitesOf(inUse, inView)
  return [satellites, dilution && `HDOP ${dilution}`].filter(Boolean).join(', ') || undefined
}
