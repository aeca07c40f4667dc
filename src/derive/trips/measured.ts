import type { Position } from '../../intake/sample.ts'
import { distanceM } from './earth.ts'
import { type MeterReadings, noMeters, readMeters } from './meters.ts'
import { isStandstill } from './motion.ts'
import { completedM, type Odometer, odometerFrom, odometerM, readOdometer } from './odometer.ts'
import { goOnElsewhere, goTo, isStandstillDrift, leadFromNowhere, type Path, pathFrom, pathM } from './path.ts'
import { type Fix, fixOf, type Place, placeAfter } from './place.ts'
import type { Reading } from './reading.ts'
import { addFix, emptyRoute, type Route } from './route.ts'
import {
  BLIND_MS,
  FASTEST_M_PER_MS,
  FIX_ERROR_M,
  MOTION_DISPLACEMENT_M,
  SHORTEST_TRIP_M,
  SHORTEST_TRIP_MS,
  START_FIX_MS,
} from './rules.ts'
import { addSpeed, noSpeed, type Speed, startAtFix } from './speed.ts'

/** What was measured of a trip, from its begin up to a sample. Changed in place by each reading. */
export interface Measured {
  readonly startMs: number
  endMs: number
  startPosition: Position | undefined
  endPosition: Position | undefined
  readonly speed: Speed
  readonly path: Path
  odometer: Odometer | undefined
  readonly meters: MeterReadings
  readonly route: Route
  /** Positions that counted: of two dongles in one car, the one with more of them measured better. */
  fixCount: number
  /** Long enough to be a trip: once it was, it stays one. */
  isTrip: boolean
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
    speed: noSpeed(),
    path: pathFrom(stoodThere ? known : undefined),
    odometer: undefined,
    meters: noMeters(),
    route: emptyRoute(),
    fixCount: 0,
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
 * Measures one more reading.
 * @param known where the dongle was before.
 * @param isByWord ignition or engine say that the car is driven, so nothing else must prove it.
 * @returns where the dongle is then.
 */
export function measure(
  measured: Measured,
  reading: Reading,
  known: Place | undefined,
  isByWord: boolean,
): Place | undefined {
  const { timeMs, odometerKm } = reading
  const { speed, path } = measured
  addSpeed(speed, reading)
  const fix = fixOf(known, reading, speed.blindM)
  const place = placeAfter(known, reading, fix)
  if (place) follow(measured, place.position, fix, reading)
  if (odometerKm !== undefined) {
    const byPositionsM = positionsM(path, speed)
    if (measured.odometer) readOdometer(measured.odometer, odometerKm, timeMs, byPositionsM)
    else measured.odometer = odometerFrom(odometerKm, timeMs, byPositionsM)
  }
  readMeters(measured.meters, reading)
  measured.endMs = timeMs
  measured.endPosition = place?.position
  measured.isTrip ||= isTrip(measured, isByWord)
  return place
}

/** Goes on to a fix that is believed, unless it adds nothing to path and route. */
function follow(measured: Measured, position: Position, fix: Fix, { timeMs, speedKmh }: Reading): void {
  if (fix === 'none' || fix === 'refused') return
  const { path, route, speed } = measured
  const isStanding = isStandstill(speedKmh)
  if (!path.hasFix) begin(measured, position, timeMs, fix, isStanding)
  else if (fix === 'jumped') goOnElsewhere(path, position, isStanding)
  else if (fix === 'repeated' || isStandstillDrift(path, position, isStanding)) return
  else goTo(path, position, isStanding, speed)
  addFix(route, position)
  measured.fixCount++
  startAtFix(speed)
}

/**
 * The first fix of a trip: the trip began there, when the fix comes soon, else where the dongle was last known to be. If
 * the car stood there, and had the time to drive from there, the path leads from there; but not when the fix comes at
 * once, which then is the better place.
 */
function begin(measured: Measured, position: Position, timeMs: number, fix: Fix, isStanding: boolean): void {
  const { startMs, startPosition: known, path, speed } = measured
  const sinceStartMs = timeMs - startMs
  const isReachable =
    fix !== 'jumped' &&
    known !== undefined &&
    distanceM(known, position) <= FASTEST_M_PER_MS * sinceStartMs + FIX_ERROR_M
  if (!isReachable || sinceStartMs < BLIND_MS) leadFromNowhere(path)
  goTo(path, position, isStanding, speed)
  if (!isReachable || sinceStartMs <= START_FIX_MS) measured.startPosition = position
}

function isTrip(measured: Measured, isByWord: boolean): boolean {
  const isLong = measured.endMs - measured.startMs >= SHORTEST_TRIP_MS || lengthM(measured) >= SHORTEST_TRIP_M
  return isLong && (isByWord || isDisplaced(measured))
}

/** Whether the car really went somewhere, as far as anything tells. */
function isDisplaced({ path, speed, odometer }: Measured): boolean {
  if (path.reachM >= MOTION_DISPLACEMENT_M || speed.drivenM >= MOTION_DISPLACEMENT_M) return true
  if (odometer && odometerM(odometer) >= MOTION_DISPLACEMENT_M) return true
  return !path.hasFix && speed.kmh === undefined && odometer === undefined
}
