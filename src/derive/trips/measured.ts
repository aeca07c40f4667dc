import type { Position } from '../../intake/sample.ts'
import { distanceM } from './earth.ts'
import { type MeterReadings, metersAfter, NO_METERS } from './meters.ts'
import { completedM, type Odometer, odometerAfter, odometerM } from './odometer.ts'
import { isStandstillDrift, type Path, pathAfter, pathElsewhere, pathFrom, pathM } from './path.ts'
import { type Place, placeAfter } from './place.ts'
import type { Reading } from './reading.ts'
import { EMPTY_ROUTE, type Route, routeAfter } from './route.ts'
import {
  BLIND_MS,
  FASTEST_M_PER_MS,
  FIX_ERROR_M,
  MOTION_DISPLACEMENT_M,
  SHORTEST_TRIP_M,
  SHORTEST_TRIP_MS,
  STANDSTILL_KMH,
  START_FIX_MS,
} from './rules.ts'
import { NO_SPEED, type Speed, speedAfter, withFix } from './speed.ts'

/** What was measured of a trip, from its begin up to a sample. */
export interface Measured {
  readonly startMs: number
  readonly endMs: number
  readonly startPosition: Position | undefined
  readonly endPosition: Position | undefined
  readonly speed: Speed
  readonly path: Path
  readonly odometer: Odometer | undefined
  readonly meters: MeterReadings
  readonly route: Route
  /** Long enough to be a trip: once it was, it stays one. */
  readonly isTrip: boolean
}

/**
 * The begin of a trip, before its first reading is measured.
 * @param known where the dongle was last.
 * @param stoodThere nothing suggests that the car moved since.
 */
export function measuredFrom(startMs: number, known: Position | undefined, stoodThere: boolean): Measured {
  return {
    startMs,
    endMs: startMs,
    startPosition: known,
    endPosition: known,
    speed: NO_SPEED,
    path: pathFrom(stoodThere ? known : undefined),
    odometer: undefined,
    meters: NO_METERS,
    route: EMPTY_ROUTE,
    isTrip: false,
  }
}

/** Metres by positions; what was driven without a fix for a while, by the speed of the car. */
export function positionsM(path: Path, speed: Speed): number {
  return pathM(path) + (speed.blindMs >= BLIND_MS ? Math.max(0, speed.blindM - path.openM) : 0)
}

/** Metres of the trip (decisions.md, *Trips*, distance). */
export function lengthM({ path, speed, odometer }: Pick<Measured, 'path' | 'speed' | 'odometer'>): number {
  return completedM(odometer, positionsM(path, speed))
}

/**
 * What is measured after one more reading, and where the dongle is then.
 * @param isByWord ignition or engine say that the car is driven, so nothing else must prove it.
 */
export function measuredAfter(
  before: Measured,
  reading: Reading,
  placeBefore: Place | undefined,
  isByWord: boolean,
): { readonly measured: Measured; readonly place: Place | undefined } {
  const { timeMs, odometerKm } = reading
  const { startMs } = before
  const speed = speedAfter(before.speed, reading)
  const { place, fix } = placeAfter(placeBefore, reading, speed.blindM)
  const way = place && (fix === 'moved' || fix === 'jumped') ? wayAfter(before, speed, place, fix, reading) : undefined
  const path = way ? way.path : before.path
  const speedSince = way ? way.speed : speed
  const odometer =
    odometerKm === undefined
      ? before.odometer
      : odometerAfter(before.odometer, odometerKm, timeMs, positionsM(path, speedSince))
  const measured: Measured = {
    startMs,
    endMs: timeMs,
    startPosition: way?.startPosition ?? before.startPosition,
    endPosition: place?.position,
    speed: speedSince,
    path,
    odometer,
    meters: metersAfter(before.meters, reading),
    route: way ? way.route : before.route,
    isTrip: before.isTrip || isTrip(timeMs - startMs, path, speedSince, odometer, isByWord),
  }
  return { measured, place }
}

interface Way {
  readonly path: Path
  readonly route: Route
  readonly speed: Speed
  /** Where the fix shows that the trip began; undefined when it does not. */
  readonly startPosition: Position | undefined
}

/** Path and route after a fix that is believed; undefined when it adds nothing to them. */
function wayAfter(
  before: Measured,
  speed: Speed,
  { position, firstMs }: Place,
  fix: 'moved' | 'jumped',
  { timeMs, speedKmh }: Reading,
): Way | undefined {
  const { path, route } = before
  const isStanding = speedKmh !== undefined && speedKmh <= STANDSTILL_KMH
  const onward = { route: routeAfter(route, position), speed: withFix(speed) }
  if (!path.hasFix) return { ...beganAt(before, position, timeMs, fix, isStanding, speed), ...onward }
  if (fix === 'jumped') return { path: pathElsewhere(path, position, isStanding), startPosition: undefined, ...onward }
  const isRepeated = firstMs !== timeMs
  if (isRepeated || isStandstillDrift(path, position, isStanding)) return undefined
  return { path: pathAfter(path, position, isStanding, speed), startPosition: undefined, ...onward }
}

/**
 * The path at the first fix of a trip, and where the trip began: there, when the fix comes soon, else where the dongle
 * was last known to be. If the car stood there, and had the time to drive from there, the path leads from there; but not
 * when the fix comes at once, which then is the better place.
 */
function beganAt(
  { path, startMs, startPosition: known }: Measured,
  position: Position,
  timeMs: number,
  fix: 'moved' | 'jumped',
  isStanding: boolean,
  speed: Speed,
): Pick<Way, 'path' | 'startPosition'> {
  const sinceStartMs = timeMs - startMs
  const isReachable =
    fix === 'moved' &&
    known !== undefined &&
    distanceM(known, position) <= FASTEST_M_PER_MS * sinceStartMs + FIX_ERROR_M
  const from = isReachable && sinceStartMs >= BLIND_MS ? path : pathFrom(undefined)
  return {
    path: pathAfter(from, position, isStanding, speed),
    startPosition: isReachable && sinceStartMs > START_FIX_MS ? undefined : position,
  }
}

function isTrip(
  durationMs: number,
  path: Path,
  speed: Speed,
  odometer: Odometer | undefined,
  isByWord: boolean,
): boolean {
  const isLong = durationMs >= SHORTEST_TRIP_MS || lengthM({ path, speed, odometer }) >= SHORTEST_TRIP_M
  return isLong && (isByWord || isDisplaced(path, speed, odometer))
}

/** Whether the car really went somewhere, as far as anything tells. */
function isDisplaced(path: Path, speed: Speed, odometer: Odometer | undefined): boolean {
  if (path.reachM >= MOTION_DISPLACEMENT_M || speed.drivenM >= MOTION_DISPLACEMENT_M) return true
  if (odometer && odometerM(odometer) >= MOTION_DISPLACEMENT_M) return true
  return !path.hasFix && speed.kmh === undefined && odometer === undefined
}
