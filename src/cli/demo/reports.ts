import type { EventValue } from '../../intake/sample.ts'
import { chance } from './chance.ts'
import { motionAt } from './drive-plan.ts'
import type { DemoCar } from './fleet.ts'
import type { Situation } from './situation.ts'

type Reported = readonly (readonly [eventType: string, value: EventValue])[]

/** What a dongle reports, in which situation; several reports of one instant make one sample. */
export type Report = (car: DemoCar, situation: Situation) => Reported

const rounded = (value: number, decimals: number) => Math.round(value * 10 ** decimals) / 10 ** decimals

/** Satellite fixes scatter by a metre or two, and their speed by half a km/h. */
const SCATTER_DEG = 0.00002
const SCATTER_KMH = 1

export const fix: Report = ({ deviceId }, { timeMs, motion }) => {
  const scatter = (axis: number) => (chance(deviceId % 1_000_000, timeMs / 1000, axis) - 0.5) * SCATTER_DEG
  const position = {
    lon: rounded(motion.position.lon + scatter(1), 6),
    lat: rounded(motion.position.lat + scatter(2), 6),
  }
  const speedKmh = motion.speedKmh > 1 ? motion.speedKmh + scatter(3) * SCATTER_KMH : motion.speedKmh
  return [
    ['POSITION', position],
    ['GPS_SPEED', rounded(speedKmh, 1)],
    ['GPS_COURSE', rounded(motion.courseDeg, 0) % 360],
  ]
}

const INTERVAL_MS = 10_000

/** What the car itself told over the last ten seconds. */
export const engine: Report = ({ engine: kind }, { timeMs, drive, motion }) => {
  if (!drive) return []
  const speeds = [0, 2000, 4000, 6000, 8000, INTERVAL_MS].map(
    beforeMs => motionAt(drive.plan, timeMs - beforeMs - drive.startMs).speedKmh,
  )
  const average = speeds.reduce((sum, speedKmh) => sum + speedKmh, 0) / speeds.length
  const reported: Reported = [
    ['VEHICLE_SPEED_AVERAGE', rounded(average, 1)],
    ['VEHICLE_SPEED_MAX', Math.round(Math.max(...speeds))],
    ['VEHICLE_SPEED_MIN', Math.round(Math.min(...speeds))],
    ['IS_MOVING', motion.speedKmh > 0],
  ]
  if (kind === 'electric') return reported
  return [
    ...reported,
    ['ENGINE_RPM_AVERAGE', rpmAt(average)],
    ['ENGINE_LOAD_AVERAGE', rounded(loadPercent(average, motion.accelerationMps2), 1)],
  ]
}

const IDLE_RPM = 820
/** Upper end of each gear but the last, and engine speed for each km/h in it. */
const GEARS = [
  { untilKmh: 18, rpmPerKmh: 110 },
  { untilKmh: 34, rpmPerKmh: 62 },
  { untilKmh: 52, rpmPerKmh: 41 },
  { untilKmh: 74, rpmPerKmh: 30 },
  { untilKmh: Number.POSITIVE_INFINITY, rpmPerKmh: 23 },
] as const

function rpmAt(speedKmh: number): number {
  const gear = GEARS.find(({ untilKmh }) => speedKmh < untilKmh) ?? GEARS[4]
  return Math.round(Math.max(IDLE_RPM, speedKmh * gear.rpmPerKmh))
}

function loadPercent(speedKmh: number, accelerationMps2: number): number {
  const idlePercent = 19
  return Math.min(100, Math.max(4, idlePercent + speedKmh * 0.22 + accelerationMps2 * 26))
}

/** What changes slowly while driving. */
export const slow: Report = (car, situation) => [
  ['IS_IGNITION_ON', situation.drive !== undefined],
  ['BATTERY_VOLTAGE', batteryVolts(car, situation)],
  ['AMBIENT_AIR_TEMPERATURE', rounded(situation.ambientC * 2, 0) / 2],
  ['MILEAGE', Math.floor(situation.odometerM / 100) / 10],
  ...level(car, situation),
  ...(car.engine === 'combustion' && situation.drive
    ? [['ENGINE_COOLANT_TEMPERATURE', Math.round(situation.coolantC)] as const]
    : []),
]

/** What a dongle learns when the ignition is turned on, or tells again while the car is parked. */
export const identity: Report = ({ vin, firmware, faults }, { timeMs }) => {
  const hasSporadic = chance(Math.floor(timeMs / 86_400_000), 7) < 0.6
  const sporadic = hasSporadic ? (faults?.sporadic ?? '') : ''
  const codes = [faults?.permanent ?? '', sporadic]
  return [
    ['VIN', vin],
    ['FIRMWARE_VERSION', firmware],
    ['IS_DONGLE_PLUGGED_IN', true],
    ['OBD_DTC_PERMANENT', codes[0] ?? ''],
    ['OBD_DTC_SPORADIC', sporadic],
    ['OBD_DTC_COUNT', codes.filter(Boolean).length],
    ['IS_MIL_ON', faults !== undefined],
  ]
}

/** A sign of life of a parked car. */
export const parked: Report = (car, situation) => [
  ...fix(car, situation),
  ['IS_IGNITION_ON', false],
  ['IS_MOVING', false],
  ['BATTERY_VOLTAGE', batteryVolts(car, situation)],
  ...(car.engine === 'electric' ? level(car, situation) : []),
]

function level({ engine: kind }: DemoCar, { levelPercent, isCharging }: Situation): Reported {
  if (kind === 'combustion') return [['FUEL_LEVEL_PERCENT', rounded(levelPercent, 1)]]
  return [
    ['HV_BATTERY_SOC', rounded(levelPercent, 1)],
    ['HV_BATTERY_IS_CHARGING', isCharging],
  ]
}

function batteryVolts({ deviceId, restingVolts }: DemoCar, { timeMs, drive }: Situation): number {
  const ripple = (chance(deviceId % 1_000_000, timeMs / 1000, 4) - 0.5) * 0.1
  return rounded((drive ? 14.2 : restingVolts) + ripple, 2)
}
