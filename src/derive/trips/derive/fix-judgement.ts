import { distanceM } from '../../../model/earth.ts'
import type { Position } from '../../../model/sample.ts'
import { unusualMs } from './cadence.ts'
import { isSpeedOfDriving, saysStanding } from './evidence.ts'
import { countedSince, isTooFar } from './odometer-distance.ts'
import { progressOf } from './odometer-progress.ts'
import { isPausedBriefly, type OpenTrip } from './open-trip.ts'
import { type FixContext, type Judgement, judgeAtOnce, judgeByContext } from './place.ts'
import type { Progress } from './progress.ts'
import type { Reading } from './reading.ts'
import {
  CONFIRMED_CADENCE_MS,
  EXCURSION_MS,
  FASTEST_M_PER_MS,
  FROZEN_FIX_MS,
  LEAST_PROGRESS_M,
  LONGEST_SILENCE_MS,
  MOTION_PAUSE_MS,
  UNSEEN_WAY_M,
} from './rules.ts'
import { drivenSince } from './speed.ts'
import { isParked, SCATTER_COUNT } from './stay.ts'
import { isProven } from './track.ts'

/** What the fix of a reading is, and where the dongle is then. @param progress before the reading */
export function judge(progress: Progress, reading: Reading): Judgement {
  const { place } = progress
  const atOnce = judgeAtOnce(place, reading)
  if (atOnce || !place || !reading.position) return atOnce ?? { fix: 'none', place }
  return judgeByContext(place, reading.position, reading.timeMs, fixContext(progress, reading, reading.position))
}

/** What is known before a fix is judged. */
function fixContext(progress: Progress, reading: Reading, position: Position): FixContext {
  const { trip } = progress
  const { timeMs } = reading
  const confirmAfterMs = confirmAfter(progress, reading)
  const isUncounted = countedLess(progress, reading, position)
  return {
    drivenM: trip && drivenM(trip, reading),
    isProven: trip !== undefined && isProven(trip.measured.track),
    isAnchored: (isUncounted && isSeenLately(progress, timeMs)) || wasParkedLately(progress, timeMs),
    confirmAfterMs,
    isUnconfirmed: isPlaceUnconfirmed(progress),
    isImplausible: isUncounted || isOutOfReach(progress, timeMs, position, confirmAfterMs),
  }
}

/** Metres driven since the last fix of a trip, by the speeds told; undefined when none were. */
function drivenM({ measured: { track, speed } }: OpenTrip, { timeMs, addingSpeedKmh }: Reading): number | undefined {
  const { metres, toldMs } = drivenSince(speed, track.path.fixMark)
  const sinceMs = addingSpeedKmh === undefined || speed.kmh === undefined ? 0 : timeMs - speed.timeMs
  const toComeM = (Math.max(addingSpeedKmh ?? 0, speed.kmh ?? 0) / 3600) * sinceMs
  return toldMs + sinceMs > 0 ? metres + toComeM : undefined
}

/**
 * Fixes show for certain that the car stood there for longer than false ones last, until minutes ago, or that it drove off from where it
 * had been: what is believed to be its place can hardly be false.
 */
function wasParkedLately({ stay, place }: Progress, timeMs: number): boolean {
  if (!stay || !place || timeMs - place.lastMs > LONGEST_SILENCE_MS) return false
  if (stay.leftFrom !== undefined) return true
  return stay.count >= SCATTER_COUNT && stay.insideMs - stay.sinceMs >= EXCURSION_MS
}

/** Whether the place is known by one fix alone, perhaps a repeated one: the first of the dongle, or the first after a long silence. */
function isPlaceUnconfirmed({ place, stay, trip }: Progress): boolean {
  if (!place || !stay || stay.outside || place.firstMs > stay.sinceMs) return false
  if (place.lastMs - place.firstMs > FROZEN_FIX_MS) return false
  return trip === undefined || (trip.measured.track.path.reachM === 0 && trip.measured.track.fixCount <= 1)
}

/**
 * How long a far fix must be confirmed. A parked dongle that reports rarely would have reported a drive, and after a long time
 * without a fix the receiver may begin with any position; neither holds while car or dongle report motion.
 */
function confirmAfter(progress: Progress, reading: Reading): number {
  const { trip, stay, cadenceMs, lastMs } = progress
  const tellsMotion = reading.isMoving || isSpeedOfDriving(reading.speedKmh) || progressOf(progress, reading)
  if (tellsMotion) return Number.POSITIVE_INFINITY
  const isDriving =
    trip !== undefined && trip.pause === undefined && lastMs !== undefined && lastMs - trip.movedMs < MOTION_PAUSE_MS
  if (isDriving) return LONGEST_SILENCE_MS
  // With a record every few minutes, one fix may be all that is reported of a drive.
  const isDense = cadenceMs !== undefined && cadenceMs <= CONFIRMED_CADENCE_MS
  const isOver = trip === undefined || lastMs === undefined || !isPausedBriefly(trip, lastMs)
  const isOff = reading.isIgnitionOn === false
  if (stay && isOver && isParked(stay) && (isDense || isOff || saysStanding(reading))) return 0
  return wasBusy(progress) || cadenceMs === undefined ? LONGEST_SILENCE_MS : unusualMs(cadenceMs)
}

/**
 * Whether a fix is farther away than the car can have driven. It was parked meanwhile, and the dongle said so: then the receiver has just
 * started, and may begin with an old fix while the car already drives. A dongle that was unplugged meanwhile, and so has no stay, may have
 * been carried.
 */
function isOutOfReach(progress: Progress, timeMs: number, position: Position, confirmAfterMs: number): boolean {
  const { place, stay, trip, boundaryMs, lastMs } = progress
  if (!place || !stay) return false
  // The way to a second fix from there may have been driven before the first one.
  if (!trip && place.rival) return false
  // Since the car said that it drives, or since its ignition was switched on.
  const saidSo = !Number.isFinite(confirmAfterMs) || trip?.opened.rule === 'ignition on'
  if (isSeenLately(progress, timeMs) ? !isParked(stay) : !saidSo) return false
  const sinceMs = trip?.measured.startMs ?? lastMs ?? timeMs
  const drivenMs = timeMs - sinceMs + Math.max(0, boundaryMs - place.lastMs)
  return distanceM(place.position, position) > FASTEST_M_PER_MS * drivenMs + UNSEEN_WAY_M
}

/** Whether the car drove, by its odometer, but not nearly so far. */
function countedLess(progress: Progress, reading: Reading, position: Position): boolean {
  const { place } = progress
  if (!place) return false
  const counted = countedSince(progress, place, reading)
  return (
    counted !== undefined &&
    counted.metres >= LEAST_PROGRESS_M &&
    isTooFar(distanceM(place.position, position), counted)
  )
}

/** Whether a fix was believed within the last half hour: after that the car may have been carried. */
function isSeenLately({ place }: Progress, timeMs: number): boolean {
  return place !== undefined && timeMs - place.lastMs <= LONGEST_SILENCE_MS
}

/** Before its last sample, the dongle reported as often as while the car drives. */
export function wasBusy({ lastMs, busySinceMs }: Progress): boolean {
  return lastMs !== undefined && busySinceMs !== undefined && busySinceMs < lastMs
}
