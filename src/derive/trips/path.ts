import { distanceM, eastwardDegrees, METRES_PER_DEGREE_NORTH, metresPerDegreeEast } from '../../model/earth.ts'
import type { Position } from '../../model/sample.ts'
import type { Reading } from './reading.ts'
import {
  BLIND_MS,
  FROZEN_FIX_MS,
  MISSED_INTERVALS,
  MOTION_DISPLACEMENT_M,
  SAME_MOMENT_MS,
  STANDSTILL_DRIFT_M,
  STEP_M,
  TOWN_DETOUR,
  TOWN_M_PER_MS,
} from './rules.ts'
import type { Calibration, Path, SpeedMark, SpeedSums, Stretch } from './state.ts'

// The path of a trip, by its fixes and the speed between them.

/** @param from where the car surely was at `mark` */
export function pathFrom(from: Position | undefined, mark: SpeedMark): Path {
  return {
    hasFix: false,
    countedM: 0,
    varianceM2: 0,
    counted: from,
    countedMark: mark,
    stretch: noStretch(),
    reportedM: 0,
    foundM: 0,
    fixMark: mark,
    headingRad: undefined,
    isStanding: false,
    first: from,
    reachM: 0,
    provenAtM: MOTION_DISPLACEMENT_M,
    awayCount: 0,
  }
}

/** Metres along the path, with their squared standard error. The way since the last fix counts by speed: without any fix, one
 * that was reported for more than a moment; with fixes that might show it and did not, one that changes, as others are stuck.
 * @param isElsewhere fixes show that the car went on, though where is not decided */
export function pathLength(path: Path, speed: SpeedSums, isElsewhere: boolean): Length {
  const open = judged(path)
  const blind = drivenSince(speed, path.fixMark)
  if (!path.hasFix && blind.reportedMs < BLIND_MS) return { metres: path.countedM, varianceM2: path.varianceM2 }
  return {
    metres: path.countedM + open.metres + (path.hasFix && !isElsewhere ? blind.variedM : blind.metres),
    varianceM2: path.varianceM2 + open.varianceM2 + blind.varianceM2,
  }
}

/** A fix only repeats where the car stands, give or take the error of the receiver. */
export function isStandstillDrift(path: Path, position: Position, isStanding: boolean): boolean {
  return (
    isStanding &&
    path.isStanding &&
    path.counted !== undefined &&
    distanceM(path.counted, position) <= STANDSTILL_DRIFT_M
  )
}

/** Goes on to the next fix, in steps, so that noise of a standing receiver adds nothing.
 * @param cadenceMs usual while driving */
export function goTo(
  path: Path,
  position: Position,
  isStanding: boolean,
  speed: SpeedSums,
  timeMs: number,
  cadenceMs: number | undefined,
): void {
  const { counted, countedMark } = path
  const hasStopped = isStanding && !path.isStanding
  const mark = markOf(speed, timeMs)
  const unseenMs = timeMs - path.fixMark.timeMs
  path.hasFix = true
  path.isStanding = isStanding
  path.fixMark = mark
  path.first ??= position
  if (path.reachM < path.provenAtM) path.reachM = Math.max(path.reachM, distanceM(path.first, position))
  if (!counted) {
    const before = drivenSince(speed, countedMark)
    path.countedM = before.metres
    path.varianceM2 = before.varianceM2
    path.counted = position
    path.countedMark = mark
    return
  }
  const chordM = distanceM(counted, position)
  // The first standing fix is counted up to, so that drift from there on is drift around that place.
  // While a speed goes on, a fix that stays shows that it goes nowhere.
  const driven = drivenSince(speed, countedMark)
  if (chordM < STEP_M && !hasStopped && driven.metres < STUCK_M) return
  const headingRad = chordM >= STEP_M ? headingOf(counted, position) : undefined
  const turnRad =
    headingRad === undefined || path.headingRad === undefined ? undefined : turnOf(path.headingRad, headingRad)
  const { stretch } = path
  if (!stretch.runFrom || (turnRad ?? 0) > SHARP_TURN_RAD) stretch.runFrom = counted
  stretch.reachM = Math.max(stretch.reachM, distanceM(stretch.runFrom, position))
  addPiece(path, chordM, timeMs - countedMark.timeMs, unseenMs, turnRad, driven, cadenceMs)
  path.counted = position
  path.countedMark = mark
  if (path.stretch.chordsM >= STRETCH_M) settle(path)
  // A fix that went on as far shows that the speed is not stuck.
  if (chordM * UNSEEN_ROAD >= driven.metres) speed.heldSinceMs = timeMs
  if (headingRad !== undefined) path.headingRad = headingRad
}

/** What was judged together counts. */
function settle(path: Path): void {
  const { metres, varianceM2, bySpeedM } = judged(path)
  path.countedM += metres
  path.varianceM2 += varianceM2
  path.reportedM += path.stretch.speedM
  path.foundM += bySpeedM
  path.stretch = noStretch()
}

/** The path of the place where the car went on: what lies between is not counted. */
export function appendPath(path: Path, next: Path): void {
  settle(path)
  path.countedM += next.countedM
  path.varianceM2 += next.varianceM2
  path.reportedM += next.reportedM
  path.foundM += next.foundM
  path.counted = next.counted
  path.countedMark = next.countedMark
  path.stretch = next.stretch
  path.fixMark = next.fixMark
  path.headingRad = next.headingRad
  path.isStanding = next.isStanding
}

function headingOf(from: Position, to: Position): number {
  const eastM = eastwardDegrees(from.lon, to.lon) * metresPerDegreeEast(from.lat)
  return Math.atan2((to.lat - from.lat) * METRES_PER_DEGREE_NORTH, eastM)
}

function turnOf(before: number, after: number): number {
  const turn = Math.abs(after - before)
  return turn > Math.PI ? 2 * Math.PI - turn : turn
}

// The sums of speed.

export function noSpeed(): SpeedSums {
  return {
    kmh: undefined,
    timeMs: -Infinity,
    awakeMs: -Infinity,
    meanMs: -Infinity,
    heldSinceMs: -Infinity,
    drivenM: 0,
    heldM: 0,
    reportedMs: 0,
    varianceM2: 0,
    wheelM: 0,
  }
}

/** Speeds change meanwhile: of a second between two readings little is unknown, of five minutes most. */
const UNKNOWN_SHARE_PER_MS = 5e-6
const MOST_UNKNOWN_SHARE = 0.6
/** A car that stood at both readings may have moved between them. */
const UNSEEN_M_PER_MS = 0.003
/** The mean of an interval may be one of a slightly different interval. */
const MEAN_ERROR = 0.03
/** It is unknown when between two readings the speed changed: evenly distributed, 1/sqrt(12) of the time, either way. */
const WHEN_IT_CHANGED = 0.29

/** Adds what was driven since the last speed: its mean, or by the trapezoidal rule.
 * @param scale of this dongle's speed (`scaleOf`) @param silenceMs farther apart says nothing
 * @param isBelieved the speed still counts (see `blindMs` in state.ts) */
export function addSpeed(
  speed: SpeedSums,
  { timeMs, addingSpeedKmh, meanSpeedKmh, isTrueMean }: Reading,
  scale: number,
  silenceMs: number,
  isBelieved: boolean,
): void {
  if (meanSpeedKmh !== undefined) speed.awakeMs = timeMs
  if (addingSpeedKmh === undefined) return
  const kmh = addingSpeedKmh * scale
  const { kmh: kmhBefore } = speed
  const durationMs = timeMs - speed.timeMs
  // A mean is one of the time since the mean before, whatever else reported speed meanwhile.
  const isMean = isTrueMean && speed.meanMs === speed.timeMs
  if (isTrueMean) speed.meanMs = timeMs
  const heldMs = speed.timeMs - speed.heldSinceMs
  if (kmh !== kmhBefore) speed.heldSinceMs = timeMs
  speed.kmh = kmh
  speed.timeMs = timeMs
  if (kmhBefore === undefined || durationMs > silenceMs || !isBelieved) return
  const metres = ((isMean ? kmh : (kmhBefore + kmh) / 2) / 3600) * durationMs
  const errorM = isMean ? MEAN_ERROR * metres : unseenM(metres, Math.abs(kmh - kmhBefore), durationMs)
  speed.drivenM += metres
  if (heldMs > HELD_SPEED_MS) speed.heldM += metres
  else if (kmh === kmhBefore && heldMs + durationMs > HELD_SPEED_MS) speed.heldM += (kmh / 3600) * (heldMs + durationMs)
  speed.reportedMs += durationMs
  speed.varianceM2 += errorM * errorM
  if (meanSpeedKmh !== undefined) speed.wheelM += metres
}

/** By how much the length may be wrong when the speed is known at both ends only. */
function unseenM(metres: number, changeKmh: number, durationMs: number): number {
  const share = Math.min(MOST_UNKNOWN_SHARE, UNKNOWN_SHARE_PER_MS * durationMs)
  return share * (metres + UNSEEN_M_PER_MS * durationMs) + (WHEN_IT_CHANGED * changeKmh * durationMs) / 3600
}

export function markOf({ drivenM, heldM, reportedMs, varianceM2 }: SpeedSums, timeMs: number): SpeedMark {
  return { timeMs, drivenM, heldM, reportedMs, varianceM2 }
}

export function drivenSince(speed: SpeedSums, mark: SpeedMark): Driven {
  const metres = speed.drivenM - mark.drivenM
  return {
    metres,
    variedM: Math.max(0, metres - (speed.heldM - mark.heldM)),
    reportedMs: speed.reportedMs - mark.reportedMs,
    varianceM2: speed.varianceM2 - mark.varianceM2,
  }
}

// The way between two fixes.

/**
 * How much longer a road is than the straight line between two fixes: 1 + A (T / 60 s)^P (8 m/s / u)^Q for bends that
 * nobody sees, and B (8 m/s / u)^R more where the direction changed by TURN or more since the line before; T is the time
 * between the fixes, u the length of the line by T. Fitted, line by line, to both the week of 133 real cars of VED (Ann Arbor,
 * 2,300 km, thinned to one fix every 15 to 300 s; Oh, Leblanc, Peng 2019) and the roads of the virtual fleet. Its roads are
 * straighter: the sum over all lines is 1.1 % too long there and 1.2 % too short in VED at 60 s (ADR 0019).
 */
const DETOUR = { a: 0.0115, p: 1.6, q: 1.1, b: 0.16, r: 1.5, mostB: 0.12, most: 2.5 } as const
const DETOUR_SPEED_MPS = 8
const DETOUR_FROM_MS = 10_000
/** Beyond twice the time to which it was fitted, a road is not taken to wind more and more: across a silence it is like others. */
const DETOUR_MOST_MS = 600_000
/** A shorter line hardly cuts a corner. */
const DETOUR_SEEN_MS = 30_000
const DETOUR_TURN_RAD = (50 / 180) * Math.PI
/** Used if nothing is known about the line before. */
const DETOUR_USUAL_TURN_RAD = (20 / 180) * Math.PI

/** The integral of a car's speed since some instant. */
interface Driven {
  readonly metres: number
  /** Without those of a speed that stayed the same for longer than any car holds it. */
  readonly variedM: number
  /** For how much of that time the speed was reported. */
  readonly reportedMs: number
  /** Squared standard error by the time between two readings of speed. */
  readonly varianceM2: number
}

export interface Length {
  readonly metres: number
  readonly varianceM2: number
}

/** How much longer the road is than the straight line (`DETOUR` has formula and source).
 * @param turnRad undefined without a line before */
function detourOf(chordM: number, durationMs: number, turnRad: number | undefined): number {
  if (durationMs <= DETOUR_FROM_MS || chordM === 0) return 1
  const { a, p, q, b, r, mostB, most } = DETOUR
  const slowness = (DETOUR_SPEED_MPS * durationMs) / (chordM * 1000)
  const turn = Math.min(1, (turnRad ?? DETOUR_USUAL_TURN_RAD) / DETOUR_TURN_RAD)
  const unseen = a * (Math.min(durationMs, DETOUR_MOST_MS) / 60_000) ** p * slowness ** q
  const seen = Math.min(mostB, b * slowness ** r) * Math.min(1, (durationMs / DETOUR_SEEN_MS) ** 2) * turn
  return Math.min(most, 1 + unseen + seen)
}

/** How long the car drove between two fixes. Parked, a dongle reports more rarely, so in an unusual interval, or while
 * usual ones are unknown, no longer than the way takes in town. */
function drivenMs(chordM: number, durationMs: number, cadenceMs: number | undefined): number {
  if (cadenceMs !== undefined && durationMs <= MISSED_INTERVALS * cadenceMs) return durationMs
  return Math.min(durationMs, Math.max(cadenceMs ?? 0, (chordM * TOWN_DETOUR) / TOWN_M_PER_MS))
}

/** Two fixes of a receiver between houses. */
const CHORD_ERROR_M = 8
const CHORD_ERROR = 0.02
/** A speedometer, or a wheel. */
const SPEED_ERROR = 0.02
/** How much reported and elapsed time may differ for the speed to cover the way between two fixes. */
const LEAST_COVER = 0.9
const MOST_COVER = 1.1
/** Two measures that differ by so many of their errors cannot both be right. */
const CONTRADICTION = 3
/** Over so much of a path, positions and speed are judged together: chance has averaged out, and it is one road. */
const STRETCH_M = 1000
/** Fixes of a standing car wander, but turn before they get so far. */
const NOISE_M = 170
/** A speed that goes on for so long while fixes stay in one place is judged by them. */
const STUCK_M = 3 * STEP_M
const SHARP_TURN_RAD = Math.PI / 2
/** By how much a speed may be too little against the straight line of a stretch. */
const NET_ERROR = 0.05
/** By how much a road is longer than the line at most: within seconds, and by a minute later. */
const SEEN_ROAD = 1.2
const UNSEEN_ROAD = 3
const UNSEEN_ROAD_MS = 50_000
/** No car keeps a speed to the digit for longer: it is stuck. */
const HELD_SPEED_MS = FROZEN_FIX_MS

function noStretch(): Stretch {
  return {
    runFrom: undefined,
    reachM: 0,
    chordsM: 0,
    chordsVarianceM2: 0,
    speedM: 0,
    speedVarianceM2: 0,
    bothM: 0,
    leastM: 0,
    mostM: 0,
  }
}

/** Adds one more way between two fixes: the straight line with its detour, the speed over time, and both, weighted by
 * inverse variance. Where speed was not reported all the time, the line counts. */
function addPiece(
  path: Path,
  chordM: number,
  durationMs: number,
  unseenMs: number,
  turnRad: number | undefined,
  driven: Driven,
  cadenceMs: number | undefined,
): void {
  const detour = detourOf(chordM, drivenMs(chordM, durationMs, cadenceMs), turnRad)
  const roadM = chordM * detour
  const roadErrorM = CHORD_ERROR_M + chordM * (CHORD_ERROR + detour - 1)
  const cover = driven.reportedMs / Math.max(durationMs, 1)
  if (cover < LEAST_COVER || cover > MOST_COVER) {
    settle(path)
    path.countedM += roadM
    path.varianceM2 += roadErrorM ** 2
    return
  }
  const { stretch } = path
  const { metres: speedM } = driven
  const speedVarianceM2 = driven.varianceM2 + (SPEED_ERROR * speedM) ** 2 + 1
  const differenceM = speedM - roadM
  const isContradiction = Math.abs(differenceM) > CONTRADICTION * (Math.sqrt(speedVarianceM2) + roadErrorM)
  // If they cannot both be right: the longer one, as the line cuts off a detour or a speed is missing; but within seconds a
  // longer line is rather noise.
  const isSpeedRight = differenceM > 0 || durationMs <= DETOUR_FROM_MS
  const weight = isContradiction ? Number(isSpeedRight) : roadErrorM ** 2 / (roadErrorM ** 2 + speedVarianceM2)
  stretch.chordsM += roadM
  stretch.chordsVarianceM2 += roadErrorM ** 2
  stretch.speedM += speedM
  stretch.speedVarianceM2 += speedVarianceM2
  stretch.bothM += roadM + weight * differenceM
  stretch.leastM += chordM
  // No road is longer: it bends by little within seconds, by more the longer nobody saw it; and a car unseen for long may
  // drive a round, if its speed changes as that of a car does.
  const unseen = Math.min(1, Math.max(0, unseenMs - DETOUR_FROM_MS) / UNSEEN_ROAD_MS)
  const roundM = unseen * Math.min(driven.variedM, TOWN_M_PER_MS * durationMs)
  stretch.mostM += roadM * (SEEN_ROAD + (UNSEEN_ROAD - SEEN_ROAD) * unseen) + roundM
}

/** The stretch up to the last counted fix, and how long its way by speed was found to be. Positions and speed contradict
 * each other by more than their errors: more than any road is longer, or less than the way on which the fixes went on.
 * What goes nowhere is noise of the fixes. */
function judged({ stretch }: Path): Length & { readonly bySpeedM: number } {
  const { reachM, chordsM, chordsVarianceM2, speedM, speedVarianceM2, leastM, mostM, bothM } = stretch
  const sumM2 = chordsVarianceM2 + speedVarianceM2
  // Mostly the speed is between the two, whatever the errors are.
  if (speedM < leastM || speedM > mostM) {
    const errorM = CONTRADICTION * Math.sqrt(sumM2)
    // However much noise adds to the lines: the stretch is as long as a part of it without a sharp turn.
    const netErrorM = CONTRADICTION * Math.sqrt(CHORD_ERROR_M ** 2 + speedVarianceM2)
    const isLess = speedM < Math.max(leastM - errorM, reachM * (1 - NET_ERROR) - netErrorM)
    if (isLess && reachM < NOISE_M) return { metres: speedM, varianceM2: speedVarianceM2, bySpeedM: speedM }
    if (isLess || speedM > mostM + errorM) return { metres: chordsM, varianceM2: chordsVarianceM2, bySpeedM: chordsM }
  }
  // If they differ by more than their errors allow, one of the errors was too small.
  const spreadM2 = (bothM - chordsM) * (speedM - bothM)
  const varianceM2 = Math.max((chordsVarianceM2 * speedVarianceM2) / Math.max(sumM2, 1), spreadM2)
  return { metres: bothM, varianceM2, bySpeedM: speedM }
}

/** Metres by speed between fixes, and how many they were found to be. */
export function speedCheck(path: Path): Calibration {
  return { reportedM: path.reportedM + path.stretch.speedM, foundM: path.foundM + judged(path).bySpeedM }
}

// When a car left and came, by the length of the way.

/** When the car must have left to be that far away when first seen elsewhere; not long
 * before, if the dongle reports often. */
export function departureMs(leadM: number, insideMs: number, outsideMs: number, cadenceMs: number | undefined): number {
  const leadMs = Math.min((leadM * TOWN_DETOUR) / TOWN_M_PER_MS, cadenceMs ?? Number.POSITIVE_INFINITY)
  if (leadMs <= SAME_MOMENT_MS || outsideMs - insideMs <= SAME_MOMENT_MS) return outsideMs
  return Math.max(insideMs, Math.round(outsideMs - leadMs))
}

/** When the car arrived at its position, coming from the fix before. */
export function arrivalMs(
  before: { readonly position: Position; readonly lastMs: number },
  position: Position,
  timeMs: number,
): number {
  if (timeMs - before.lastMs <= SAME_MOMENT_MS) return timeMs
  const wayMs = (distanceM(before.position, position) * TOWN_DETOUR) / TOWN_M_PER_MS
  return Math.min(timeMs, Math.round(before.lastMs + wayMs))
}
