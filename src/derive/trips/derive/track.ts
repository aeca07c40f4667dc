import { distanceM } from '../../../model/earth.ts'
import type { Position } from '../../../model/sample.ts'
import { appendPath, goTo, isStandstillDrift, type Path, pathFrom } from './path.ts'
import { addFix, appendRoute, emptyRoute, type Route } from './route.ts'
import { BLIND_MS, FASTEST_M_PER_MS, FIX_ERROR_M, START_FIX_MS } from './rules.ts'
import type { Speed, SpeedMark } from './speed.ts'

/** What the positions of a trip tell: those of the place that is believed, or those of another one. Changed in place. */
export interface Track {
  readonly startMs: number
  startPosition: Position | undefined
  readonly path: Path
  route: Route
  /** Positions that counted: of two dongles in one car, the one with more of them measured better. */
  fixCount: number
}

/**
 * @param known where the dongle was last
 * @param from where the path begins; undefined if the way from there is unknown
 */
export function trackFrom(
  startMs: number,
  known: Position | undefined,
  from: Position | undefined,
  mark: SpeedMark,
): Track {
  return { startMs, startPosition: known, path: pathFrom(from, mark), route: emptyRoute(), fixCount: 0 }
}

/**
 * The car surely left from there: fixes lead from there on.
 * @param middle of the place where it stood
 */
export function leaveFrom(track: Track, position: Position, middle: Position): void {
  track.startPosition = position
  track.path.hasFix = true
  track.path.counted = position
  track.path.first = middle
  addFix(track.route, position)
}

/** Whether the car drove here, so that a fix from elsewhere is more likely to be false. */
export function isProven(track: Track): boolean {
  return track.path.reachM >= track.path.provenAtM
}

/** Goes on to a fix that is believed, unless it adds nothing to path and route. */
export function goOn(
  track: Track,
  position: Position,
  isRepeated: boolean,
  isStanding: boolean,
  speed: Speed,
  timeMs: number,
  cadenceMs: number | undefined,
): void {
  const { path, route } = track
  if (!path.hasFix) begin(track, position, timeMs)
  else if (isRepeated || isStandstillDrift(path, position, isStanding)) return
  goTo(path, position, isStanding, speed, timeMs, cadenceMs)
  addFix(route, position)
  track.fixCount++
}

/**
 * The first fix of a trip: the trip began there, when the fix comes soon, else where the dongle was last known to be. If
 * the car stood there, and had the time to drive from there, the path leads from there; but not when the fix comes at
 * once, which then is the better place.
 */
function begin(track: Track, position: Position, timeMs: number): void {
  const { startMs, startPosition: known, path } = track
  const sinceStartMs = timeMs - startMs
  const isReachable = known !== undefined && distanceM(known, position) <= FASTEST_M_PER_MS * sinceStartMs + FIX_ERROR_M
  if (!isReachable || sinceStartMs < BLIND_MS) path.counted = undefined
  if (!isReachable) path.first = undefined
  if (!isReachable || sinceStartMs <= START_FIX_MS) track.startPosition = position
}

/** The car was elsewhere for so long that it must be true: the way there is not known. */
export function appendTrack(track: Track, next: Track): void {
  appendPath(track.path, next.path)
  appendRoute(track.route, next.route)
  track.fixCount += next.fixCount
}
