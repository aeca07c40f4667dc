import { type EventType, requiredEventType } from '../../../catalogue/event-types.ts'
import { type Position, perLayout, type Sample, SampleLayout } from '../../../model/sample.ts'
import { FASTEST_KMH, MOST_ODOMETER_KM } from './rules.ts'

/** What of a sample matters to trips. */
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
  /** The next fix shows that this one was false (outliers.ts). */
  readonly isOutlier: boolean
  readonly odometerKm: number | undefined
  readonly vin: string | undefined
  /** The sample itself, and where in its numbers each of METER_TYPES stands (-1: not measured). */
  readonly numbers: readonly number[]
  readonly meterPlaces: readonly number[]
  readonly hasMeters: boolean
}

const MILEAGE = requiredEventType('MILEAGE')

/** The meters whose readings at both ends of a trip are kept (decisions.md, *Trips*, aggregations). */
export const METER_TYPES: readonly EventType[] = [
  MILEAGE,
  requiredEventType('FUEL_LEVEL'),
  requiredEventType('FUEL_LEVEL_PERCENT'),
  requiredEventType('HV_BATTERY_SOC'),
]

const IS_IGNITION_ON = requiredEventType('IS_IGNITION_ON')
const ENGINE_STATE = requiredEventType('ENGINE_STATE')
const IS_DONGLE_PLUGGED_IN = requiredEventType('IS_DONGLE_PLUGGED_IN')
const IS_MOVING = requiredEventType('IS_MOVING')
const VEHICLE_SPEED_AVERAGE = requiredEventType('VEHICLE_SPEED_AVERAGE')
const VEHICLE_SPEED_MAX = requiredEventType('VEHICLE_SPEED_MAX')
const GPS_SPEED = requiredEventType('GPS_SPEED')
const POSITION = requiredEventType('POSITION')
const VIN = requiredEventType('VIN')

/** Where in `numbers` (VIN: in `texts`) the values of a layout stand; -1 for what it does not have. */
interface Places {
  readonly ignition: number
  readonly engine: number
  readonly pluggedIn: number
  readonly moving: number
  readonly meanSpeed: number
  readonly greatestSpeed: number
  readonly gpsSpeed: number
  readonly position: number
  readonly odometer: number
  readonly vin: number
  readonly meters: readonly number[]
  readonly hasMeters: boolean
}

const placesOf = perLayout((layout): Places => {
  const place = (type: EventType) => layout.indexOf(type)
  const meters = METER_TYPES.map(place)
  return {
    ignition: place(IS_IGNITION_ON),
    engine: place(ENGINE_STATE),
    pluggedIn: place(IS_DONGLE_PLUGGED_IN),
    moving: place(IS_MOVING),
    meanSpeed: place(VEHICLE_SPEED_AVERAGE),
    greatestSpeed: place(VEHICLE_SPEED_MAX),
    gpsSpeed: place(GPS_SPEED),
    position: place(POSITION),
    odometer: place(MILEAGE),
    vin: place(VIN),
    meters,
    hasMeters: meters.some(meter => meter >= 0),
  }
})

/** The number at a place, -1 for none. A reading that no car can have is none. */
function within(numbers: readonly number[], place: number, most: number): number | undefined {
  if (place < 0) return undefined
  const value = numbers[place]
  return value !== undefined && value >= 0 && value <= most ? value : undefined
}

/** A reading that is written over with the next one, for who keeps none of them; its position is written over, too. */
export type LiveReading = { -readonly [Field in keyof Reading]: Reading[Field] } & {
  ownPosition: LivePosition | undefined
}

/** Objects of this form alone: where their fields were ever anything but numbers, each number would be an object. */
class LivePosition implements Position {
  lon = Number.NaN
  lat = Number.NaN
}

function positionAt(reading: LiveReading, numbers: readonly number[], place: number): Position | undefined {
  if (place < 0) return undefined
  const lon = numbers[place]
  const lat = numbers[place + 1]
  if (lon === undefined || lat === undefined) return undefined
  const position = (reading.ownPosition ??= new LivePosition())
  position.lon = lon
  position.lat = lat
  return position
}

/** Reads a sample by the places of its layout, without unpacking the rest of it. */
export function readingOf(sample: Sample): LiveReading {
  return readInto(blankReading(), sample)
}

function blankReading(): LiveReading {
  return {
    timeMs: Number.NaN,
    isIgnitionOn: undefined,
    isEngineOn: undefined,
    isPluggedIn: undefined,
    isMoving: undefined,
    meanSpeedKmh: undefined,
    isTrueMean: false,
    vehicleSpeedKmh: undefined,
    gpsSpeedKmh: undefined,
    speedKmh: undefined,
    addingSpeedKmh: undefined,
    position: undefined,
    isOutlier: false,
    odometerKm: undefined,
    vin: undefined,
    numbers: NO_NUMBERS,
    meterPlaces: NO_NUMBERS,
    hasMeters: false,
    ownPosition: undefined,
  }
}

const NO_NUMBERS: readonly number[] = []

/** The same into a reading that is there already. @param layout that of the sample */
export function readInto(reading: LiveReading, sample: Sample, layout = SampleLayout.of(sample.types)): LiveReading {
  const { numbers, texts } = sample
  const places = placesOf(layout)
  const position = positionAt(reading, numbers, places.position)
  const meanSpeedKmh = within(numbers, places.meanSpeed, FASTEST_KMH)
  const gpsSpeedKmh = within(numbers, places.gpsSpeed, FASTEST_KMH)
  const vehicleSpeedKmh = meanSpeedKmh ?? within(numbers, places.greatestSpeed, FASTEST_KMH)
  reading.timeMs = sample.timeMs
  reading.isIgnitionOn = saidAt(numbers, places.ignition)
  reading.isEngineOn = saidAt(numbers, places.engine)
  reading.isPluggedIn = saidAt(numbers, places.pluggedIn)
  reading.isMoving = saidAt(numbers, places.moving)
  reading.meanSpeedKmh = meanSpeedKmh
  reading.isTrueMean = meanSpeedKmh !== undefined && places.greatestSpeed >= 0
  reading.vehicleSpeedKmh = vehicleSpeedKmh
  reading.gpsSpeedKmh = gpsSpeedKmh
  reading.speedKmh = vehicleSpeedKmh ?? gpsSpeedKmh
  reading.addingSpeedKmh = meanSpeedKmh ?? (position && gpsSpeedKmh)
  reading.position = position
  reading.isOutlier = false
  reading.odometerKm = odometerAt(numbers, places.odometer)
  reading.vin = places.vin < 0 ? undefined : texts[places.vin]
  reading.numbers = numbers
  reading.meterPlaces = places.meters
  reading.hasMeters = places.hasMeters
  return reading
}

function saidAt(numbers: readonly number[], place: number): boolean | undefined {
  return place < 0 ? undefined : numbers[place] === 1
}

/** 0 is what a dongle says before the car has answered (decisions.md, *Trips*, distance). */
function odometerAt(numbers: readonly number[], place: number): number | undefined {
  return within(numbers, place, MOST_ODOMETER_KM) || undefined
}
