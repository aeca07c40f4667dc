import { EVENT_TYPES } from '../../src/catalogue/event-types.ts'
import type { DeviceId } from '../../src/model/sample.ts'

interface Intervals {
  readonly stepMs: number
  readonly fixMs: number
  readonly engineMs: number
  readonly slowMs: number
  /** Signs of life of a parked car, and of those the ones that also tell what the car is; undefined: none at all. */
  readonly parkedMs: number | undefined
  readonly parkedIdentityMs: number
  /** For so long after a drive it reports on as if the car were still driven. */
  readonly lingersMs: number
}

/** A dongle: what it leaves out of what there is to tell, and when it tells the rest. */
export interface Dongle {
  readonly deviceId: DeviceId
  readonly firmware: string
  readonly awareness: Awareness
  /** Every record holds all that it knows, those of a parked car included. */
  readonly tellsAllAtOnce: boolean
  /** It has a record of the very moments at which a drive begins and ends. */
  readonly tellsEnds: boolean
  readonly intervals: Intervals
  readonly silentAbout: ReadonlySet<string>
}

/** 'wired ignition': its input is wired to permanent current, so it says that the ignition is on for ever. */
type Awareness = 'ignition' | 'engine' | 'motion' | 'wired ignition'

const SILENT_ABOUT: Readonly<Record<Awareness, readonly string[]>> = {
  ignition: ['ENGINE_STATE'],
  engine: ['IS_IGNITION_ON'],
  motion: ['IS_IGNITION_ON', 'ENGINE_STATE'],
  'wired ignition': ['ENGINE_STATE'],
}

/** It reports a drive from ignition on to ignition off; the engine of a hybrid does not. */
export function sensesIgnition({ awareness }: Pick<Dongle, 'awareness'>, { isHybrid }: Pick<Car, 'isHybrid'>): boolean {
  return awareness === 'ignition' || (awareness === 'engine' && !isHybrid)
}

export function tellsOdometerOnly({ silentAbout }: Dongle): boolean {
  return TELL_MOTION.every(name => silentAbout.has(name))
}

const TELL_MOTION = ['POSITION', 'GPS_SPEED', 'VEHICLE_SPEED_AVERAGE', 'IS_MOVING']

const ODOMETER = ['MILEAGE', 'FUEL_LEVEL_PERCENT', 'HV_BATTERY_SOC', 'HV_BATTERY_REMAINING_RANGE']
/** Of control units: a dongle that does not ask for the speed does not ask for the rest either. */
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
  /** Seconds between two fixes. A rare reporter puts all that it knows into each record. */
  readonly fixS: number
  /** The only event types that it tells, all of them in each record; without it, all that the rest of its kind leaves. */
  readonly tellsOnly?: readonly string[]
  /** It reports by the clock only, and nothing at the very moments at which a drive begins and ends. */
  readonly isByClockOnly?: boolean
  /** Some minutes after a drive it falls silent until the next one. */
  readonly isSilentWhileParked?: boolean
}

const RARE_S = 60
/** A phone watches for some minutes whether the car drives on. */
const LINGERS_MS = 600_000

const PARKED_MS = 240_000

export function dongleOf(deviceId: DeviceId, kind: DongleKind): Dongle {
  const fixMs = kind.fixS * 1000
  const parkedMs = roundUp(PARKED_MS, fixMs)
  const { tellsOnly, isSilentWhileParked = false } = kind
  const tellsAllAtOnce = kind.fixS >= RARE_S || tellsOnly !== undefined
  return {
    deviceId,
    firmware: '4.2.1',
    awareness: kind.awareness,
    tellsAllAtOnce,
    tellsEnds: !kind.isByClockOnly,
    intervals: {
      stepMs: fixMs,
      fixMs,
      engineMs: tellsAllAtOnce ? fixMs : fixMs * 2,
      slowMs: tellsAllAtOnce ? fixMs : fixMs * 6,
      parkedMs: isSilentWhileParked ? undefined : parkedMs,
      parkedIdentityMs: parkedMs * 15,
      lingersMs: isSilentWhileParked ? LINGERS_MS : 0,
    },
    silentAbout: new Set([
      ...(tellsOnly ? EVENT_TYPES.map(({ name }) => name).filter(name => !tellsOnly.includes(name)) : []),
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

export interface Car {
  readonly vin: string
  readonly engine: 'combustion' | 'electric'
  /** A combustion engine that an electric motor relieves: it is off wherever little power is needed. */
  readonly isHybrid?: boolean
  /** Litres of the tank, or kilowatt-hours of the high-voltage battery. */
  readonly capacity: number
  readonly rangeKm: number
  /** Where it is plugged in; as at a wallbox unless told otherwise. */
  readonly chargePercentPerHour?: number
  readonly restingVolts: number
  readonly odometerStepM: number
}

export interface Fault {
  readonly code: string
  readonly kind: 'permanent' | 'sporadic'
  readonly fromMs: number
  readonly toMs: number | undefined
}
