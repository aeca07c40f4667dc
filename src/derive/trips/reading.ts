import { type EventType, requiredEventType } from '../../catalogue/event-types.ts'
import { type Position, perLayout, type Sample, SampleLayout } from '../../model/sample.ts'
import { FASTEST_KMH, MOST_ODOMETER_KM, MOTION_KMH, STANDSTILL_KMH } from './rules.ts'
import type { BelievedPlace } from './state.ts'

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
export function showsPlaceAtMost({ speedKmh, odometerKm, isMoving }: Reading): boolean {
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

/**
 * The judgement of a fix (matched-place.ts). 'moved' is the next one of a path, 'repeated' the very one before it; 'agreed'
 * is the next one as well, and so was the one that was kept apart before it. 'elsewhere' is one of a
 * place that is not believed, not yet at least; 'refused' belongs to no place at all. The place believed changes with 'jumped':
 * the dongle is elsewhere, and nothing speaks for the place before; with 'confirmed': it drove there until then, but has been
 * elsewhere for long; and with 'returned': it never was elsewhere.
 */
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

/** A fix goes on from the one before it. */
export function isNext(fix: Fix): boolean {
  return fix === 'moved' || fix === 'repeated' || fix === 'agreed'
}

/** The dongle is where a fix says. */
export function isBelieved(fix: Fix): boolean {
  return fix !== 'none' && fix !== 'refused' && fix !== 'elsewhere'
}
