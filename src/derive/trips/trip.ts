import { distanceM, MOST_ERRORS } from '../../model/earth.ts'
import type { Position } from '../../model/sample.ts'
import {
  calibrationsAfter,
  completedM,
  odometerFrom,
  odometerM,
  readOdometer,
  scaleOf,
  speedCalibrationsAfter,
  sumOf,
  unitKmOf,
} from './odometer.ts'
import {
  addSpeed,
  appendPath,
  goTo,
  isStandstillDrift,
  type Length,
  markOf,
  noSpeed,
  pathFrom,
  pathLength,
  speedCheck,
} from './path.ts'
import { type Fix, INVENTED_KMH, isNext, isStandstill, type JudgedFix, METER_TYPES, type Reading } from './reading.ts'
import { addFix, appendRoute, emptyRoute, newestOf, routeText } from './route.ts'
import {
  AGREEING_FIXES,
  BLIND_MS,
  FASTEST_M_PER_MS,
  FIX_ERROR_M,
  LEAST_PROGRESS_M,
  MOTION_DISPLACEMENT_M,
  MOTION_KMH,
  MOTION_PAUSE_MS,
  SHORTEST_TRIP_M,
  SHORTEST_TRIP_MS,
  SPEED_READING_MS,
  START_FIX_MS,
  STAY_RADIUS_M,
  TOWN_M_PER_MS,
  UNMOVED_MS,
  UNSEEN_WAY_M,
} from './rules.ts'
import {
  type Cause,
  type ClosingRule,
  copyOfMeasured,
  copyOfTrack,
  type EndedTrip,
  type Measured,
  type OpeningRule,
  type OpenTrip,
  type Progress,
  type RivalPlace,
  type SpeedMark,
  type SpeedSums,
  type Track,
} from './state.ts'

/** The begin of a trip, before its first reading.
 * @param known the last place @param stoodThere nothing suggests motion since */
export function measuredFrom(
  startMs: number,
  known: Position | undefined,
  stoodThere: boolean,
  { calibrations, speedCalibrations }: Progress,
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
    calibration: sumOf(calibrations),
    speedScale: scaleOf(speedCalibrations),
    meters: METER_TYPES.map(() => undefined),
    couldTell: false,
    hasMoved: false,
    isTrip: false,
  }
}

/** The length by positions and speed over time. */
function lengthByPositions({ track, otherTrack, speed }: Readonly<Measured>): Length {
  return pathLength(track.path, speed, otherTrack !== undefined && isProven(otherTrack))
}

function positionsM(measured: Measured): number {
  return lengthByPositions(measured).metres
}

/** The length of the trip (decisions.md, *Trips*, distance), beside that by positions and speed, and the unit of the odometer. */
export function lengthOf(measured: Readonly<Measured>) {
  const { odometer, calibration } = measured
  const path = lengthByPositions(measured)
  const unitKm = odometer && unitKmOf(calibration, odometer, path)
  const metres = odometer && unitKm !== undefined ? completedM(odometer, path.metres, unitKm) : path.metres
  return { path, unitKm, metres }
}

export function lengthM(measured: Readonly<Measured>): number {
  return lengthOf(measured).metres
}

/** What the instruments of the car tell in the last trips, after one more. */
export function learnt(
  { calibrations, speedCalibrations }: Progress,
  measured: Readonly<Measured>,
): Pick<Progress, 'calibrations' | 'speedCalibrations'> {
  const path = lengthByPositions(measured)
  const { reportedM, foundM } = speedCheck(measured.track.path)
  const speed = { reportedM: reportedM / measured.speedScale, foundM }
  return {
    calibrations: calibrationsAfter(calibrations, measured.odometer, path),
    speedCalibrations: speedCalibrationsAfter(speedCalibrations, speed, path),
  }
}

interface ReadingInTrip {
  readonly judged: JudgedFix
  /** The speed still counts: the car did not drive blind for too long. */
  readonly isSpeedBelieved: boolean
  readonly isUnmoved: boolean
  /** The usual interval while the car drives. */
  readonly cadenceMs: number | undefined
  readonly silenceMs: number
  readonly couldTell: boolean
  readonly hasMoved: boolean
  /** The dongle has reported positions within a day. */
  readonly hasReceiver: boolean
  /** Ignition or engine say that the car is driven, so that little else must prove it. */
  readonly isByWord: boolean
}

export function measure(measured: Measured, reading: Reading, known: ReadingInTrip): void {
  const { timeMs, odometerKm } = reading
  const { judged, silenceMs } = known
  const hadOther = measured.otherTrack !== undefined
  addSpeed(measured.speed, reading, measured.speedScale, silenceMs, known.isSpeedBelieved)
  if (reading.position) follow(measured, reading.position, known, reading)
  if (odometerKm !== undefined) {
    const byPositionsM = positionsM(measured)
    const { odometer, track } = measured
    if (odometer) readOdometer(odometer, odometerKm, timeMs, byPositionsM, track.path.fixMark.timeMs > odometer.lastMs)
    else measured.odometer = odometerFrom(odometerKm, timeMs, byPositionsM)
  }
  if (reading.meters.length > 0) measured.meters = metersAfter(measured.meters, reading.meters)
  measured.endMs = timeMs
  measured.endPosition = judged.place?.position
  measured.couldTell ||= known.couldTell
  measured.hasMoved ||= known.hasMoved
  // It may have become a trip at a place where the car never was.
  if (hadOther && !measured.otherTrack) measured.isTrip = false
  measured.isTrip ||= isTrip(measured, known.isByWord, known.hasReceiver)
}

/** First and last readings of the meters after one more sample. */
function metersAfter(before: Measured['meters'], readings: Reading['meters']): Measured['meters'] {
  return before.map((ends, meter) => {
    const reading = readings[meter]
    return reading === undefined ? ends : [ends?.[0] ?? reading, reading]
  })
}

/** Goes on with the track that the fix belongs to. */
function follow(
  measured: Measured,
  position: Position,
  { judged: { fix, place }, isUnmoved, cadenceMs, isByWord }: ReadingInTrip,
  reading: Reading,
): void {
  const { timeMs, speedKmh, errorM } = reading
  if (fix === 'none' || fix === 'refused') return
  const { speed, otherTrack: other } = measured
  // Where fixes stayed in one place for a minute of the trip, a speed of driving is stuck.
  const isFast = speedKmh !== undefined && speedKmh > INVENTED_KMH && timeMs - measured.startMs >= UNMOVED_MS
  const isStanding = isStandstill(speedKmh) || (isUnmoved && (speedKmh === undefined || isFast))
  const rival = place?.rival
  if (fix === 'elsewhere') {
    measured.otherTrack = (rival?.count !== 1 && other) || trackElsewhere(measured)
    goOn(measured.otherTrack, position, false, isStanding, speed, timeMs, cadenceMs)
    return
  }
  const { path } = measured.track
  const former = fix === 'agreed' && rival ? trackUntil(measured, rival.lastMs) : undefined
  if (fix === 'agreed' && other?.path.first && !path.hasFix)
    goOn(measured.track, other.path.first, false, false, speed, other.path.countedMark.timeMs, cadenceMs)
  else if (isOtherTrack(fix) && (other || fix !== 'confirmed'))
    believeOther(measured, fix, other ?? trackElsewhere(measured))
  if (!rival) measured.otherTrack = undefined
  else if (former) measured.otherTrack = former
  if (isNext(fix) && !isByWord) leaveOrReturn(measured, position, fix, reading)
  const { counted, first: origin = position } = measured.track.path
  // As near as that, a coarse fix adds nothing.
  const isCoarse = errorM > STAY_RADIUS_M && distanceM(counted ?? origin, position) <= MOST_ERRORS * errorM
  if (isCoarse && isNext(fix)) return
  goOn(measured.track, position, fix === 'repeated', isStanding, speed, timeMs, cadenceMs)
}

/** decisions.md, *Trips*, a parked car: one or two fixes away that nothing else confirms are none of a car that is back
 * sooner, or from nearer, than anybody is on an errand. */
function leaveOrReturn(measured: Measured, position: Position, fix: Fix, reading: Reading): void {
  const { startMs, track, speed, odometer } = measured
  const { first, provenAtM, reachM, awayCount } = track.path
  const isMotion = reading.isMoving === true || (reading.speedKmh ?? 0) > MOTION_KMH
  const offM = first ? distanceM(first, position) : 0
  if (offM >= provenAtM && fix !== 'repeated') track.path.awayCount += isMotion ? AGREEING_FIXES : 1
  if (!first || awayCount === 0 || awayCount >= AGREEING_FIXES || isMotion || offM >= provenAtM / 2) return
  const isErrand = reachM >= UNSEEN_WAY_M && 2 * reachM <= TOWN_M_PER_MS * (reading.timeMs - startMs)
  if (isErrand || (odometer && odometerM(odometer) > 0)) return
  measured.track = trackFrom(startMs, first, first, markOf(speed, reading.timeMs))
  measured.track.path.provenAtM = provenAtM
  leaveFrom(measured.track, first, first)
  measured.isTrip = false
}

/** Another track is believed from now on than the one so far. */
export function isOtherTrack(fix: Fix): boolean {
  return fix === 'jumped' || fix === 'returned' || fix === 'confirmed'
}

function believeOther(measured: Measured, fix: Fix, other: Track): void {
  const { track } = measured
  if (fix === 'confirmed') appendTrack(track, other)
  else measured.track = other
  measured.otherTrack = fix === 'confirmed' ? undefined : track
}

/** A trip that had ended, once a later fix shows which track is right. @param rival as it was before that fix */
export function judgedAgain(trip: EndedTrip, fix: Fix, rival: RivalPlace | undefined): EndedTrip {
  const { otherTrack: other, endMs, isTrip: wasTrip } = trip.measured
  if (!other) return trip
  const measured = copyOfMeasured(trip.measured)
  const isOther = isOtherTrack(fix)
  // It follows the fixes from that place, and they were more than stray ones.
  const isRight = isOther && rival !== undefined && rival.firstMs <= endMs && (fix === 'returned' || isProven(other))
  if (isRight) {
    // A car that drove here until then went on there.
    believeOther(measured, fix === 'jumped' && isProven(measured.track) ? 'confirmed' : fix, copyOfTrack(other))
    measured.endPosition = lastPositionOf(measured.track)
  } else {
    measured.otherTrack = undefined
    // What the receiver said of its speed meanwhile is as false as those fixes.
    if (!isOther) measured.track.path.hasFix = true
  }
  const isByWord = trip.opened.rule !== 'motion'
  measured.isTrip = (wasTrip && isByWord) || ((wasTrip || isRight) && isTrip(measured, false, true))
  return { ...trip, measured }
}

function lastPositionOf({ route, startPosition }: Track): Position | undefined {
  return route.isEmpty ? startPosition : newestOf(route)
}

/** As long as nothing shows which track is right: a car that drove elsewhere, and nowhere here, was there. */
export function likelier(measured: Readonly<Measured>): Readonly<Measured> {
  const { track, otherTrack: other } = measured
  if (!other || isProven(track) || !isProven(other)) return measured
  return { ...measured, track: other, endPosition: lastPositionOf(other) }
}

/** The track if it turns out that the dongle has not left the place where it was last at some time. */
function trackUntil({ startMs, track }: Measured, lastMs: number): Track {
  return startMs <= lastMs ? copyOfTrack(track) : trackFrom(startMs, undefined, undefined, markOf(noSpeed(), startMs))
}

/** A track that begins at another place; how the dongle came there is not known. */
function trackElsewhere({ startMs, track }: Measured): Track {
  // The speed shows the way to these fixes: since the begin, where nothing was driven by the other ones.
  const mark = isProven(track) ? track.path.fixMark : markOf(noSpeed(), startMs)
  return trackFrom(startMs, undefined, undefined, mark)
}

function isTrip(measured: Measured, isByWord: boolean, hasReceiver: boolean): boolean {
  const isLong =
    measured.endMs - measured.startMs >= SHORTEST_TRIP_MS || Math.round(lengthM(measured)) >= SHORTEST_TRIP_M
  return isLong && ((isByWord && isMotionPossible(measured)) || isDisplaced(measured, hasReceiver && !isByWord))
}

/** Something showed motion, or nothing could have. */
function isMotionPossible({ hasMoved, couldTell, odometer }: Measured): boolean {
  return hasMoved || !couldTell || (odometer !== undefined && odometerM(odometer) >= LEAST_PROGRESS_M)
}

/** The car really went somewhere. @param mustShow positions could show it, so a sensor of motion alone does not */
function isDisplaced(measured: Measured, mustShow: boolean): boolean {
  const { track, speed, odometer, hasMoved } = measured
  // A fix contradicts the speed of the receiver, unless the next ones lead on elsewhere.
  const isSpeedAlone = !track.path.hasFix || likelier(measured) !== measured
  const byWheelM = !hasMoved ? 0 : isSpeedAlone ? speed.drivenM : speed.wheelM
  if (isProven(track) || byWheelM >= MOTION_DISPLACEMENT_M) return true
  if (odometer && odometerM(odometer) >= MOTION_DISPLACEMENT_M) return true
  return !mustShow && !track.path.hasFix && speed.kmh === undefined && odometer === undefined
}

// The trip that is on may have ended with its pause.

/** The part of a trip that is certain, whatever comes next. */
export function measuredForSure(trip: OpenTrip): Readonly<Measured> {
  return trip.pause?.measured ?? trip.measured
}

/** The trip as it would be if nothing more came. */
export function measuredSoFar(trip: OpenTrip): Readonly<Measured> {
  return isAwake(trip) ? trip.measured : measuredForSure(trip)
}

/** A car reports its speed only while it is awake, so someone is in it: a car that stood at the end was still on its trip. */
export function isAwake({ pause, measured: { endMs, speed } }: OpenTrip): boolean {
  if (pause?.rule !== 'no motion') return pause === undefined
  return endMs - speed.awakeMs <= SPEED_READING_MS
}

/** A trip is still open at an instant: the car has not stood for as long as a parked car does. */
export function isPausedBriefly({ pause }: OpenTrip, untilMs: number): boolean {
  if (!pause) return true
  return pause.rule === 'no motion' && untilMs - Math.min(pause.sinceMs, pause.measured.endMs) < MOTION_PAUSE_MS
}

// The track of the positions of one place.

/** @param known where the dongle was last
 * @param from where the path begins; undefined if the way from there is unknown */
function trackFrom(startMs: number, known: Position | undefined, from: Position | undefined, mark: SpeedMark): Track {
  return { startMs, startPosition: known, path: pathFrom(from, mark), route: emptyRoute(), fixCount: 0 }
}

/** The car surely left from there: fixes lead from there on. @param middle of the place where it stood */
export function leaveFrom(track: Track, position: Position, middle: Position): void {
  track.startPosition = position
  track.path.hasFix = true
  track.path.counted = position
  track.path.first = middle
  addFix(track.route, position)
}

/** The car drove here, so that a fix from elsewhere is more likely to be false. */
export function isProven(track: Track): boolean {
  return track.path.reachM >= track.path.provenAtM
}

/** On the trip that is on, the car drove where it is believed to be. */
export function hasDrivenHere({ trip }: Progress): boolean {
  return trip !== undefined && isProven(trip.measured.track)
}

/** Goes on to a fix that is believed, unless it adds nothing to path and route. */
function goOn(
  track: Track,
  position: Position,
  isRepeated: boolean,
  isStanding: boolean,
  speed: SpeedSums,
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

/** The first fix: the trip began there, if it comes soon, else at the last known place. If the car stood there and had
 * the time to drive, the path leads from there; not if the fix comes at once. */
function begin(track: Track, position: Position, timeMs: number): void {
  const { startMs, startPosition: known, path } = track
  const sinceStartMs = timeMs - startMs
  const isReachable = known !== undefined && distanceM(known, position) <= FASTEST_M_PER_MS * sinceStartMs + FIX_ERROR_M
  if (!isReachable || sinceStartMs < BLIND_MS) path.counted = undefined
  if (!isReachable) path.first = undefined
  if (!isReachable || sinceStartMs <= START_FIX_MS) track.startPosition = position
}

/** The car was elsewhere for so long that it must be true: the way there is not known. */
function appendTrack(track: Track, next: Track): void {
  appendPath(track.path, next.path)
  appendRoute(track.route, next.route)
  track.fixCount += next.fixCount
}

// The trip as it is reported.

/** Readings of one meter at both ends of a trip, by the id of its event type. */
type Meters = Readonly<Record<string, { readonly start: number; readonly end: number }>>

/** A trip as the samples show it. Lengths are whole metres and seconds, so that sums add up. */
export interface DerivedTrip {
  readonly startMs: number
  readonly endMs: number
  readonly distanceM: number
  readonly durationS: number
  /** undefined when there was no usable position. */
  readonly startPosition: Position | undefined
  readonly endPosition: Position | undefined
  readonly meters: Meters
  /** Encoded polyline (precision 5): `text` follows the first `kept` characters, which were handed out before. */
  readonly route: { readonly kept: number; readonly text: string }
  /** Positions that counted. */
  readonly fixCount: number
  /** Being driven as far as the samples show: neither ended nor with ignition or engine off. */
  readonly isRunning: boolean
  /** Without anything new until then, it has ended (decisions.md, *Trips*, silence). */
  readonly silentFromMs: number
  readonly opened: Cause<OpeningRule>
  /** undefined while it may still go on. */
  readonly closed: Cause<ClosingRule> | undefined
  /** The two measures of its length, in metres; undefined where there are no readings. */
  readonly odometerM: number | undefined
  readonly positionsM: number | undefined
}

export function endedTripOf({ opened, closed, measured }: EndedTrip): DerivedTrip {
  return derivedTripOf(measured, { isRunning: false, silentFromMs: measured.endMs, opened, closed })
}

/** A trip that may go on; undefined while it is too short. Ignition off stops it; standing does not, as lights would.
 * @param silenceMs without data is a silence for this dongle */
export function openTripOf(trip: OpenTrip, silenceMs: number): DerivedTrip | undefined {
  if (!measuredForSure(trip).isTrip) return undefined
  const isRunning = trip.pause === undefined || trip.pause.rule === 'no motion'
  const measured = measuredSoFar(trip)
  const silentFromMs = measured.endMs + silenceMs
  return derivedTripOf(measured, { isRunning, silentFromMs, opened: trip.opened, closed: undefined })
}

function derivedTripOf(
  before: Readonly<Measured>,
  state: Pick<DerivedTrip, 'isRunning' | 'silentFromMs' | 'opened' | 'closed'>,
): DerivedTrip {
  const measured = likelier(before)
  const { startMs, endMs, endPosition, odometer } = measured
  const { startPosition, path, route, fixCount } = measured.track
  return {
    startMs,
    endMs,
    distanceM: Math.round(lengthM(measured)),
    durationS: Math.round((endMs - startMs) / 1000),
    startPosition,
    endPosition,
    meters: metersOf(measured.meters),
    route: { kept: route.kept, text: routeText(route) },
    fixCount,
    ...state,
    odometerM: odometer && Math.round(odometerM(odometer)),
    positionsM: path.hasFix ? Math.round(positionsM(measured)) : undefined,
  }
}

/** Without the meters that were never read. */
function metersOf(readings: Measured['meters']): Meters {
  const meters: Record<string, { start: number; end: number }> = {}
  METER_TYPES.forEach(({ id }, meter) => {
    const ends = readings[meter]
    if (ends) meters[id] = { start: ends[0], end: ends[1] }
  })
  return meters
}
