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

/** Metres by positions, the end included that was driven without a fix. */
export function positionsM(path: Path, speed: Speed): number {
  return pathM(path) + (speed.blindMs >= BLIND_MS && path.hasFix ? Math.max(0, speed.blindM - path.openM) : 0)
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
  const way =
    place === undefined || fix === 'none' || fix === 'refused'
      ? undefined
      : wayAfter(before, speed, place, fix, reading)
  const path = way ? way.path : before.path
  const speedSince = way ? way.speed : speed
  const isStart = fix === 'moved' && !before.path.hasFix && timeMs - startMs <= START_FIX_MS
  const odometer =
    odometerKm === undefined
      ? before.odometer
      : odometerAfter(before.odometer, odometerKm, timeMs, positionsM(path, speedSince))
  const measured: Measured = {
    startMs,
    endMs: timeMs,
    startPosition: isStart || !before.startPosition ? place?.position : before.startPosition,
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
}

/** Path and route after a fix that is believed; undefined when it adds nothing to them. */
function wayAfter(
  { path, route, startMs }: Measured,
  speed: Speed,
  { position, firstMs }: Place,
  fix: 'moved' | 'jumped',
  { timeMs, speedKmh }: Reading,
): Way | undefined {
  const isStanding = speedKmh !== undefined && speedKmh <= STANDSTILL_KMH
  const begins = !path.hasFix
  if (!begins && (firstMs !== timeMs || (fix === 'moved' && isStandstillDrift(path, position, isStanding))))
    return undefined
  const after = begins
    ? beganAt(path, position, timeMs - startMs, isStanding)
    : fix === 'jumped'
      ? pathElsewhere(path, position, isStanding)
      : pathAfter(path, position, isStanding, speed)
  return { path: after, route: routeAfter(route, position), speed: withFix(speed) }
}

/**
 * The path at the first fix of a trip. It leads there from where the car stood, if it had the time to drive it and the
 * receiver no fix meanwhile; a first fix right at the begin is the better place.
 */
function beganAt(path: Path, position: Position, sinceStartMs: number, isStanding: boolean): Path {
  const { counted } = path
  const isDriven =
    counted !== undefined &&
    sinceStartMs >= BLIND_MS &&
    distanceM(counted, position) <= FASTEST_M_PER_MS * sinceStartMs + FIX_ERROR_M
  return pathAfter(isDriven ? path : pathFrom(undefined), position, isStanding, NO_SPEED)
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
