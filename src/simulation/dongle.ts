import type { DeviceId } from '../intake/sample.ts'

/** How often a dongle reports what. Each is a multiple of the finest one, `step`. */
export interface Intervals {
  readonly stepMs: number
  readonly fixMs: number
  readonly engineMs: number
  /** What changes slowly while driving, the odometer included. */
  readonly slowMs: number
  /** Signs of life of a parked car, and of those the ones that also tell what the car is. */
  readonly parkedMs: number
  readonly parkedIdentityMs: number
}

/** A dongle: what it leaves out of what there is to tell, and when it tells the rest. */
export interface Dongle {
  readonly deviceId: DeviceId
  readonly firmware: string
  readonly intervals: Intervals
  /** Names of event types. */
  readonly silentAbout: ReadonlySet<string>
}

/** What a dongle knows of the begin and the end of a drive. */
export type Awareness = 'ignition' | 'engine' | 'motion'

const SILENT_ABOUT: Readonly<Record<Awareness, readonly string[]>> = {
  ignition: ['ENGINE_STATE'],
  engine: ['IS_IGNITION_ON'],
  motion: ['IS_IGNITION_ON', 'ENGINE_STATE'],
}

const ODOMETER = ['MILEAGE', 'FUEL_LEVEL_PERCENT', 'HV_BATTERY_SOC', 'HV_BATTERY_REMAINING_RANGE']
/** What control units say; who does not ask for the speed does not ask for the rest either. */
const OBD_DATA = [
  'VEHICLE_SPEED_AVERAGE',
  'VEHICLE_SPEED_MAX',
  'VEHICLE_SPEED_MIN',
  'ENGINE_RPM_AVERAGE',
  'ENGINE_LOAD_AVERAGE',
  'ENGINE_COOLANT_TEMPERATURE',
  'THROTTLE_POSITION_AVERAGE',
  'FUEL_RATE_AVERAGE',
  'AMBIENT_AIR_TEMPERATURE',
  'HV_BATTERY_VOLTAGE',
  'HV_BATTERY_TEMPERATURE',
  'HV_BATTERY_IS_CHARGING',
  'OBD_DTC_PERMANENT',
  'OBD_DTC_SPORADIC',
  'OBD_DTC_COUNT',
  'IS_MIL_ON',
]

export interface DongleKind {
  readonly awareness: Awareness
  readonly readsOdometer: boolean
  readonly readsSpeed: boolean
  readonly readsVin: boolean
  /** Seconds between two fixes. */
  readonly fixS: number
}

const PARKED_MS = 240_000

/** A dongle of that kind, which leaves out what its kind does not read. */
export function dongleOf(deviceId: DeviceId, kind: DongleKind): Dongle {
  const fixMs = kind.fixS * 1000
  return {
    deviceId,
    firmware: '4.2.1',
    intervals: {
      stepMs: fixMs,
      fixMs,
      engineMs: fixMs * 2,
      slowMs: fixMs * 6,
      parkedMs: roundUp(PARKED_MS, fixMs),
      parkedIdentityMs: roundUp(PARKED_MS, fixMs) * 15,
    },
    silentAbout: new Set([
      ...SILENT_ABOUT[kind.awareness],
      ...(kind.readsOdometer ? [] : ODOMETER),
      ...(kind.readsSpeed ? [] : OBD_DATA),
      ...(kind.readsVin ? [] : ['VIN']),
    ]),
  }
}

function roundUp(value: number, step: number): number {
  return Math.ceil(value / step) * step
}
