import type { Position } from '../../../model/sample.ts'
import { type Calibration, verdictOn } from './calibration.ts'
import { copyOfTrack } from './copies.ts'
import { isStandstill } from './evidence.ts'
import { type MeterReadings, noMeters, readMeters } from './meters.ts'
import { completedM, type Odometer, odometerFrom, odometerM, readOdometer } from './odometer.ts'
import { pathMetres } from './path.ts'
import type { Judgement } from './place.ts'
import type { Reading } from './reading.ts'
import { LEAST_PROGRESS_M, MOTION_DISPLACEMENT_M, SHORTEST_TRIP_M, SHORTEST_TRIP_MS } from './rules.ts'
import { addSpeed, markOf, noSpeed, type Speed } from './speed.ts'
import { appendTrack, goOn, isProven, type Track, trackFrom } from './track.ts'

/** What was measured of a trip, from its begin up to a sample. Changed in place by each reading. */
export interface Measured {
  readonly startMs: number
  endMs: number
  endPosition: Position | undefined
  readonly speed: Speed
  /** What the positions tell that are believed. */
  track: Track
  /** What those of another place tell, as long as it may turn out to be the true one. */
  otherTrack: Track | undefined
  odometer: Odometer | undefined
  /** What the trips before told of the odometer. */
  readonly calibration: Calibration
  readonly meters: MeterReadings
  /** Something could tell whether the car moved, and something told that it did. */
  couldTell: boolean
  hasMoved: boolean
  /** Long enough to be a trip: once it was, it stays one. */
  isTrip: boolean
}

/**
 * The begin of a trip, before its first reading is measured.
 * @param known where the dongle was last.
 * @param stoodThere nothing suggests that the car moved since.
 */
export function measuredFrom(
  startMs: number,
  known: Position | undefined,
  stoodThere: boolean,
  calibration: Calibration,
): Measured {
  const speed = noSpeed()
  return {
    startMs,
    endMs: startMs,
    endPosition: known,
    speed,
    track: trackFrom(startMs, known, stoodThere ? known : undefined, markOf(speed, startMs)),
    otherTrack: undefined,
    odometer: undefined,
    calibration,
    meters: noMeters(),
    couldTell: false,
    hasMoved: false,
    isTrip: false,
  }
}

/** Metres by positions and speed over time. */
export function positionsM({ track, speed }: Pick<Measured, 'track' | 'speed'>): number {
  return pathMetres(track.path, speed)
}

/** Metres of the trip (decisions.md, *Trips*, distance). */
export function lengthM(measured: Measured): number {
  const { odometer, calibration } = measured
  const pathM = positionsM(measured)
  if (!odometer) return pathM
  const verdict = verdictOn(calibration, odometer)
  return verdict.kind === 'doubted' ? pathM : completedM(odometer, pathM, verdict.unitKm)
}

/** What follows from a reading and what was known before, for the trip that it belongs to. */
interface ReadingInTrip {
  readonly judgement: Judgement
  /** The speed still counts: the car did not drive blind for too long. */
  readonly isSpeedBelieved: boolean
  readonly isUnmoved: boolean
  /** The usual interval while the car drives. */
  readonly cadenceMs: number | undefined
  readonly silenceMs: number
  readonly couldTell: boolean
  readonly hasMoved: boolean
  /** The dongle has told positions within a day. */
  readonly hasReceiver: boolean
  /** Ignition or engine say that the car is driven, so that little else must prove it. */
  readonly isByWord: boolean
}

/** Measures one more reading. */
export function measure(measured: Measured, reading: Reading, known: ReadingInTrip): void {
  const { timeMs, odometerKm } = reading
  const { judgement, silenceMs } = known
  addSpeed(measured.speed, reading, silenceMs, known.isSpeedBelieved)
  if (reading.position) follow(measured, reading.position, known, reading)
  if (odometerKm !== undefined) {
    const byPositionsM = positionsM(measured)
    if (measured.odometer) readOdometer(measured.odometer, odometerKm, timeMs, byPositionsM)
    else measured.odometer = odometerFrom(odometerKm, timeMs, byPositionsM)
  }
  readMeters(measured.meters, reading)
  measured.endMs = timeMs
  measured.endPosition = judgement.place?.position
  measured.couldTell ||= known.couldTell
  measured.hasMoved ||= known.hasMoved
  // What made it a trip may have happened at a place where the car never was.
  if (judgement.fix === 'returned') measured.isTrip = false
  measured.isTrip ||= isTrip(measured, known)
}

/** Goes on with the track that the fix belongs to. */
function follow(
  measured: Measured,
  position: Position,
  { judgement: { fix, place }, isUnmoved, cadenceMs }: ReadingInTrip,
  { timeMs, speedKmh }: Reading,
): void {
  if (fix === 'none' || fix === 'refused') return
  const { speed } = measured
  const isStanding = isStandstill(speedKmh) || (isUnmoved && speedKmh === undefined)
  const rival = place?.rival
  if (fix === 'elsewhere') {
    if (rival?.count === 1 || !measured.otherTrack) measured.otherTrack = trackElsewhere(measured, timeMs)
    goOn(measured.otherTrack, position, false, isStanding, speed, timeMs, cadenceMs)
    return
  }
  const other = measured.otherTrack
  const { path } = measured.track
  const former = fix === 'agreed' && rival ? trackUntil(measured, rival.lastMs) : undefined
  if (fix === 'agreed' && other?.path.first && !path.hasFix)
    goOn(measured.track, other.path.first, false, false, speed, other.path.countedMark.timeMs, cadenceMs)
  else if (fix === 'jumped') {
    measured.otherTrack = measured.track
    measured.track = other ?? trackElsewhere(measured, timeMs)
  } else if (fix === 'returned') measured.track = other ?? trackElsewhere(measured, timeMs)
  else if (fix === 'confirmed' && other) appendTrack(measured.track, other)
  if (!rival) measured.otherTrack = undefined
  else if (former) measured.otherTrack = former
  goOn(measured.track, position, fix === 'repeated', isStanding, speed, timeMs, cadenceMs)
}

/** What the positions tell if it turns out that the dongle has not left the place where it was last at some time. */
function trackUntil({ startMs, track }: Measured, lastMs: number): Track {
  return startMs <= lastMs ? copyOfTrack(track) : trackFrom(startMs, undefined, undefined, markOf(noSpeed(), startMs))
}

/** A track that begins at another place; how the dongle came there is not known. */
function trackElsewhere({ startMs, speed, track }: Measured, timeMs: number): Track {
  // Where nothing was driven by the other fixes, the speed since the begin tells of the way to these.
  const mark = isProven(track) ? markOf(speed, timeMs) : markOf(noSpeed(), startMs)
  return trackFrom(startMs, undefined, undefined, mark)
}

function isTrip(measured: Measured, { isByWord, hasReceiver }: ReadingInTrip): boolean {
  const isLong =
    measured.endMs - measured.startMs >= SHORTEST_TRIP_MS || Math.round(lengthM(measured)) >= SHORTEST_TRIP_M
  return isLong && ((isByWord && isMotionPossible(measured)) || isDisplaced(measured, hasReceiver && !isByWord))
}

/** Something told of motion, or nothing could have. */
function isMotionPossible({ hasMoved, couldTell, odometer }: Measured): boolean {
  return hasMoved || !couldTell || (odometer !== undefined && odometerM(odometer) >= LEAST_PROGRESS_M)
}

/**
 * Whether the car really went somewhere, as far as anything tells.
 * @param mustShow positions could show it, so a sensor of motion alone does not
 */
function isDisplaced({ track, speed, odometer, hasMoved }: Measured, mustShow: boolean): boolean {
  const byWheelM = !hasMoved ? 0 : track.path.hasFix ? speed.wheelM : speed.drivenM
  if (isProven(track) || byWheelM >= MOTION_DISPLACEMENT_M) return true
  if (odometer && odometerM(odometer) >= MOTION_DISPLACEMENT_M) return true
  return !mustShow && !track.path.hasFix && speed.kmh === undefined && odometer === undefined
}
