import { type EventType, type EventTypeName, requiredEventType } from '../../catalogue/event-types.ts'
import { distanceM } from '../../model/earth.ts'
import type { Sample, SampleLayout } from '../../model/sample.ts'
import { isSpeedOfDriving, type Motion, motionOf, type Reading } from '../trips/reading.ts'
import {
  FASTEST_M_PER_MS,
  LEAST_PROGRESS_M,
  LONGEST_SILENCE_MS,
  MOTION_DISPLACEMENT_M,
  MOTION_KMH,
  MOTION_PAUSE_MS,
  UNMOVED_MS,
} from '../trips/rules.ts'
import { type BelievedPlace, placeAfter, type Stand } from './believed-place.ts'

/** All that is known of a car after a sample, shared by all rules. Times are those of the samples that said so. */
export type CarState = {
  readonly lastMs: number
  /** From the sample before to the last one; 0 at the first. */
  readonly intervalMs: number
  /** As last reported; null before that. They hold until the dongle says otherwise. */
  readonly isIgnitionOn: boolean | null
  readonly ignitionMs: number | null
  readonly isEngineOn: boolean | null
  /** As last reported since the engine or the ignition was off. */
  readonly rpm: number | null
  readonly voltageV: number | null
  /** The speed at the instant of the last sample, and its course; null if it has none. */
  readonly kmh: number | null
  readonly isKmhOfCar: boolean
  readonly courseDeg: number | null
  readonly isUnplugged: boolean
  readonly isMoving: boolean
  readonly place: BelievedPlace | null
  /** The last fixes lie around it, since then. */
  readonly stayLon: number
  readonly stayLat: number
  readonly staySinceMs: number | null
  /** The odometer, when it was last read, and since when it has been the same. */
  readonly odometerKm: number | null
  readonly odometerMs: number
  readonly odometerSinceMs: number
}

const RPM = requiredEventType('ENGINE_RPM_AVERAGE')
const RPM_MAX = requiredEventType('ENGINE_RPM_MAX')
const COURSE = requiredEventType('GPS_COURSE')
const VOLTAGE = requiredEventType('BATTERY_VOLTAGE')

/** A generator or a converter makes at least so much of a 12 V system; a battery at rest has less. */
const GENERATOR_V = 13

export const CAR_STATE_TYPES = (
  [
    'IS_IGNITION_ON',
    'ENGINE_STATE',
    'IS_DONGLE_PLUGGED_IN',
    'IS_MOVING',
    'VEHICLE_SPEED_AVERAGE',
    'VEHICLE_SPEED_MAX',
    'GPS_SPEED',
    'POSITION',
    'MILEAGE',
    'GPS_COURSE',
    'ENGINE_RPM_AVERAGE',
    'ENGINE_RPM_MAX',
    'BATTERY_VOLTAGE',
  ] as const satisfies readonly EventTypeName[]
).map(name => requiredEventType(name).id)

/** The value of a NUMBER or BOOLEAN (0 or 1) in a sample; undefined if it was not measured. */
export function numberIn(
  { sample, layout }: { readonly sample: Sample; readonly layout: SampleLayout },
  type: EventType,
): number | undefined {
  const index = layout.indexOf(type)
  return index < 0 ? undefined : sample.numbers[index]
}

/** Before the first sample. */
const UNKNOWN: CarState = {
  lastMs: 0,
  intervalMs: 0,
  isIgnitionOn: null,
  ignitionMs: null,
  isEngineOn: null,
  rpm: null,
  voltageV: null,
  kmh: null,
  isKmhOfCar: false,
  courseDeg: null,
  isUnplugged: false,
  isMoving: false,
  place: null,
  stayLon: 0,
  stayLat: 0,
  staySinceMs: null,
  odometerKm: null,
  odometerMs: 0,
  odometerSinceMs: 0,
}

/** The state after one more sample, and whether the car moved since the last. Out of its
 * socket a dongle says nothing of a car. */
export function carStateAfter(
  known: CarState | null,
  measured: { readonly sample: Sample; readonly layout: SampleLayout; readonly reading: Reading },
): { readonly car: CarState; readonly motion: Motion } {
  const before = known ?? UNKNOWN
  const { reading } = measured
  const { timeMs, position, odometerKm } = reading
  if (isUnpluggedAfter(before, reading))
    return {
      car: { ...(before.isUnplugged ? before : UNKNOWN), lastMs: timeMs, intervalMs: 0, isUnplugged: true },
      motion: 'unknown',
    }
  const place = position ? placeAfter(before.place, position, timeMs, standOf(before, reading)) : before.place
  const isFixBelieved = position !== undefined && place !== null && place.timeMs === timeMs
  const isAway =
    isFixBelieved &&
    (before.staySinceMs === null ||
      distanceM({ lon: before.stayLon, lat: before.stayLat }, place) > MOTION_DISPLACEMENT_M)
  // A value of an engine that ran before says nothing of the next time that the ignition is on.
  const isOff = reading.isIgnitionOn === false || reading.isEngineOn === false
  // A mean is not the speed at an instant.
  const carKmh = reading.isTrueMean ? undefined : reading.vehicleSpeedKmh
  const intervalMs = known ? timeMs - before.lastMs : 0
  const car: CarState = {
    lastMs: timeMs,
    intervalMs,
    isIgnitionOn: reading.isIgnitionOn ?? before.isIgnitionOn,
    ignitionMs: reading.isIgnitionOn === undefined ? before.ignitionMs : timeMs,
    isEngineOn: reading.isEngineOn ?? before.isEngineOn,
    rpm: numberIn(measured, RPM) ?? numberIn(measured, RPM_MAX) ?? (isOff ? null : before.rpm),
    voltageV: numberIn(measured, VOLTAGE) ?? (isOff ? null : before.voltageV),
    kmh: carKmh ?? (isFixBelieved ? reading.gpsSpeedKmh : undefined) ?? null,
    isKmhOfCar: carKmh !== undefined,
    courseDeg: (isFixBelieved ? numberIn(measured, COURSE) : undefined) ?? null,
    isUnplugged: false,
    isMoving: reading.isMoving ?? before.isMoving,
    place,
    stayLon: isAway ? place.lon : before.stayLon,
    stayLat: isAway ? place.lat : before.stayLat,
    staySinceMs: isAway ? timeMs : before.staySinceMs,
    odometerKm: odometerKm ?? before.odometerKm,
    odometerMs: odometerKm === undefined ? before.odometerMs : timeMs,
    odometerSinceMs: odometerKm === undefined || odometerKm === before.odometerKm ? before.odometerSinceMs : timeMs,
  }
  const motion = motionOf(reading, {
    heldIsMoving: before.isMoving && intervalMs <= LONGEST_SILENCE_MS,
    isUnmoved: isStayShown(car, timeMs),
    isOdometerStill: isOdometerStill(before, reading),
    blindMs: 0,
    intervalMs,
    fix: position ? (isFixBelieved ? 'moved' : 'elsewhere') : 'none',
    droveOn: known !== null && (hasCounted(before, reading) || (isFixBelieved && hasLeft(before.place, place))),
  })
  return { car, motion }
}

/** Where nothing says that the car drives or may, or that it is parked, fixes must have shown for minutes that it stays. */
function standOf(before: CarState, reading: Reading): Stand {
  const { vehicleSpeedKmh, gpsSpeedKmh, timeMs } = reading
  const isIgnitionOn = reading.isIgnitionOn ?? before.isIgnitionOn
  const isEngineOn = reading.isEngineOn ?? before.isEngineOn
  const isWoken = reading.isMoving || before.isMoving
  if (isIgnitionOn === false && isEngineOn !== true && !vehicleSpeedKmh) {
    if (before.isIgnitionOn !== false) return 'parks'
    return isWoken ? 'woken' : 'parked'
  }
  if (isSpeedOfDriving(vehicleSpeedKmh)) return 'drives'
  if (isSpeedOfDriving(gpsSpeedKmh) && reading.isMoving !== false) return 'drives'
  if (isIgnitionOn || isEngineOn || isWoken) return 'woken'
  const hasSaid = reading.speedKmh !== undefined || reading.isMoving === false
  if (hasSaid && before.place?.isParked) return 'parked'
  const stayedMs = before.staySinceMs === null ? 0 : timeMs - before.staySinceMs
  return stayedMs >= (hasSaid ? UNMOVED_MS : MOTION_PAUSE_MS) ? 'stays' : 'unknown'
}

/** Believed fixes show that the car stayed where it was for a minute, the last of them at most a minute ago. */
export function isStayShown({ place, staySinceMs }: Pick<CarState, 'place' | 'staySinceMs'>, timeMs: number): boolean {
  return (
    place !== null &&
    staySinceMs !== null &&
    place.timeMs - staySinceMs >= UNMOVED_MS &&
    timeMs - place.timeMs <= UNMOVED_MS
  )
}

/** Out of the socket, only values that come from a car show that the dongle is back in one. */
function isUnpluggedAfter({ isUnplugged }: CarState, reading: Reading): boolean {
  if (reading.isPluggedIn !== undefined) return !reading.isPluggedIn
  const isFromCar =
    reading.isIgnitionOn !== undefined || reading.isEngineOn !== undefined || reading.vehicleSpeedKmh !== undefined
  return isUnplugged && !isFromCar
}

/** An odometer with a resolution below one kilometre has not changed for minutes; one that was read just before still holds. */
function isOdometerStill(before: CarState, { odometerKm, timeMs }: Reading): boolean {
  const { odometerKm: lastKm, odometerMs, odometerSinceMs } = before
  if (lastKm === null || Number.isInteger(lastKm) || timeMs - odometerSinceMs < MOTION_PAUSE_MS) return false
  return odometerKm === undefined ? timeMs - odometerMs <= RECENT_ODOMETER_MS : odometerKm === lastKm
}

/** Dongles read the odometer once a minute or so; a car that leaves has not come far by then. */
const RECENT_ODOMETER_MS = 75_000

/** Fixes show that the car drove since the fix before. */
function hasLeft(before: BelievedPlace | null, place: BelievedPlace): boolean {
  if (!before) return false
  const movedM = distanceM(before, place)
  return movedM >= MOTION_DISPLACEMENT_M && movedM > (MOTION_KMH / 3600) * (place.timeMs - before.timeMs)
}

/** The odometer shows that the car drove since it was last read. */
function hasCounted(before: CarState, { odometerKm, timeMs }: Reading): boolean {
  if (before.odometerKm === null || odometerKm === undefined) return false
  const metres = (odometerKm - before.odometerKm) * 1000
  const sinceMs = timeMs - before.odometerMs
  return (
    metres >= LEAST_PROGRESS_M && metres > (MOTION_KMH / 3600) * sinceMs && metres <= FASTEST_M_PER_MS * sinceMs + 1000
  )
}

/** The engine runs: by its report, else its speed, else the ignition unless the generator
 * is still; undefined if unknown. */
export function isEngineRunning({ isEngineOn, isIgnitionOn, rpm, voltageV }: CarState): boolean | undefined {
  if (isIgnitionOn === false && isEngineOn !== true) return false
  if (isEngineOn !== null) return isEngineOn
  if (rpm !== null) return rpm > 0
  if (isIgnitionOn && voltageV !== null) return voltageV >= GENERATOR_V
  return isIgnitionOn ?? undefined
}
