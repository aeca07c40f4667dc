import { departureMs, type Length } from './path.ts'
import { type Reading, silenceOf } from './reading.ts'
import {
  CALIBRATION_ERROR,
  CALIBRATION_FADES_M,
  CALIBRATION_M,
  CALIBRATION_TRIP_M,
  COARSEST_STEP_M,
  FASTEST_M_PER_MS,
  KM_PER_MILE,
  LEAST_PROGRESS_M,
  LIKELY_M_PER_MS,
  MOTION_KMH,
  MOTION_PAUSE_MS,
  ODOMETER_ERROR,
  SAME_MOMENT_MS,
  STUCK_ODOMETER_M,
  TOWN_M_PER_MS,
  UNSEEN_WAY_M,
} from './rules.ts'
import type { Calibration, LastOdometer, Progress, TripOdometer } from './state.ts'

// During a trip.

function resolutionOf(km: number): number {
  if (Number.isInteger(km)) return COARSEST_STEP_M
  return Math.abs(km * 10 - Math.round(km * 10)) < 1e-6 ? 100 : 0
}

/** The odometer at its first reading in a trip. @param pathM metres along the path so far */
export function odometerFrom(km: number, timeMs: number, pathM: number): TripOdometer {
  return {
    firstKm: km,
    firstChangeKm: undefined,
    firstStepM: 0,
    lastKm: km,
    lastMs: timeMs,
    lastChangePathM: pathM,
    lastPathM: pathM,
    resolutionM: resolutionOf(km),
    jumps: 0,
    besideM: pathM,
    seenKm: km,
    seenPathM: pathM,
  }
}

/** Takes one more reading. Backwards or faster than a car is a jump (a unit, a reset, an
 * error): positions count across it, and what it counted before goes on from there. @param isSeen a fix came since the last */
export function readOdometer(odometer: TripOdometer, km: number, timeMs: number, pathM: number, isSeen: boolean): void {
  const stepKm = km - odometer.lastKm
  const changeM = pathM - odometer.lastChangePathM
  const isJump = stepKm < 0 || stepKm * 1000 > FASTEST_M_PER_MS * (timeMs - odometer.lastMs) + COARSEST_STEP_M
  if (isJump) {
    odometer.jumps++
    odometer.firstKm += stepKm
    if (odometer.firstChangeKm !== undefined) odometer.firstChangeKm += stepKm
    odometer.besideM += changeM
    odometer.seenKm += stepKm
    odometer.seenPathM += changeM
  } else if (stepKm > 0) {
    if (odometer.firstChangeKm === undefined) Object.assign(odometer, { firstChangeKm: km, firstStepM: changeM })
    odometer.resolutionM = Math.min(odometer.resolutionM, resolutionOf(km))
  }
  if (stepKm !== 0) odometer.lastChangePathM = pathM
  odometer.lastKm = km
  odometer.lastMs = timeMs
  odometer.lastPathM = pathM
  if (isSeen) Object.assign(odometer, { seenKm: km, seenPathM: pathM })
}

function upToLastChangeM(odometer: TripOdometer, unit: number): number {
  const { besideM, firstKm, firstChangeKm, firstStepM, lastKm } = odometer
  if (firstChangeKm === undefined) return besideM
  const stepM = (firstChangeKm - firstKm) * 1000 * unit
  // Without positions there the odometer's own word is the better guess.
  const firstM = firstStepM === 0 ? stepM : between(firstStepM, stepM - odometer.resolutionM * unit, stepM)
  return besideM + firstM + (lastKm - firstChangeKm) * 1000 * unit
}

function between(value: number, least: number, most: number): number {
  return Math.max(0, least, Math.min(value, most))
}

/** Metres from the last change to the last, equal reading: less than a step, however far the fixes drifted. Much
 * farther, and the odometer is stuck or repeats an old reading. */
function unchangedM({ lastChangePathM, lastPathM, resolutionM }: TripOdometer, unit: number): number {
  const byPathM = Math.max(0, lastPathM - lastChangePathM)
  const stepM = resolutionM * unit
  return byPathM > stepM + STUCK_ODOMETER_M ? byPathM : Math.min(byPathM, stepM)
}

/** Metres by the odometer where it covers the trip, completed by positions.
 * @param unit kilometres of one of its units */
export function completedM(odometer: TripOdometer, pathM: number, unit = 1): number {
  return upToLastChangeM(odometer, unit) + unchangedM(odometer, unit) + Math.max(0, pathM - odometer.lastPathM)
}

/** Metres that the odometer alone shows, jumps apart, if it counts kilometres. */
export function odometerM({ lastKm, firstKm }: TripOdometer): number {
  return metresOf(lastKm - firstKm)
}

/** Decimal fractions of kilometres have no exact metres. */
function metresOf(km: number): number {
  return Math.round(km * 1e6) / 1000
}

// Between two readings: whether the car drove.

export interface OdometerProgress {
  readonly fromKm: number
  readonly fromMs: number
  readonly departedMs: number
  /** Assuming that it drove off at once. */
  readonly arrivedMs: number
}

/** The odometer reading that the next one is compared with: the last one, or one a little earlier if the difference may be rounding. */
export function odometerAfter({ odometer }: Progress, km: number, timeMs: number): LastOdometer {
  if (!odometer) return { km, timeMs, sinceMs: timeMs }
  const drivenM = (km - odometer.km) * 1000
  if (drivenM > 0 && drivenM < LEAST_PROGRESS_M && timeMs - odometer.timeMs <= SAME_MOMENT_MS) return odometer
  return { km, timeMs, sinceMs: odometer.km === km ? odometer.sinceMs : timeMs }
}

/** An odometer with a resolution below one kilometre has not changed for minutes. */
export function isOdometerStillAt({ odometer }: Progress, { odometerKm, timeMs }: Reading): boolean {
  return (
    odometer !== undefined &&
    odometerKm === odometer.km &&
    !Number.isInteger(odometerKm) &&
    timeMs - odometer.sinceMs >= MOTION_PAUSE_MS
  )
}

/** A time at which the car had not stopped yet, because the odometer counted on afterwards, even if by too little for a drive. */
export function countedFromMs({ odometer }: Progress, { odometerKm, timeMs }: Reading): number {
  if (!odometer || odometerKm === undefined) return Number.NEGATIVE_INFINITY
  const metres = (odometerKm - odometer.km) * 1000
  const isPossible = metres >= LEAST_PROGRESS_M && metres <= FASTEST_M_PER_MS * (timeMs - odometer.timeMs)
  return isPossible ? odometer.timeMs : Number.NEGATIVE_INFINITY
}

/** The progress of the odometer with a reading, if it is plausible for a driving car. */
export function progressOf(progress: Progress, { odometerKm, timeMs }: Reading): OdometerProgress | undefined {
  const { odometer, cadenceMs, boundaryMs } = progress
  // Progress since before the end of the last trip belongs to that trip.
  if (!odometer || odometerKm === undefined || odometer.timeMs < boundaryMs) return undefined
  const metres = (odometerKm - odometer.km) * 1000
  const durationMs = timeMs - odometer.timeMs
  // Parked, a dongle reports more rarely than while the car drives.
  const hasStood = progress.trip === undefined && durationMs <= silenceOf(progress)
  const drivenMs = hasStood ? Math.min(durationMs, cadenceMs ?? durationMs) : durationMs
  const isDriving =
    metres >= LEAST_PROGRESS_M &&
    metres / drivenMs > MOTION_KMH / 3600 &&
    metres <= FASTEST_M_PER_MS * durationMs + COARSEST_STEP_M
  if (!isDriving) return undefined
  return {
    fromKm: odometer.km,
    fromMs: odometer.timeMs,
    departedMs: departureMs(metres, odometer.timeMs, timeMs, cadenceMs),
    arrivedMs: Math.min(timeMs, Math.round(odometer.timeMs + metres / TOWN_M_PER_MS)),
  }
}

// Since a fix: whether the car can have come there.

/** Metres by the odometer between two readings, and how finely it counts. */
interface Counted {
  readonly metres: number
  readonly stepM: number
}

/** Metres by the odometer since a fix. If it was read later only, anything may have been driven before that. */
export function countedSince(
  { odometer, place, fixOdometerKm }: Progress,
  before: { readonly lastMs: number },
  { odometerKm }: Reading,
): Counted | undefined {
  if (before === place && fixOdometerKm !== undefined) return countedFrom(fixOdometerKm, odometerKm)
  const counted = odometer && countedFrom(odometer.km, odometerKm)
  if (!counted || odometer.timeMs <= before.lastMs) return counted
  const unreadMs = Math.max(0, odometer.sinceMs - before.lastMs)
  return { metres: counted.metres, stepM: counted.stepM + LIKELY_M_PER_MS * unreadMs }
}

export function countedBetween({ odometerKm: fromKm }: Reading, { odometerKm }: Reading): Counted | undefined {
  return fromKm === undefined ? undefined : countedFrom(fromKm, odometerKm)
}

/** One that went back was swapped. */
function countedFrom(fromKm: number, toKm: number | undefined): Counted | undefined {
  if (toKm === undefined || toKm < fromKm) return undefined
  const isWhole = Number.isInteger(fromKm) && Number.isInteger(toKm)
  return { metres: (toKm - fromKm) * 1000, stepM: isWhole ? COARSEST_STEP_M : UNSEEN_WAY_M }
}

/** Farther than the odometer can have meant, even if it counts miles. */
export function isTooFar(metres: number, counted: Counted | undefined): boolean {
  return counted !== undefined && metres > 2 * counted.metres + counted.stepM
}

// It is right, by the trips before.

export function sumOf(trips: readonly Calibration[]): Calibration {
  const add = (sum: Calibration, trip: Calibration) => ({
    reportedM: sum.reportedM + trip.reportedM,
    foundM: sum.foundM + trip.foundM,
  })
  return trips.reduce(add, NOTHING_COMPARED)
}

/** The range around the ratio of miles, given the uncertainty of positions. */
const MILES_ERROR = 0.05

/** Kilometres of one unit (decisions.md, *Trips*, distance); undefined when it counts too much or too little to be
 * believed: the more it is off, the sooner that shows. @param before from earlier trips @param path of this one */
export function unitKmOf(before: Calibration, odometer: TripOdometer, path: Length): number | undefined {
  const { reportedM, foundM } = sumOf([before, isCertain(path) ? comparedTo(odometer) : NOTHING_COMPARED])
  const share = reportedM / foundM
  if (foundM >= CALIBRATION_TRIP_M && Math.abs(share * KM_PER_MILE - 1) <= MILES_ERROR) return KM_PER_MILE
  const off = reportedM > 0 ? Math.abs(Math.log(share)) : 0
  return off > ODOMETER_ERROR && off * foundM >= ODOMETER_ERROR * CALIBRATION_M ? undefined : 1
}

/** By how much speed must be multiplied, by the trips before: by the least that one of them says, if all agree. */
export function scaleOf(trips: readonly Calibration[]): number {
  const scales = trips.map(({ reportedM, foundM }) => foundM / Math.max(reportedM, 1))
  const [least, most] = [Math.min(...scales), Math.max(...scales)]
  if (scales.length < LEAST_SCALED || most > MOST_SCALE) return 1
  const scale = least > 1 ? least : most < 1 ? most : 1
  // What is found with one scale decides the next one: in steps, so that a late sample changes no scale months later.
  return Math.round(scale * SCALE_STEPS) / SCALE_STEPS
}

const SCALE_STEPS = 50

/** The trips that judge the speed: none after one in which it was right, so that nothing is kept of most cars.
 * @param path of the whole trip */
export function speedCalibrationsAfter(
  before: readonly Calibration[],
  speed: Calibration,
  path: Length,
): readonly Calibration[] {
  const trips = withTrip(before, speed, path)
  return trips.every(isOff) ? trips : []
}

/** One of an instrument and the positions is wrong. */
function isOff({ reportedM, foundM }: Calibration): boolean {
  return Math.max(reportedM, foundM) > Math.min(reportedM, foundM) * (1 + ODOMETER_ERROR)
}

/** The trips that judge the odometer. After a jump, maybe another instrument, they start anew. @param path of the whole trip */
export function calibrationsAfter(
  before: readonly Calibration[],
  odometer: TripOdometer | undefined,
  path: Length,
): readonly Calibration[] {
  if (!odometer) return before
  // An odometer that does not count at all is stuck, which each trip detects by itself.
  const isCounting = odometerM(odometer) > 0
  return withTrip(odometer.jumps > 0 ? [] : before, isCounting ? comparedTo(odometer) : NOTHING_COMPARED, path)
}

const NOTHING_COMPARED: Calibration = { reportedM: 0, foundM: 0 }

function isCertain({ metres, varianceM2 }: Length): boolean {
  return Math.sqrt(varianceM2) <= CALIBRATION_ERROR * metres
}

/** With positions between its first reading and the last one with a fix, jumps apart: a receiver that is lost shows nothing. */
function comparedTo({ firstKm, seenKm, seenPathM, besideM }: TripOdometer): Calibration {
  return { reportedM: metresOf(seenKm - firstKm), foundM: seenPathM - besideM }
}

/** Only as many recent trips as needed, so that an out-of-order sample affects days, not months. */
function withTrip(before: readonly Calibration[], trip: Calibration, path: Length): readonly Calibration[] {
  if (!isCertain(path) || trip.foundM < CALIBRATION_TRIP_M) return before
  const trips = [...before, { reportedM: Math.round(trip.reportedM), foundM: Math.round(trip.foundM) }]
  while (trips.length > LEAST_CALIBRATIONS && sumOf(trips.slice(1)).foundM >= CALIBRATION_FADES_M) trips.shift()
  return trips
}

/** One long trip through tunnels does not decide alone. */
const LEAST_CALIBRATIONS = 3
/** One trip may be disturbed. */
const LEAST_SCALED = 2
/** A speed that is too small by more than any unit shows nothing. */
const MOST_SCALE = 5
