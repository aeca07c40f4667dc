import type { EventTypeName } from '../../src/catalogue/event-types.ts'
import type { EventValue } from '../../src/model/sample.ts'
import { chance } from './chance.ts'
import type { Car, Dongle, Fault } from './dongle.ts'
import { type Drive, type DrivePlan, type Incident, speedKmhAt } from './drive-plan.ts'
import { heightM, wrappedDegrees } from './ground.ts'
import { batteryPowerKw, engineWork, isEngineRunning, scaledToCar } from './powertrain.ts'
import type { Situation } from './situation.ts'

export interface Source {
  readonly car: Car
  readonly dongle: Dongle
  readonly codesAt: (timeMs: number) => Readonly<Record<Fault['kind'], readonly string[]>>
}

/** Takes what is reported, one value after the other; the later one counts if an event type comes twice. */
type Tell = (eventType: EventTypeName, value: EventValue) => void

export type Report = (source: Source, situation: Situation, tell: Tell) => void

export function eventsIn(
  reports: readonly Report[],
  source: Source,
  situation: Situation,
): Map<EventTypeName, EventValue> {
  const { silentAbout } = source.dongle
  const events = new Map<EventTypeName, EventValue>()
  const tell: Tell = (eventType, value) => {
    if (!silentAbout.has(eventType)) events.set(eventType, value)
  }
  for (const report of reports) report(source, situation, tell)
  return events
}

const rounded = (value: number, decimals: number) => Math.round(value * 10 ** decimals) / 10 ** decimals

const SCATTER_DEG = 0.00002
const SCATTER_KMH = 1
/** Heights scatter by some metres, for each degree that positions do. */
const SCATTER_HEIGHT = 400_000

export const fix: Report = ({ dongle }, { timeMs, motion }, tell) => {
  const scatter = (axis: number) => (chance(dongle.deviceId % 1_000_000, timeMs / 1000, axis) - 0.5) * SCATTER_DEG
  tell('POSITION', {
    lon: rounded(wrappedDegrees(motion.position.lon + scatter(1)), 6),
    lat: rounded(motion.position.lat + scatter(2), 6),
  })
  const speedKmh = motion.speedKmh > 1 ? motion.speedKmh + scatter(3) * SCATTER_KMH : motion.speedKmh
  tell('GPS_SPEED', rounded(speedKmh, 1))
  tell('GPS_COURSE', rounded(motion.courseDeg, 0) % 360)
  tell('GPS_ALTITUDE', Math.round(heightM(motion.position) + scatter(5) * SCATTER_HEIGHT))
  reception(dongle, timeMs, tell)
}

const CHANGES_EVERY_MS = 120_000

/** Satellites rise and set, so it stays the same for a while. The more there are, the less precision is lost. */
function reception({ deviceId }: Dongle, timeMs: number, tell: Tell): void {
  const satellites = 7 + Math.floor(chance(deviceId % 1_000_000, timeMs / CHANGES_EVERY_MS, 6) * 8)
  tell('GPS_SATELLITES_IN_USE', satellites)
  tell('GPS_HDOP', rounded(0.4 + 6 / satellites, 1))
}

/** Readings within one interval, of which the dongle tells average and extremes: so many, and more in a long one. */
const FEWEST_READINGS = 5
const READING_MS = 10_000

export const engine: Report = ({ car, dongle }, { timeMs, drive, motion }, tell) => {
  if (!drive) return
  const { plan } = drive
  const sinceStartMs = timeMs - drive.startMs
  tellSpeeds(plan, sinceStartMs, dongle.intervals.engineMs, tell)
  tell('IS_MOVING', motion.speedKmh > 0)
  if (car.engine === 'electric') return
  if (!isEngineRunning(car, drive, motion)) {
    tell('ENGINE_RPM_AVERAGE', 0)
    tell('ENGINE_LOAD_AVERAGE', 0)
    tell('THROTTLE_POSITION_AVERAGE', 0)
    tell('FUEL_RATE_AVERAGE', 0)
    return
  }
  const { rpm, loadPercent, throttlePercent, fuelLitresPerHour } = engineWork(motion)
  tell('ENGINE_RPM_AVERAGE', rpm)
  tell('ENGINE_LOAD_AVERAGE', Math.round(loadPercent))
  tell('THROTTLE_POSITION_AVERAGE', Math.round(throttlePercent))
  tell('FUEL_RATE_AVERAGE', rounded(scaledToCar(car, plan, fuelLitresPerHour), 2))
}

function tellSpeeds(plan: DrivePlan, sinceStartMs: number, lastsMs: number, tell: Tell): void {
  const readings = Math.max(FEWEST_READINGS, lastsMs / READING_MS)
  let sum = 0
  let count = 0
  let most = Number.NEGATIVE_INFINITY
  let least = Number.POSITIVE_INFINITY
  for (; count < Math.floor(readings + 1); count++) {
    const speedKmh = speedKmhAt(plan, sinceStartMs - (count * lastsMs) / readings)
    sum += speedKmh
    most = Math.max(most, speedKmh)
    least = Math.min(least, speedKmh)
  }
  tell('VEHICLE_SPEED_AVERAGE', rounded(sum / count, 1))
  tell('VEHICLE_SPEED_MAX', Math.round(most))
  tell('VEHICLE_SPEED_MIN', Math.round(least))
}

const INCIDENT_TYPES = {
  braking: 'HARSH_BRAKING',
  acceleration: 'HARSH_ACCELERATION',
  speeding: 'WARNING_OVERSPEEDING',
} as const

export function toldIncidents({ plan }: Drive, { silentAbout }: Dongle): readonly Incident[] {
  return plan.incidents.filter(({ kind }) => !silentAbout.has(INCIDENT_TYPES[kind]))
}

export const incident: Report = (_, { timeMs, drive }, tell) => {
  const happened = drive?.plan.incidents.find(({ atMs }) => drive.startMs + atMs === timeMs)
  if (happened) tell(INCIDENT_TYPES[happened.kind], rounded(happened.value, happened.kind === 'speeding' ? 0 : 2))
}

export const slow: Report = (source, situation, tell) => {
  tellRunning(source, situation, tell)
  tell('BATTERY_VOLTAGE', batteryVolts(source, situation))
  tell('AMBIENT_AIR_TEMPERATURE', rounded(situation.ambientC * 2, 0) / 2)
  tell('MILEAGE', mileageKm(source, situation))
  tellLevel(source, situation, tell)
  if (source.car.engine === 'combustion' && situation.drive)
    tell('ENGINE_COOLANT_TEMPERATURE', Math.round(situation.coolantC))
}

export const identity: Report = ({ car, dongle, codesAt }, { timeMs }, tell) => {
  const { permanent, sporadic } = codesAt(timeMs)
  tell('VIN', car.vin)
  tell('FIRMWARE_VERSION', dongle.firmware)
  tell('IS_DONGLE_PLUGGED_IN', true)
  tell('OBD_DTC_PERMANENT', permanent.join())
  tell('OBD_DTC_SPORADIC', sporadic.join())
  tell('OBD_DTC_COUNT', permanent.length + sporadic.length)
  tell('IS_MIL_ON', permanent.length > 0)
}

export const parked: Report = (source, situation, tell) => {
  fix(source, situation, tell)
  tellRunning(source, situation, tell)
  tell('IS_MOVING', false)
  tell('BATTERY_VOLTAGE', batteryVolts(source, situation))
  if (source.car.engine === 'electric') tellLevel(source, situation, tell)
}

function tellRunning({ car, dongle }: Source, { drive, motion }: Situation, tell: Tell): void {
  tell('IS_IGNITION_ON', drive !== undefined || dongle.awareness === 'wired ignition')
  tell('ENGINE_STATE', drive !== undefined && isEngineRunning(car, drive, motion))
}

function mileageKm({ car }: Source, { odometerM }: Situation): number {
  return (Math.floor(odometerM / car.odometerStepM) * car.odometerStepM) / 1000
}

function tellLevel({ car }: Source, situation: Situation, tell: Tell): void {
  const { levelPercent, isCharging } = situation
  if (car.engine === 'combustion') {
    tell('FUEL_LEVEL_PERCENT', rounded(levelPercent, 1))
    return
  }
  tell('HV_BATTERY_SOC', rounded(levelPercent, 1))
  tell('HV_BATTERY_IS_CHARGING', isCharging)
  tell('HV_BATTERY_REMAINING_RANGE', Math.round((levelPercent / 100) * car.rangeKm))
  tell('HV_BATTERY_VOLTAGE', Math.round(packVolts(situation)))
  tell('HV_BATTERY_TEMPERATURE', Math.round(packC(situation)))
}

const EMPTY_PACK_VOLTS = 315
const VOLTS_PER_PERCENT = 0.85
/** By the resistance of the cells: the voltage sinks under load and rises while they are charged. */
const VOLTS_PER_KW = 0.45
const CHARGING_KW = 7

function packVolts({ levelPercent, drive, motion, isCharging }: Situation): number {
  const powerKw = drive ? batteryPowerKw(motion) : isCharging ? -CHARGING_KW : 0
  return EMPTY_PACK_VOLTS + VOLTS_PER_PERCENT * levelPercent - VOLTS_PER_KW * powerKw
}

const WARMED_BY_DRIVING_C = 9
const PACK_WARMS_UP_IN_MS = 2_400_000
const PACK_COOLS_DOWN_IN_MS = 7_200_000

function packC({ ambientC, drivenMs, parkedMs }: Situation): number {
  const afterDrive = WARMED_BY_DRIVING_C * (1 - Math.exp(-drivenMs / PACK_WARMS_UP_IN_MS))
  return ambientC + 3 + afterDrive * Math.exp(-parkedMs / PACK_COOLS_DOWN_IN_MS)
}

/** The generator charges most after the start. */
const GENERATOR_VOLTS = 13.9
const AFTER_START_VOLTS = 0.4
const REFILLED_IN_MS = 600_000
const SURFACE_VOLTS = 0.5
const SURFACE_GONE_IN_MS = 1_200_000
/** A cold battery is a weak one, an old one all the more. */
const COLD_BELOW_C = 8
const VOLTS_PER_COLD_DEGREE = 0.01
const OLD_BELOW_VOLTS = 12.2

function batteryVolts({ car, dongle }: Source, { timeMs, drive, drivenMs, parkedMs, ambientC }: Situation): number {
  const ripple = (chance(dongle.deviceId % 1_000_000, timeMs / 1000, 4) - 0.5) * 0.1
  if (drive) return rounded(GENERATOR_VOLTS + AFTER_START_VOLTS * Math.exp(-drivenMs / REFILLED_IN_MS) + ripple, 2)
  const perDegree = VOLTS_PER_COLD_DEGREE * (car.restingVolts < OLD_BELOW_VOLTS ? 6 : 1)
  const cold = Math.max(0, COLD_BELOW_C - ambientC) * perDegree
  return rounded(car.restingVolts + SURFACE_VOLTS * Math.exp(-parkedMs / SURFACE_GONE_IN_MS) - cold + ripple, 2)
}
