import { type EventTypeName, requiredEventType } from '../../../catalogue/event-types.ts'
import { distanceM, isFartherThan } from '../../../model/earth.ts'
import { type Position, perLayout, type Sample, type SampleLayout } from '../../../model/sample.ts'
import { type Motion, motionOf } from '../../trips/derive/evidence.ts'
import type { Reading } from '../../trips/derive/reading.ts'
import {
  FASTEST_M_PER_MS,
  LEAST_PROGRESS_M,
  LONGEST_SILENCE_MS,
  MOTION_DISPLACEMENT_M,
  MOTION_KMH,
  MOTION_PAUSE_MS,
  STAY_RADIUS_M,
  UNMOVED_MS,
} from '../../trips/derive/rules.ts'
import { LivePlace, type Place, placeAfter } from './believed-place.ts'

/** What is known of a car after a sample, shared by all rules. Times are those of the samples that said so. */
export type Situation = {
  readonly lastMs: number
  /** The last words on ignition and engine; null before there are any. They hold until the dongle says otherwise. */
  readonly isIgnitionOn: boolean | null
  readonly ignitionMs: number | null
  readonly isEngineOn: boolean | null
  /** Since the ignition was last off; of the voltage, the last one told. */
  readonly rpm: number | null
  readonly voltageV: number | null
  /** The speed of the moment and the course that the last sample told; null if it told none. */
  readonly kmh: number | null
  readonly isKmhOfCar: boolean
  readonly courseDeg: number | null
  readonly isUnplugged: boolean
  readonly isMoving: boolean
  readonly place: Place | null
  /** Around which the last fixes lie, and since when. */
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
/** What a generator or a converter makes of a 12 V system; a battery at rest has less. */
const GENERATOR_V = 13
/** The event types whose values the place of a car follows from, its motion, and the reading that rules share. */
export const MOTION_TYPES = (
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
  ] as const satisfies readonly EventTypeName[]
).map(name => requiredEventType(name).id)

/** Those that all of a situation is made of. */
export const SITUATION_TYPES = [...MOTION_TYPES, ...[COURSE, RPM, RPM_MAX, VOLTAGE].map(({ id }) => id)]

/** Where in the numbers of a layout these stand; -1 for what it does not have. */
const placesOf = perLayout(layout => {
  const rpm = layout.indexOf(RPM)
  return {
    rpm: rpm < 0 ? layout.indexOf(RPM_MAX) : rpm,
    voltage: layout.indexOf(VOLTAGE),
    course: layout.indexOf(COURSE),
  }
})

function numberAt({ numbers }: Sample, place: number): number | undefined {
  return place < 0 ? undefined : numbers[place]
}

/** A situation that is written over again and again: a new one for each sample would cost more than what is written. */
export class LiveSituation implements Situation {
  lastMs = 0
  isIgnitionOn: boolean | null = null
  ignitionMs: number | null = null
  isEngineOn: boolean | null = null
  rpm: number | null = null
  voltageV: number | null = null
  kmh: number | null = null
  isKmhOfCar = false
  courseDeg: number | null = null
  isUnplugged = false
  isMoving = false
  place: Place | null = null
  stayLon = 0
  stayLat = 0
  staySinceMs: number | null = null
  odometerKm: number | null = null
  odometerMs = 0
  odometerSinceMs = 0
  /** What `place` is, where there is one: of its own, as the situation before is written over, too. */
  readonly #place = new LivePlace()

  /** Field by field: to spread or assign one takes several times as long. */
  copy(from: Situation): void {
    this.lastMs = from.lastMs
    this.isIgnitionOn = from.isIgnitionOn
    this.ignitionMs = from.ignitionMs
    this.isEngineOn = from.isEngineOn
    this.rpm = from.rpm
    this.voltageV = from.voltageV
    this.kmh = from.kmh
    this.isKmhOfCar = from.isKmhOfCar
    this.courseDeg = from.courseDeg
    this.isUnplugged = from.isUnplugged
    this.isMoving = from.isMoving
    this.place = from.place && this.#place.copy(from.place)
    this.stayLon = from.stayLon
    this.stayLat = from.stayLat
    this.staySinceMs = from.staySinceMs
    this.odometerKm = from.odometerKm
    this.odometerMs = from.odometerMs
    this.odometerSinceMs = from.odometerSinceMs
  }

  /** Where the car is after a sample. @param fix that it has */
  movePlace(before: Place | null, fix: Position | undefined, timeMs: number): Place | null {
    if (fix) this.place = placeAfter(before, fix, timeMs, this.#place)
    else this.place = before && this.#place.copy(before)
    return this.place
  }
}

/** Before the first sample. */
const BEGIN: Situation = new LiveSituation()

/**
 * What is known after one more sample. Out of its socket a dongle says nothing of a car.
 * @param now is written over
 * @returns whether the car moves at the sample, or did since the one before
 */
export function writeSituation(
  now: LiveSituation,
  known: Situation | null,
  sample: Sample,
  layout: SampleLayout,
  reading: Reading,
): Motion {
  const before = known ?? BEGIN
  const { timeMs, position, odometerKm } = reading
  const isUnplugged = isUnpluggedAfter(before, reading)
  if (isUnplugged) {
    now.copy(before.isUnplugged ? before : BEGIN)
    now.lastMs = timeMs
    now.isUnplugged = true
    return 'unknown'
  }
  const places = placesOf(layout)
  const intervalMs = known ? timeMs - before.lastMs : 0
  const place = now.movePlace(before.place, position, timeMs)
  const isFixBelieved = position !== undefined && place !== null && place.timeMs === timeMs
  const isAway =
    isFixBelieved &&
    (before.staySinceMs === null || isFartherThan(STAY_RADIUS_M, { lon: before.stayLon, lat: before.stayLat }, place))
  const staySinceMs = isAway ? timeMs : before.staySinceMs
  // What was told of an engine says nothing of the next time that the ignition is on.
  const isOff = reading.isIgnitionOn === false || reading.isEngineOn === false
  // A mean is no speed of the moment.
  const carKmh = reading.isTrueMean ? undefined : reading.vehicleSpeedKmh
  now.lastMs = timeMs
  now.isIgnitionOn = reading.isIgnitionOn ?? before.isIgnitionOn
  now.ignitionMs = reading.isIgnitionOn === undefined ? before.ignitionMs : timeMs
  now.isEngineOn = reading.isEngineOn ?? before.isEngineOn
  now.rpm = numberAt(sample, places.rpm) ?? (isOff ? null : before.rpm)
  now.voltageV = numberAt(sample, places.voltage) ?? (isOff ? null : before.voltageV)
  now.kmh = carKmh ?? (isFixBelieved ? reading.gpsSpeedKmh : undefined) ?? null
  now.isKmhOfCar = carKmh !== undefined
  now.courseDeg = (isFixBelieved ? numberAt(sample, places.course) : undefined) ?? null
  now.isUnplugged = false
  now.isMoving = reading.isMoving ?? before.isMoving
  now.stayLon = isAway ? place.lon : before.stayLon
  now.stayLat = isAway ? place.lat : before.stayLat
  now.staySinceMs = staySinceMs
  now.odometerKm = odometerKm ?? before.odometerKm
  now.odometerMs = odometerKm === undefined ? before.odometerMs : timeMs
  now.odometerSinceMs = odometerKm === undefined || odometerKm === before.odometerKm ? before.odometerSinceMs : timeMs
  const motion = motionOf(reading, {
    heldIsMoving: before.isMoving && intervalMs <= LONGEST_SILENCE_MS,
    isUnmoved: isStayShown(now, timeMs),
    isOdometerStill: isOdometerStill(before, reading),
    blindMs: 0,
    intervalMs,
    fix: position ? (isFixBelieved ? 'moved' : 'elsewhere') : 'none',
    droveOn: false,
  })
  // Asked only where nothing else tells: it takes longer than all of that.
  const droveOn =
    motion === 'unknown' && known !== null && (hasCounted(before, reading) || hasLeft(before, place, isFixBelieved))
  return droveOn ? 'moving' : motion
}

/** Believed fixes show that the car stayed where it was for a minute, the last of them at most a minute ago. */
export function isStayShown({ place, staySinceMs }: Pick<Situation, 'place' | 'staySinceMs'>, timeMs: number): boolean {
  return (
    place !== null &&
    staySinceMs !== null &&
    place.timeMs - staySinceMs >= UNMOVED_MS &&
    timeMs - place.timeMs <= UNMOVED_MS
  )
}

/** Out of the socket, only what comes from a car shows that the dongle is back in one. */
function isUnpluggedAfter({ isUnplugged }: Situation, reading: Reading): boolean {
  if (reading.isPluggedIn !== undefined) return !reading.isPluggedIn
  const isFromCar =
    reading.isIgnitionOn !== undefined || reading.isEngineOn !== undefined || reading.vehicleSpeedKmh !== undefined
  return isUnplugged && !isFromCar
}

/** An odometer with a resolution below one kilometre has not changed for minutes; one that was read just before holds. */
function isOdometerStill(before: Situation, { odometerKm, timeMs }: Reading): boolean {
  const { odometerKm: lastKm, odometerMs, odometerSinceMs } = before
  if (lastKm === null || Number.isInteger(lastKm) || timeMs - odometerSinceMs < MOTION_PAUSE_MS) return false
  return odometerKm === undefined ? timeMs - odometerMs <= HELD_ODOMETER_MS : odometerKm === lastKm
}

/** Dongles read the odometer once a minute or so; a car that leaves has not come far by then. */
const HELD_ODOMETER_MS = 75_000

/** Fixes show that the car drove since the fix before. */
function hasLeft({ place: before }: Situation, place: Place | null, isFixBelieved: boolean): boolean {
  if (!isFixBelieved || !before || !place) return false
  const movedM = distanceM(before, place)
  return movedM >= MOTION_DISPLACEMENT_M && movedM > (MOTION_KMH / 3600) * (place.timeMs - before.timeMs)
}

/** The odometer shows that the car drove since it was last read. */
function hasCounted(before: Situation, { odometerKm, timeMs }: Reading): boolean {
  if (before.odometerKm === null || odometerKm === undefined) return false
  const metres = (odometerKm - before.odometerKm) * 1000
  const sinceMs = timeMs - before.odometerMs
  return (
    metres >= LEAST_PROGRESS_M && metres > (MOTION_KMH / 3600) * sinceMs && metres <= FASTEST_M_PER_MS * sinceMs + 1000
  )
}

/**
 * Whether the engine runs: by its own word, else by its speed, else by the ignition, unless the generator is still;
 * undefined where nothing tells.
 */
export function isEngineRunning({ isEngineOn, isIgnitionOn, rpm, voltageV }: Situation): boolean | undefined {
  if (isIgnitionOn === false && isEngineOn !== true) return false
  if (isEngineOn !== null) return isEngineOn
  if (rpm !== null) return rpm > 0
  if (isIgnitionOn && voltageV !== null) return voltageV >= GENERATOR_V
  return isIgnitionOn ?? undefined
}
