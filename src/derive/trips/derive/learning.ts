import { distanceM } from '../../../model/earth.ts'
import type { Turn } from './boundaries.ts'
import { cadenceAfter, isSeldom, parkedAfter } from './cadence.ts'
import { calibrationsAfter } from './calibration.ts'
import type { Circumstances } from './circumstances.ts'
import { isSpeedOfDriving } from './evidence.ts'
import type { EndedTrip, OpenTrip } from './open-trip.ts'
import { pathLength } from './path.ts'
import type { Place } from './place.ts'
import { withDoubt, withElectric } from './power.ts'
import type { Progress } from './progress.ts'
import type { Reading } from './reading.ts'
import { LAST_WAY_M_PER_MS, LONGEST_SILENCE_MS, MOTION_PAUSE_MS } from './rules.ts'

/** A reading once it is known what it means for trips. */
interface Lesson {
  readonly reading: Reading
  readonly now: Circumstances
  readonly turn: Turn
  /** No trip was on before the reading. */
  readonly wasParked: boolean
  /** One was, and did not pause. */
  readonly wasDriving: boolean
  /** The trip that ended with the reading. */
  readonly ended: EndedTrip | undefined
  /** The dongle was unplugged with this reading. */
  readonly isUnplug: boolean
  /** The dongle had reported as it does while the car drives. */
  readonly isBusy: boolean
}

/** What a reading teaches about the dongle and its car: what tells of the engine, how often it reports, how far its odometer is off. */
export function learn(progress: Progress, lesson: Lesson): void {
  learnPower(progress, lesson)
  learnIntervals(progress, lesson)
  if (lesson.isUnplug) progress.calibrations = []
  else if (lesson.ended) {
    const { track, speed, odometer } = lesson.ended.measured
    progress.calibrations = calibrationsAfter(progress.calibrations, odometer, pathLength(track.path, speed))
  }
}

/** Whether ignition and engine tell of driving in this car. */
function learnPower(progress: Progress, { reading, now, turn, wasParked, wasDriving }: Lesson): void {
  const { timeMs, word, silenceMs } = now
  if (turn.isIgnitionDoubted) progress.power = withDoubt(progress.power)
  if (word?.of !== 'engine' || word.isOn || now.motion !== 'moving') return
  if (wasDriving && (now.isByCar || now.departure))
    progress.power = withElectric(progress.power, Math.min(intervalOf(now), silenceMs))
  // With a record every few minutes, the first one of a drive may be the only one. The speed of the receiver is one of this moment.
  else if (wasParked && turn.trip && now.isByCar && isSpeedOfDriving(reading.gpsSpeedKmh)) {
    const driveMs = timeMs - turn.trip.measured.startMs
    progress.power = withElectric(progress.power, Math.min(intervalOf(now), driveMs))
  }
}

/** How often the dongle reports, while the car drives and until that is known while it is parked. */
function learnIntervals(progress: Progress, { reading, now, turn, wasDriving, isBusy }: Lesson): void {
  const { timeMs, lastMs } = now
  // A single long interval is a silence, and a car that stands with its ignition on reports as if parked.
  // A sample that reports only a word of ignition or engine is sent out of turn, in the middle of an interval.
  const regularMs = timeMs - (progress.beforeWordMs ?? lastMs ?? timeMs)
  const isRegular = (!isBusy || !isSeldom(regularMs, progress.cadenceMs)) && regularMs <= LONGEST_SILENCE_MS
  const hasDriven = wasDriving && turn.outcome === 'drives' && isMovingLately(turn.trip, timeMs)
  if (
    hasDriven &&
    isRegular &&
    isWholeInterval(turn.trip, lastMs) &&
    !now.isWordAlone &&
    !isLastWay(now.place, reading)
  )
    progress.cadenceMs = cadenceAfter(progress.cadenceMs, regularMs)
  progress.parkedMs =
    progress.cadenceMs === undefined && lastMs !== undefined
      ? parkedAfter(progress.parkedMs, timeMs - lastMs)
      : undefined
}

function intervalOf({ timeMs, lastMs }: Circumstances): number {
  return lastMs === undefined ? 0 : timeMs - lastMs
}

function isMovingLately(trip: OpenTrip | undefined, timeMs: number): boolean {
  return trip !== undefined && timeMs - trip.movedMs < MOTION_PAUSE_MS
}

/** The first interval after ignition on is a part of one. */
function isWholeInterval(trip: OpenTrip | undefined, lastMs: number | undefined): boolean {
  return trip === undefined || trip.opened.rule === 'motion' || trip.opened.timeMs !== lastMs
}

/** Fixes show a very short way for a long time: the car had stopped, and the dongle reports as while parked. */
function isLastWay(before: Place | undefined, { position, speedKmh, timeMs }: Reading): boolean {
  if (!before || !position || speedKmh !== undefined) return false
  return distanceM(before.position, position) <= LAST_WAY_M_PER_MS * (timeMs - before.lastMs)
}
