import { distanceM } from '../../model/earth.ts'
import type { Position } from '../../model/sample.ts'
import { completedM, odometerFrom, odometerM, readOdometer, unitKmOf } from './odometer.ts'
import {
  addSpeed,
  appendPath,
  goTo,
  isStandstillDrift,
  markOf,
  noSpeed,
  pathFrom,
  pathLength,
  pathMetres,
} from './path.ts'
import { isStandstill, type JudgedFix, METER_TYPES, type Reading } from './reading.ts'
import { addFix, appendRoute, emptyRoute } from './route.ts'
import {
  BLIND_MS,
  COARSEST_STEP_M,
  FASTEST_M_PER_MS,
  FIX_ERROR_M,
  LEAST_PROGRESS_M,
  MOTION_DISPLACEMENT_M,
  MOTION_KMH,
  MOTION_PAUSE_MS,
  SAME_MOMENT_MS,
  SHORTEST_TRIP_M,
  SHORTEST_TRIP_MS,
  SPEED_READING_MS,
  START_FIX_MS,
} from './rules.ts'
import {
  type Calibration,
  type ClosingRule,
  copyOfTrack,
  type Measured,
  type OpeningRule,
  type OpenTrip,
  type SpeedMark,
  type SpeedSums,
  type Track,
  type TripOdometer,
} from './state.ts'

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
    meters: METER_TYPES.map(() => undefined),
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
  const unitKm = odometer && unitKmOf(calibration, odometer)
  return odometer && unitKm !== undefined ? completedM(odometer, pathM, unitKm) : pathM
}

/** A reading in its context, for the trip that it belongs to. */
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

/** Measures one more reading. */
export function measure(measured: Measured, reading: Reading, known: ReadingInTrip): void {
  const { timeMs, odometerKm } = reading
  const { judged, silenceMs } = known
  addSpeed(measured.speed, reading, silenceMs, known.isSpeedBelieved)
  if (reading.position) follow(measured, reading.position, known, reading)
  if (odometerKm !== undefined) {
    const byPositionsM = positionsM(measured)
    if (measured.odometer) readOdometer(measured.odometer, odometerKm, timeMs, byPositionsM)
    else measured.odometer = odometerFrom(odometerKm, timeMs, byPositionsM)
  }
  if (reading.meters.length > 0) measured.meters = metersAfter(measured.meters, reading.meters)
  measured.endMs = timeMs
  measured.endPosition = judged.place?.position
  measured.couldTell ||= known.couldTell
  measured.hasMoved ||= known.hasMoved
  // It may have become a trip at a place where the car never was.
  if (judged.fix === 'returned') measured.isTrip = false
  measured.isTrip ||= isTrip(measured, known)
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
  { judged: { fix, place }, isUnmoved, cadenceMs }: ReadingInTrip,
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

/** The track if it turns out that the dongle has not left the place where it was last at some time. */
function trackUntil({ startMs, track }: Measured, lastMs: number): Track {
  return startMs <= lastMs ? copyOfTrack(track) : trackFrom(startMs, undefined, undefined, markOf(noSpeed(), startMs))
}

/** A track that begins at another place; how the dongle came there is not known. */
function trackElsewhere({ startMs, speed, track }: Measured, timeMs: number): Track {
  // Where nothing was driven by the other fixes, the speed since the begin shows the way to these.
  const mark = isProven(track) ? markOf(speed, timeMs) : markOf(noSpeed(), startMs)
  return trackFrom(startMs, undefined, undefined, mark)
}

function isTrip(measured: Measured, { isByWord, hasReceiver }: ReadingInTrip): boolean {
  const isLong =
    measured.endMs - measured.startMs >= SHORTEST_TRIP_MS || Math.round(lengthM(measured)) >= SHORTEST_TRIP_M
  return isLong && ((isByWord && isMotionPossible(measured)) || isDisplaced(measured, hasReceiver && !isByWord))
}

/** Something showed motion, or nothing could have. */
function isMotionPossible({ hasMoved, couldTell, odometer }: Measured): boolean {
  return hasMoved || !couldTell || (odometer !== undefined && odometerM(odometer) >= LEAST_PROGRESS_M)
}

/**
 * The car really went somewhere, as far as anything shows.
 * @param mustShow positions could show it, so a sensor of motion alone does not
 */
function isDisplaced({ track, speed, odometer, hasMoved }: Measured, mustShow: boolean): boolean {
  const byWheelM = !hasMoved ? 0 : track.path.hasFix ? speed.wheelM : speed.drivenM
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

/**
 * @param known where the dongle was last
 * @param from where the path begins; undefined if the way from there is unknown
 */
function trackFrom(startMs: number, known: Position | undefined, from: Position | undefined, mark: SpeedMark): Track {
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

/** The car drove here, so that a fix from elsewhere is more likely to be false. */
export function isProven(track: Track): boolean {
  return track.path.reachM >= track.path.provenAtM
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
function appendTrack(track: Track, next: Track): void {
  appendPath(track.path, next.path)
  appendRoute(track.route, next.route)
  track.fixCount += next.fixCount
}

// The measures of the length, and how far off it may be.

/** The measure that the length of a trip is based on (decisions.md, *Trips*, distance). */
export type LengthBasis =
  | 'odometer'
  | 'odometer completed by positions'
  | 'positions, no odometer'
  | 'positions, odometer unchanged'
  | 'positions, odometer doubted'
  | 'speed over time'
  | 'nothing measured'

/** Smaller differences are ignored: reports round to metres. */
const SAME_M = 1

export function lengthBasisOf(measured: Measured): LengthBasis {
  const { odometer, calibration, track } = measured
  const { hasFix } = track.path
  const bySpeed = positionsM(measured) > 0 ? 'speed over time' : 'nothing measured'
  if (!odometer) return hasFix ? 'positions, no odometer' : bySpeed
  const unitKm = unitKmOf(calibration, odometer)
  if (unitKm === undefined) return hasFix ? 'positions, odometer doubted' : bySpeed
  const byOdometerM = odometerM(odometer) * unitKm
  if (Math.abs(lengthM(measured) - byOdometerM) < SAME_M) return 'odometer'
  if (byOdometerM > 0) return 'odometer completed by positions'
  return hasFix ? 'positions, odometer unchanged' : 'speed over time'
}

/** One measure of the length of a trip, in metres. */
interface LengthMeasure {
  readonly metres: number
  /** The random error: one standard error. */
  readonly standardErrorM: number
  /** The share by which the instrument may be wrong systematically. */
  readonly systematicM: number
}

/** 'jumped': it went backwards or leapt in the trip. 'doubted': it counts too much or too little, so it does not count. */
export type OdometerState = 'kilometres' | 'miles' | 'doubted' | 'jumped'

/** All measures of the length of a trip; undefined if there is no data for one. */
export interface LengthMeasures {
  readonly odometer:
    | (LengthMeasure & {
        readonly state: OdometerState
        /** In thousandths of the unit of its instrument. */
        readonly shownM: number
      })
    | undefined
  /** Positions, with the speed between them. */
  readonly positions: LengthMeasure | undefined
  /** Speed over time alone, for the time in which it was reported. */
  readonly speed: LengthMeasure | undefined
}

/** Tyres of another size, worn, or soft: odometer and speed of a car count turns of the wheel. */
const WHEEL_SHARE = 0.02
/** The error of the bend model where all roads are straighter, or more winding, than those it was fitted to (`DETOUR` in path.ts). */
const PATH_SHARE = 0.02

export function lengthMeasuresOf(measured: Measured): LengthMeasures {
  const { odometer, calibration, track, speed } = measured
  const path = pathLength(track.path, speed)
  return {
    odometer: odometer && odometerMeasureOf(odometer, unitKmOf(calibration, odometer)),
    positions: track.path.hasFix ? measureOf(path.metres, path.varianceM2, PATH_SHARE) : undefined,
    speed: speed.reportedMs > 0 ? measureOf(speed.drivenM, speed.varianceM2, WHEEL_SHARE) : undefined,
  }
}

function odometerMeasureOf(odometer: TripOdometer, unitKm: number | undefined): LengthMeasures['odometer'] {
  const shownM = odometerM(odometer)
  const state = unitKm === undefined ? 'doubted' : unitKm === 1 ? 'kilometres' : 'miles'
  return {
    ...measureOf(shownM * (unitKm ?? 1), resolutionVarianceM2(odometer, unitKm ?? 1), WHEEL_SHARE),
    state: odometer.jumps > 0 ? 'jumped' : state,
    shownM,
  }
}

function measureOf(metres: number, varianceM2: number, share: number): LengthMeasure {
  return { metres, standardErrorM: Math.sqrt(varianceM2), systematicM: share * metres }
}

/** A reading without fractions of the resolution is off by up to one at each end: the difference of two even distributions. */
function resolutionVarianceM2({ resolutionM }: TripOdometer, unitKm: number): number {
  return (resolutionM * unitKm) ** 2 / 6
}

/** Of a normal distribution, 95 % lie within so many standard errors. */
const STANDARD_ERRORS = 2

/** How far the truth may be from a measure: chance averages out, so its variances add up; what is wrong all the time adds in full. */
export function errorM({ standardErrorM, systematicM }: LengthMeasure): number {
  return STANDARD_ERRORS * standardErrorM + systematicM
}

/** The length that counts, and the range in which the truth lies, in metres. */
export interface LengthRange {
  readonly leastM: number
  readonly countedM: number
  readonly mostM: number
}

/** Both ends of a trip. */
interface Ends {
  readonly opened: OpeningRule
  /** undefined while it may still go on. */
  readonly closed: ClosingRule | undefined
  /** The usual interval of the dongle. */
  readonly cadenceMs: number | undefined
}

/**
 * The range in which the true length of this trip lies, 19 times of 20: two standard errors and the systematic share to either
 * side of what counts (`errorM`), never below zero.
 *
 * By positions, the variance is the sum of that of each piece of the path. By the odometer, it is that of its
 * resolution, and of the path where the odometer does not cover it, in proportion to the metres there. An odometer that
 * shows whole kilometres is completed by positions: where they agree and know better, the range is theirs.
 *
 * A dongle without ignition or engine misses what was driven slower than motion before it was seen to drive and after; so the
 * truth may be more by that speed for an interval at each such end. Fixes show where the car stood, so that the path misses
 * nothing.
 */
export function lengthRangeOf(measured: Measured, ends: Ends): LengthRange {
  const { odometer, calibration, track, speed } = measured
  const path = pathLength(track.path, speed)
  const { hasFix } = track.path
  const byPath = measureOf(path.metres, path.varianceM2, hasFix ? PATH_SHARE : WHEEL_SHARE)
  const unitKm = odometer && unitKmOf(calibration, odometer)
  if (!odometer || unitKm === undefined) return around(path.metres, byPath, hasFix ? 0 : unseenM(ends))
  const countedM = completedM(odometer, path.metres, unitKm)
  const coveredM = Math.max(0, odometer.lastPathM - odometer.firstPathM)
  const uncoveredShare = path.metres > 0 ? 1 - Math.min(1, coveredM / path.metres) : 0
  const varianceM2 = resolutionVarianceM2(odometer, unitKm) + uncoveredShare * path.varianceM2
  const range = around(countedM, measureOf(countedM, varianceM2, WHEEL_SHARE), unseenM(ends))
  const isCoarse = odometer.resolutionM >= COARSEST_STEP_M
  return hasFix && isCoarse ? narrower(range, around(path.metres, byPath, 0)) : range
}

function around(countedM: number, by: LengthMeasure, unseen: number): LengthRange {
  const offM = errorM(by)
  return { leastM: Math.max(0, countedM - offM), countedM, mostM: countedM + offM + unseen }
}

/** Of two measures that agree, the one that knows better. */
function narrower(range: LengthRange, other: LengthRange): LengthRange {
  const { leastM, countedM, mostM } = range
  const agrees = other.leastM <= countedM && countedM <= other.mostM
  const isNarrower = other.mostM - other.leastM < mostM - leastM
  return agrees && isNarrower ? { ...other, countedM } : range
}

function unseenM({ opened, closed, cadenceMs = 0 }: Ends): number {
  const isBeginReported = opened === 'ignition on' || opened === 'engine on'
  const isEndReported = closed === 'ignition off' || closed === 'engine off' || closed === undefined
  const unseenEnds = (isBeginReported ? 0 : 1) + (isEndReported ? 0 : 1)
  return (unseenEnds * MOTION_KMH * Math.max(cadenceMs, SAME_MOMENT_MS)) / 3600
}
