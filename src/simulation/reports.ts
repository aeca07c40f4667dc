import type { EventValue } from '../intake/sample.ts'
import type { Car, Fault } from './car.ts'
import { chance } from './chance.ts'
import type { Dongle } from './dongle.ts'
import { motionAt } from './drive-plan.ts'
import type { Situation } from './situation.ts'

/** A dongle in a car, and the fault codes that it finds there. */
export interface Source {
  readonly car: Car
  readonly dongle: Dongle
  readonly codesAt: (timeMs: number) => Readonly<Record<Fault['kind'], readonly string[]>>
}

type Reported = readonly (readonly [eventType: string, value: EventValue])[]

/** What there is to report, in which situation; several reports of one instant make one sample. */
export type Report = (source: Source, situation: Situation) => Reported

const rounded = (value: number, decimals: number) => Math.round(value * 10 ** decimals) / 10 ** decimals

/** Satellite fixes scatter by a metre or two, and their speed by half a km/h. */
const SCATTER_DEG = 0.00002
const SCATTER_KMH = 1

export const fix: Report = ({ dongle }, { timeMs, motion }) => {
  const scatter = (axis: number) => (chance(dongle.deviceId % 1_000_000, timeMs / 1000, axis) - 0.5) * SCATTER_DEG
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

/** Readings within one interval, of which the dongle tells average and extremes. */
const READINGS = 5

/** What the car itself told over the last interval. */
export const engine: Report = ({ car, dongle }, { timeMs, drive, motion }) => {
  if (!drive) return []
  const speeds = Array.from({ length: READINGS + 1 }, (_, i) => {
    const beforeMs = (i * dongle.intervals.engineMs) / READINGS
    return motionAt(drive.plan, timeMs - beforeMs - drive.startMs).speedKmh
  })
  const average = speeds.reduce((sum, speedKmh) => sum + speedKmh, 0) / speeds.length
  const reported: Reported = [
    ['VEHICLE_SPEED_AVERAGE', rounded(average, 1)],
    ['VEHICLE_SPEED_MAX', Math.round(Math.max(...speeds))],
    ['VEHICLE_SPEED_MIN', Math.round(Math.min(...speeds))],
    ['IS_MOVING', motion.speedKmh > 0],
  ]
  if (car.engine === 'electric') return reported
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
export const slow: Report = (source, situation) => [
  ...running(situation),
  ['BATTERY_VOLTAGE', batteryVolts(source, situation)],
  ['AMBIENT_AIR_TEMPERATURE', rounded(situation.ambientC * 2, 0) / 2],
  ['MILEAGE', mileageKm(source, situation)],
  ...level(source, situation),
  ...(source.car.engine === 'combustion' && situation.drive
    ? [['ENGINE_COOLANT_TEMPERATURE', Math.round(situation.coolantC)] as const]
    : []),
]

/** What a dongle learns when the ignition is turned on, or tells again while the car is parked. */
export const identity: Report = ({ car, dongle, codesAt }, { timeMs }) => {
  const { permanent, sporadic } = codesAt(timeMs)
  return [
    ['VIN', car.vin],
    ['FIRMWARE_VERSION', dongle.firmware],
    ['IS_DONGLE_PLUGGED_IN', true],
    ['OBD_DTC_PERMANENT', permanent.join()],
    ['OBD_DTC_SPORADIC', sporadic.join()],
    ['OBD_DTC_COUNT', permanent.length + sporadic.length],
    ['IS_MIL_ON', permanent.length > 0],
  ]
}

/** A sign of life of a parked car. */
export const parked: Report = (source, situation) => [
  ...fix(source, situation),
  ...running(situation),
  ['IS_MOVING', false],
  ['BATTERY_VOLTAGE', batteryVolts(source, situation)],
  ...(source.car.engine === 'electric' ? level(source, situation) : []),
]

function running({ drive }: Situation): Reported {
  return [
    ['IS_IGNITION_ON', drive !== undefined],
    ['ENGINE_STATE', drive !== undefined],
  ]
}

function mileageKm({ car }: Source, { odometerM }: Situation): number {
  return (Math.floor(odometerM / car.odometerStepM) * car.odometerStepM) / 1000
}

function level({ car }: Source, { levelPercent, isCharging }: Situation): Reported {
  if (car.engine === 'combustion') return [['FUEL_LEVEL_PERCENT', rounded(levelPercent, 1)]]
  return [
    ['HV_BATTERY_SOC', rounded(levelPercent, 1)],
    ['HV_BATTERY_IS_CHARGING', isCharging],
  ]
}

function batteryVolts({ car, dongle }: Source, { timeMs, drive }: Situation): number {
  const ripple = (chance(dongle.deviceId % 1_000_000, timeMs / 1000, 4) - 0.5) * 0.1
  return rounded((drive ? 14.2 : car.restingVolts) + ripple, 2)
}
