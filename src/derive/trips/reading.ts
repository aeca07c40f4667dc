import { type EventType, requiredEventType } from '../../catalogue/event-types.ts'
import { COARSEST_FIX_M, METRES_PER_HDOP } from '../../model/earth.ts'
import { type Position, perLayout, type Sample, SampleLayout } from '../../model/sample.ts'
import {
  BLIND_LIMIT_MS,
  DATA_GAP_MS,
  FASTEST_KMH,
  HYBRID_MS,
  LONGEST_SILENCE_MS,
  MOST_ODOMETER_KM,
  MOTION_KMH,
  SAME_MOMENT_MS,
  SILENT_INTERVALS,
  STANDSTILL_KMH,
  UNSEEN_INTERVALS,
  WORD_FORGOTTEN_AFTER_DAYS,
} from './rules.ts'
import { type BelievedPlace, type LastWord, POWER_UNKNOWN, type Power } from './state.ts'

/** The part of a sample that matters to trips. */
export interface Reading {
  readonly timeMs: number
  readonly isIgnitionOn: boolean | undefined
  readonly isEngineOn: boolean | undefined
  readonly isPluggedIn: boolean | undefined
  readonly isMoving: boolean | undefined
  /** As the car reports it, on average since the reading before. */
  readonly meanSpeedKmh: number | undefined
  /** It is really a mean: a dongle that also reports the maximum speed of the interval has sampled all the time. */
  readonly isTrueMean: boolean
  /** As the car reports it; the greatest one where there is no average. */
  readonly vehicleSpeedKmh: number | undefined
  /** As the receiver reports it. */
  readonly gpsSpeedKmh: number | undefined
  /** As the car reports it, else as the receiver does. */
  readonly speedKmh: number | undefined
  /** A speed that adds up to a length: never the greatest of an interval, nor one of a receiver without a fix. */
  readonly addingSpeedKmh: number | undefined
  readonly position: Position | undefined
  /** How far it may be off, two times of three, as far as the receiver says; 0 where it says nothing. */
  readonly errorM: number
  /** The next fix shows that this one was false (doubtful-fixes.ts). */
  readonly isOutlier: boolean
  readonly odometerKm: number | undefined
  readonly vin: string | undefined
  /** By their index in METER_TYPES; undefined for those that were not read. */
  readonly meters: readonly (number | undefined)[]
}

const MILEAGE = requiredEventType('MILEAGE')

/** The meters whose readings at both ends of a trip are kept (decisions.md, *Trips*, aggregations). */
export const METER_TYPES: readonly EventType[] = [
  MILEAGE,
  requiredEventType('FUEL_LEVEL'),
  requiredEventType('FUEL_LEVEL_PERCENT'),
  requiredEventType('HV_BATTERY_SOC'),
]

const TYPES = {
  ignition: requiredEventType('IS_IGNITION_ON'),
  engine: requiredEventType('ENGINE_STATE'),
  pluggedIn: requiredEventType('IS_DONGLE_PLUGGED_IN'),
  moving: requiredEventType('IS_MOVING'),
  meanSpeed: requiredEventType('VEHICLE_SPEED_AVERAGE'),
  greatestSpeed: requiredEventType('VEHICLE_SPEED_MAX'),
  gpsSpeed: requiredEventType('GPS_SPEED'),
  position: requiredEventType('POSITION'),
  hdop: requiredEventType('GPS_HDOP'),
  odometer: MILEAGE,
  vin: requiredEventType('VIN'),
} as const

/** Where in `numbers` (VIN: in `texts`) the values of a layout are; -1 for those it does not have. */
const indexesOf = perLayout(layout => {
  const index = (type: EventType) => layout.indexOf(type)
  const meters = METER_TYPES.map(index)
  return {
    ignition: index(TYPES.ignition),
    engine: index(TYPES.engine),
    pluggedIn: index(TYPES.pluggedIn),
    moving: index(TYPES.moving),
    meanSpeed: index(TYPES.meanSpeed),
    greatestSpeed: index(TYPES.greatestSpeed),
    gpsSpeed: index(TYPES.gpsSpeed),
    position: index(TYPES.position),
    hdop: index(TYPES.hdop),
    odometer: index(TYPES.odometer),
    vin: index(TYPES.vin),
    meters: meters.some(meter => meter >= 0) ? meters : [],
  }
})

export function readingOf({ timeMs, types, numbers, texts }: Sample): Reading {
  const indexes = indexesOf(SampleLayout.of(types))
  const position = positionAt(numbers, indexes.position)
  const meanSpeedKmh = within(numbers, indexes.meanSpeed, FASTEST_KMH)
  const gpsSpeedKmh = within(numbers, indexes.gpsSpeed, FASTEST_KMH)
  const vehicleSpeedKmh = meanSpeedKmh ?? within(numbers, indexes.greatestSpeed, FASTEST_KMH)
  return {
    timeMs,
    isIgnitionOn: flagAt(numbers, indexes.ignition),
    isEngineOn: flagAt(numbers, indexes.engine),
    isPluggedIn: flagAt(numbers, indexes.pluggedIn),
    isMoving: flagAt(numbers, indexes.moving),
    meanSpeedKmh,
    isTrueMean: meanSpeedKmh !== undefined && indexes.greatestSpeed >= 0,
    vehicleSpeedKmh,
    gpsSpeedKmh,
    speedKmh: vehicleSpeedKmh ?? gpsSpeedKmh,
    addingSpeedKmh: meanSpeedKmh ?? (position && gpsSpeedKmh),
    position,
    errorM: Math.min(COARSEST_FIX_M, METRES_PER_HDOP * (within(numbers, indexes.hdop, MOST_HDOP) ?? 0)),
    isOutlier: false,
    // 0 is reported before the car has answered (decisions.md, *Trips*, distance).
    odometerKm: within(numbers, indexes.odometer, MOST_ODOMETER_KM) || undefined,
    vin: indexes.vin < 0 ? undefined : texts[indexes.vin],
    meters: indexes.meters.map((index, meter) => meterAt(numbers, index, meter)),
  }
}

function flagAt(numbers: readonly number[], index: number): boolean | undefined {
  return index < 0 ? undefined : numbers[index] === 1
}

/** Receivers report 99 and more where they know none. */
const MOST_HDOP = 98.9

/** A number that no car can have is none. */
function within(numbers: readonly number[], index: number, most: number): number | undefined {
  if (index < 0) return undefined
  const value = numbers[index]
  return value !== undefined && value >= 0 && value <= most ? value : undefined
}

function positionAt(numbers: readonly number[], index: number): Position | undefined {
  if (index < 0) return undefined
  const [lon, lat] = [numbers[index], numbers[index + 1]]
  return lon === undefined || lat === undefined ? undefined : { lon, lat }
}

function meterAt(numbers: readonly number[], index: number, meter: number): number | undefined {
  if (index < 0) return undefined
  return numbers[index] === 0 && METER_TYPES[meter] === MILEAGE ? undefined : numbers[index]
}

/** The values of a reading show only standstill. */
export function saysStanding({ speedKmh, isMoving }: Reading): boolean {
  return speedKmh !== undefined && speedKmh <= MOTION_KMH && isMoving !== true
}

/** Motion could be observed in a reading at all. */
export function canShowMotion(reading: Reading): boolean {
  return reading.position !== undefined || !showsPlaceAtMost(reading)
}

/** Only a fix could show motion. */
function showsPlaceAtMost({ speedKmh, odometerKm, isMoving }: Reading): boolean {
  return speedKmh === undefined && odometerKm === undefined && isMoving === undefined
}

/** A reading of ignition or engine, and of nothing else that matters to trips. */
export function isWordAlone(reading: Reading): boolean {
  const { isIgnitionOn, isEngineOn, isPluggedIn, position } = reading
  if (isIgnitionOn === undefined && isEngineOn === undefined) return false
  return showsPlaceAtMost(reading) && position === undefined && isPluggedIn === undefined
}

export function isSpeedOfDriving(speedKmh: number | undefined): boolean {
  return speedKmh !== undefined && speedKmh > MOTION_KMH
}

export function isStandstill(speedKmh: number | undefined): boolean {
  return speedKmh !== undefined && speedKmh <= STANDSTILL_KMH
}

/** The judgement of a fix (matched-place.ts). 'agreed': so was the one kept apart before it. 'elsewhere': not believed
 * yet. 'jumped', 'confirmed' (it drove here until then) and 'returned' (it never left) change the place. */
export type Fix =
  | 'none'
  | 'refused'
  | 'elsewhere'
  | 'repeated'
  | 'moved'
  | 'agreed'
  | 'jumped'
  | 'confirmed'
  | 'returned'

/** The judgement of the fix of a reading, and where the dongle is then. */
export interface JudgedFix {
  readonly fix: Fix
  readonly place: BelievedPlace | undefined
}

export function isNext(fix: Fix): boolean {
  return fix === 'moved' || fix === 'repeated' || fix === 'agreed'
}

export function isBelieved(fix: Fix): boolean {
  return fix !== 'none' && fix !== 'refused' && fix !== 'elsewhere'
}

// Motion at the instant of a reading.

/** 'unknown' without evidence. */
export type Motion = 'moving' | 'standing' | 'unknown'

/** The evidence of motion, with its weights: above zero in sum the car moves, below it stands. Sources without a value
 * do not count, except those named here. */
export const WEIGHTS = {
  /** The car's own speed. It no longer counts after half an hour of driving without a new fix of a receiver
   * (decisions.md, *Trips*, distance). */
  carSpeed: 3,
  /** The receiver's speed, measured apart from its positions; a standing receiver invents a few km/h at times. */
  receiverSpeed: 2,
  /** Fixes that stayed within 50 m for a minute, the last of them at most that old. They are never evidence of motion. */
  unmovedFix: 1.5,
  /** An odometer with a resolution below one kilometre that has not changed for five minutes: stronger than one speed. */
  stillOdometer: 3.5,
  /** A vibration or acceleration sensor in the dongle. Its last value holds until the next one, or a gap. */
  isMoving: 1,
} as const

/** The weight of a speed of the receiver that jitter between houses makes as well: a sensor of motion may say the opposite. */
export const SLOW_RECEIVER_WEIGHT = 1
export const INVENTED_KMH = 15

/** Evidence at a reading besides its own values. */
interface Signs {
  /** The last IS_MOVING still holds, and was true. */
  readonly heldIsMoving: boolean
  /** Fixes show standstill. */
  readonly isUnmoved: boolean
  /** The odometer of this reading shows standstill. */
  readonly isOdometerStill: boolean
  /** How long the car's speed has shown driving since the last new fix. */
  readonly blindMs: number
  /** How long the reading before it is ago. */
  readonly intervalMs: number
  readonly fix: Fix
  /** Fixes or odometer show that the car drove on since the reading before. */
  readonly droveOn: boolean
}

/** Having driven on since the reading before counts if there is no other evidence. */
export function motionOf(reading: Reading, signs: Signs): Motion {
  const { gpsSpeedKmh } = reading
  const isMoving = reading.isMoving ?? (signs.heldIsMoving ? true : undefined)
  const byCar = motionByCar(reading, signs)
  let sum = 0
  if (byCar !== undefined) sum += byCar ? WEIGHTS.carSpeed : -WEIGHTS.carSpeed
  if (gpsSpeedKmh !== undefined) sum += (gpsSpeedKmh > MOTION_KMH ? 1 : -1) * receiverWeight(gpsSpeedKmh)
  if (signs.isUnmoved) sum -= WEIGHTS.unmovedFix
  if (signs.isOdometerStill) sum -= WEIGHTS.stillOdometer
  if (isMoving !== undefined) sum += (isMoving ? 1 : -1) * WEIGHTS.isMoving
  if (sum !== 0) return sum > 0 ? 'moving' : 'standing'
  // A mean speed of driving and a receiver that shows standstill now are both right, unless the fix is unchanged.
  const hasJustStopped = byCar && isOfInterval(reading, signs) && signs.fix !== 'repeated'
  return signs.droveOn || hasJustStopped ? 'moving' : 'unknown'
}

/** The car's own speed as evidence; undefined without one. A mean over a minute may hold a short drive. */
export function motionByCar(reading: Reading, signs: Pick<Signs, 'blindMs' | 'intervalMs'>): boolean | undefined {
  if (reading.vehicleSpeedKmh === undefined || signs.blindMs > BLIND_LIMIT_MS) return undefined
  return reading.vehicleSpeedKmh > (isOfInterval(reading, signs) ? STANDSTILL_KMH : MOTION_KMH)
}

function isOfInterval({ isTrueMean }: Reading, { intervalMs }: Pick<Signs, 'intervalMs'>): boolean {
  return isTrueMean && intervalMs > SAME_MOMENT_MS
}

function receiverWeight(speedKmh: number): number {
  return speedKmh > MOTION_KMH && speedKmh <= INVENTED_KMH ? SLOW_RECEIVER_WEIGHT : WEIGHTS.receiverSpeed
}

// Ignition and engine.

/** Ignition or engine. On begins a trip. Ignition off ends it; engine off does not while the car moves (hybrids). */
export interface Word {
  readonly of: 'ignition' | 'engine'
  readonly isOn: boolean
}

/** The one that decides (decisions.md, *Trips*): the ignition unless it is wired on, else the engine, else neither. */
export function wordOf({ ignition, engine, isIgnitionDoubted }: Power): Word | undefined {
  if (ignition) return isIgnitionDoubted ? undefined : { of: 'ignition', isOn: ignition.isOn }
  return engine && { of: 'engine', isOn: engine.isOn }
}

/** After a reading. Unplugged, all is forgotten, as the next car may differ; then only
 * values of a car show that it is plugged in. */
export function powerAfter(before: Power, reading: Reading): Power {
  if (reading.isPluggedIn === false) return { ...POWER_UNKNOWN, isUnplugged: true }
  const ignition = wordAfter(before.ignition, reading.isIgnitionOn, reading.timeMs)
  const engine = wordAfter(before.engine, reading.isEngineOn, reading.timeMs)
  const isUnplugged =
    before.isUnplugged &&
    reading.isPluggedIn === undefined &&
    !ignition &&
    !engine &&
    reading.vehicleSpeedKmh === undefined
  const isIgnitionDoubted = before.isIgnitionDoubted && reading.isIgnitionOn !== false && ignition !== undefined
  return { ignition, engine, isIgnitionDoubted, electricMs: before.electricMs, isUnplugged }
}

const DAY_MS = 86_400_000

function wordAfter(word: LastWord | undefined, isOn: boolean | undefined, timeMs: number): LastWord | undefined {
  const lastDay = Math.floor(timeMs / DAY_MS)
  if (isOn !== undefined) return { isOn, silentDays: 0, lastDay }
  if (!word || word.lastDay === lastDay) return word
  const silentDays = word.silentDays + 1
  return silentDays > WORD_FORGOTTEN_AFTER_DAYS ? undefined : { isOn: word.isOn, silentDays, lastDay }
}

/** After the ignition was on for an hour without motion. */
export function withDoubt(power: Power): Power {
  return power.ignition?.isOn ? { ...power, isIgnitionDoubted: true } : power
}

/** After the car moved for so long with its engine off. */
export function withElectric(power: Power, durationMs: number): Power {
  return { ...power, electricMs: Math.min(HYBRID_MS, power.electricMs + durationMs) }
}

/** The car drives on a battery as well, so that its engine shows nothing when it is off. */
export function isHybrid({ electricMs }: Power): boolean {
  return electricMs >= HYBRID_MS
}

// How often the dongle reports.

/** A longer interval is a silence. */
const LONGEST_INTERVAL_MS = LONGEST_SILENCE_MS / SILENT_INTERVALS
/** Steps up and down that balance where three of four intervals are shorter. */
const UP = 1.26
const DOWN = 1.08
/** The step towards intervals less than half as long: the estimate came from a silence. */
const FAR_DOWN = 1.26

/** The usual interval while the car drives, after one more: three of four are shorter. It needs one number, and hardly
 * changes after a single long silence. @param cadenceMs undefined before the first */
export function cadenceAfter(cadenceMs: number | undefined, intervalMs: number): number {
  const interval = Math.min(intervalMs, LONGEST_INTERVAL_MS)
  if (cadenceMs === undefined) return interval
  if (interval > cadenceMs) return Math.min(interval, cadenceMs * UP)
  return Math.max(interval, cadenceMs / (interval < cadenceMs / 2 ? FAR_DOWN : DOWN))
}

/** The usual interval of a parked dongle, for as long as none of driving is known: none reports more rarely while
 * driving. Intervals longer than any of driving are ignored. */
export function parkedAfter(parkedMs = 0, intervalMs: number): number {
  return Math.max(intervalMs <= LONGEST_INTERVAL_MS ? intervalMs : 0, parkedMs / DOWN)
}

/** How long without data until it is unknown whether the car was still driving (decisions.md, *Trips*, silence). */
export function silenceOf(dongle: {
  readonly cadenceMs: number | undefined
  readonly parkedMs: number | undefined
}): number {
  const usualMs = dongle.cadenceMs ?? dongle.parkedMs ?? 0
  return Math.max(DATA_GAP_MS, Math.min(LONGEST_SILENCE_MS, Math.round(SILENT_INTERVALS * usualMs)))
}

/** A dongle that drives would have reported within such a time; unknown as long as the cadence is. */
export function isSeldom(durationMs: number, cadenceMs: number | undefined): boolean {
  return cadenceMs !== undefined && durationMs > unusualMs(cadenceMs)
}

/** A dongle that drives would have reported within this time. */
export function unusualMs(cadenceMs: number): number {
  return UNSEEN_INTERVALS * cadenceMs + SAME_MOMENT_MS
}

/** Before its last sample, the dongle reported as often as while the car drives. */
export function wasBusy(dongle: {
  readonly lastMs: number | undefined
  readonly busySinceMs: number | undefined
}): boolean {
  const { lastMs, busySinceMs } = dongle
  return lastMs !== undefined && busySinceMs !== undefined && busySinceMs < lastMs
}
