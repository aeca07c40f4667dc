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
import { ErrorState, Hint, LoadingState, PageLink, Part } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import { isElectric } from './car-facts.ts'
import { vehicleDtcsQuery } from './vehicle-queries.ts'

interface HealthCardProps {
  readonly vehicle: Vehicle
  readonly state: CarState
  readonly nowMs: number
}

/** How the battery is that decides whether the car drives. */
export function BatteryCard(props: HealthCardProps) {
  return isElectric(props.vehicle.lastEvents) ? <DriveBatteryCard {...props} /> : <StarterBatteryCard {...props} />
}

const LOOKS: Readonly<Record<BatteryState, { readonly color: string; readonly icon: Icon }>> = {
  Normal: { color: 'teal', icon: IconBattery4 },
  Loading: { color: 'teal', icon: IconBatteryCharging },
  Overvoltage: { color: 'red', icon: IconBolt },
  Warning: { color: 'orange', icon: IconBattery2 },
  'Very Low': { color: 'red', icon: IconBattery1 },
  Empty: { color: 'red', icon: IconBattery },
}

/** Will the car start: state and voltage of its battery, and what to do. */
function StarterBatteryCard({ state: { battery }, nowMs }: HealthCardProps) {
  const texts = useTexts('car')
  if (!battery)
    return (
      <Part title={texts.battery}>
        <Hint>{texts.batteryUnknown}</Hint>
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
      <Hint>{formatAge(battery.measuredMs, nowMs)}</Hint>
    </Part>
  )
}

/** Below, somebody should charge it before the next trip. */
const LOW_PERCENT = 20

/** How far an electric car gets: charge, range, whether it is charged, and how its battery is. */
function DriveBatteryCard({ vehicle, state: { battery: starter }, nowMs }: HealthCardProps) {
  const texts = useTexts('car')
  const latest = latestOf(vehicle)
  const charge = latest.get('HV_BATTERY_SOC')
  if (!charge) return null
  const percent = Number(charge.value)
  const isCharging = isChargingNow(latest.get('HV_BATTERY_IS_CHARGING'), nowMs)
  const named = (eventType: string) => ({ name: eventTypeName(eventType), text: textIn(latest, eventType) })
  const rows: readonly FactRow[] = [
    { name: texts.range, text: textIn(latest, 'HV_BATTERY_REMAINING_RANGE') ?? textIn(latest, 'REMAINING_RANGE') },
    {
      name: texts.charging,
      text: isCharging === undefined ? texts.chargingUnknown : isCharging ? texts.chargingNow : texts.notCharging,
    },
    ...(isCharging ? ['HV_BATTERY_CHARGING_POWER', 'HV_BATTERY_REMAINING_CHARGING_DURATION'].map(named) : []),
    { name: texts.batteryHealth, text: textIn(latest, 'HV_BATTERY_SOH') },
    named('HV_BATTERY_TEMPERATURE'),
    named('HV_BATTERY_VOLTAGE'),
    {
      name: texts.battery,
      text: starter?.wasCharging
        ? `${texts.wasCharging}, ${formatAge(starter.measuredMs, nowMs)}`
        : starter && texts.batteryStates[starter.state].word,
      isWorrying: starter !== undefined && isWorrying(starter.state),
    },
  ]
  return (
    <Part title={texts.driveBattery}>
      <Group gap="sm">
        <Text fz={28} fw={650} lh={1.1}>
          {valueText(charge)}
        </Text>
        {isCharging && <IconBolt size={24} stroke={1.6} aria-hidden color="var(--mantine-color-teal-6)" />}
        <Hint ml="auto">{formatAge(Date.parse(charge.recordedTimestamp), nowMs)}</Hint>
      </Group>
      <Progress value={percent} color={percent < LOW_PERCENT ? 'orange' : 'teal'} aria-label={texts.driveBattery} />
      <FactRows rows={rows} />
    </Part>
  )
}

type Latest = ReadonlyMap<string, LastEvent>

function latestOf({ lastEvents }: Vehicle): Latest {
  return new Map(lastEvents.map(event => [event.eventType, event]))
}

/** The latest value in words; undefined where there is none. */
function textIn(latest: Latest, eventType: string): string | undefined {
  const event = latest.get(eventType)
  return event && valueText(event)
}

const FAULTS_HEIGHT_PX = 260

/** What is wrong with the car now: its fault codes with their texts, and the warning light. */
export function FaultsCard({ car: { id, plate, vin, name, state } }: { readonly car: Car }) {
  const texts = useTexts('car')
  const mayReadDtcs = useMay('dtcs')
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
      {isReasonOf(state, 'lamp') && (
        <Alert color="orange" icon={<IconEngine size={18} />} p="xs">
          {texts.milOn}
        </Alert>
      )}
      {mayReadDtcs ? <CurrentFaults vehicleId={id} state={state} /> : <Hint>{texts.noFaultsPermission}</Hint>}
    </Part>
  )
}

function CurrentFaults({ vehicleId, state }: { readonly vehicleId: string; readonly state: CarState }) {
  const texts = useTexts('car')
  const { data: dtcs, error, refetch } = useQuery(vehicleDtcsQuery(vehicleId))
  if (!dtcs) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <LoadingState />
  if (dtcs.length > 0)
    return (
      <ScrollArea.Autosize mah={FAULTS_HEIGHT_PX} viewportProps={{ tabIndex: 0 }}>
        <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
          {dtcs.map(dtc => (
            <Fault key={dtc.id} dtc={dtc} />
          ))}
        </Stack>
      </ScrollArea.Autosize>
    )
  if (!state.areCodesRead) return <Text fz="sm">{texts.faultsNotRead}</Text>
  if (isReasonOf(state, 'unnamedCodes')) return <Text fz="sm">{texts.faultsUnnamed}</Text>
  return (
    <Group gap="xs">
      <IconCircleCheck size={20} stroke={1.6} aria-hidden color="var(--mantine-color-teal-6)" />
      <Text fz="sm">{texts.noFaults}</Text>
    </Group>
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
      <Hint fz="xs">{details.filter(Boolean).join(' · ')}</Hint>
    </li>
  )
}

interface DeviceCardProps extends HealthCardProps {
  /** Also undefined without permission for dongles: then only what it measured is shown. */
  readonly device: Device | undefined
}

/** Is the dongle well: connection, plug, reception, supply, firmware. */
export function DeviceCard({ vehicle, device, state: { dongle }, nowMs }: DeviceCardProps) {
  const texts = useTexts('car')
  const states = useTexts('carState')
  const latest = latestOf(vehicle)
  const ofDongle: readonly FactRow[] = dongle
    ? [
        { name: texts.connection, text: states.contacts[dongle.contact.kind] },
        { name: texts.plug, text: states.plugs[dongle.plug], isWorrying: dongle.plug === 'out' },
        { name: texts.heard, text: heardText(dongle.contact, nowMs) },
        {
          name: texts.newest,
          text: dongle.contact.kind === 'catchingUp' ? formatAge(dongle.contact.heardMs, nowMs) : undefined,
        },
        { name: texts.gps, text: gpsText(latest, texts) },
        { name: texts.supply, text: textIn(latest, 'BATTERY_VOLTAGE') },
        { name: texts.standby, text: textIn(latest, 'IS_DONGLE_IN_STANDBY') },
      ]
    : []
  const firmware = device?.firmwareVersion || textIn(latest, 'FIRMWARE_VERSION')
  const hardware =
    device && [device.manufacturer, device.hardwareType, device.hardwareVersion].filter(Boolean).join(' ')
  return (
    <Part title={texts.device} aside={<Hint>{vehicle.deviceId}</Hint>}>
      {vehicle.deviceId === null && <Text fz="sm">{texts.noDevice}</Text>}
      <FactRows
        rows={[...ofDongle, { name: texts.firmware, text: firmware }, { name: texts.hardware, text: hardware }]}
      />
    </Part>
  )
}

function gpsText(latest: Latest, texts: Texts<'car'>): string {
  const numberOf = (eventType: string, digits: number) => {
    const value = latest.get(eventType)?.value
    return typeof value === 'number' ? formatNumber(value, digits) : undefined
  }
  const inUse = numberOf('GPS_SATELLITES_IN_USE', 0)
  const inView = numberOf('GPS_SATELLITES_IN_VIEW', 0)
  const dilution = numberOf('GPS_HDOP', 1)
  const satellites = inUse && (inView === undefined ? texts.satellites(inUse) : texts.satellitesOf(inUse, inView))
  return [satellites, dilution && `HDOP ${dilution}`].filter(Boolean).join(', ')
}
