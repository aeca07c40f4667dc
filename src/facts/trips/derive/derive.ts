import { turnAt } from './boundaries.ts'
import { cadenceAfter, isSeldom, parkedAfter, silenceOf, unusualMs } from './cadence.ts'
import { calibrationsAfter } from './calibration.ts'
import { type Circumstances, type OdometerProgress } from './circumstances.ts'
import { type Departure, departureMs, rememberLeaving } from './departure.ts'
import { distanceM } from './earth.ts'
import { canTell, motionOf, saysStanding, tellsPlaceAtMost, wordOf } from './evidence.ts'
import { measure } from './measured.ts'
import { type EndedTrip, isPausedBriefly, mustLeaveFrom } from './open-trip.ts'
import { pathLength } from './path.ts'
import { applyOutcome, believeOtherTrack, measuredBefore } from './pauses.ts'
import { type Fix, type FixContext, isNext, judge, type Place } from './place.ts'
import { isHybrid, powerAfter, withDoubt, withElectric } from './power.ts'
import type { Progress } from './progress.ts'
import type { Reading } from './reading.ts'
import {
  BLIND_LIMIT_MS,
  COARSEST_STEP_M,
  CONFIRMED_CADENCE_MS,
  FASTEST_M_PER_MS,
  FROZEN_FIX_MS,
  LAST_WAY_M_PER_MS,
  LEAST_PROGRESS_M,
  LONGEST_SILENCE_MS,
  MOTION_KMH,
  MOTION_PAUSE_MS,
  RECEIVER_LOST_MS,
  SAME_MOMENT_MS,
  TOWN_M_PER_MS,
  UNSURE_DISPLACEMENT_M,
} from './rules.ts'
import { drivenSince } from './speed.ts'
import { isParked, isUnmoved, provenAtM, stayFrom } from './stay.ts'
import { goOnFrom } from './stay-after-fix.ts'
import { isProven } from './track.ts'
import type { VinRun } from './trip.ts'
import { vinRunAfter, vinRunAfterEnd } from './vin-runs.ts'

/** What follows from a reading. */
export interface Facts {
  readonly ended: EndedTrip | undefined
  /** A run that began or was confirmed, or whose boundary became known. */
  readonly vinRun: VinRun | undefined
}

const NO_FACTS: Facts = { ended: undefined, vinRun: undefined }

/**
 * Everything that depends on the order of samples, step by step; each step builds on those before it.
 * @param progress updated in place
 */
export function derive(progress: Progress, reading: Reading): Facts {
  const { timeMs, vin } = reading
  const { lastMs, place: placeBefore, vinRun: vinRunBefore } = progress
  const intervalMs = lastMs === undefined ? 0 : timeMs - lastMs
  const silenceMs = silenceOf(progress)

  const isBusy = wasBusy(progress)
  const context = fixContext(progress, reading)
  if (lastMs === undefined || isSeldom(intervalMs, progress.cadenceMs)) progress.busySinceMs = timeMs

  // 1. Whether ignition, engine or neither decides.
  const powerBefore = progress.power
  let power = powerAfter(powerBefore, reading)
  const word = wordOf(power)

  // 2. Where the dongle is. Unplugged, it may be carried anywhere.
  if (power.isUnplugged) {
    progress.stay = undefined
    progress.odometer = undefined
  }
  const judgement = judge(placeBefore, reading, context)
  const middle = progress.stay?.middle
  const leavesAtM = progress.stay ? provenAtM(progress.stay) : UNSURE_DISPLACEMENT_M
  const left = goToFix(progress, reading, judgement.fix, isBusy)
  const departure = left?.isDrive ? left : undefined
  if (left && !departure && progress.stay) rememberLeaving(progress.stay, left)
  const blindMs = blindAfter(progress, reading, judgement.fix, Math.min(intervalMs, silenceMs))
  const odometerProgress = progressOf(progress, reading)
  const { stay } = progress
  if (stay && progress.trip && !stay.outside)
    stay.arrivedMs = Math.max(stay.arrivedMs, odometerProgress?.arrivedMs ?? countedFromMs(progress, reading))

  // 3. Whether the car moves.
  const heldIsMoving = progress.isMoving && intervalMs < silenceMs && !power.isUnplugged
  const isStill = progress.stay !== undefined && isUnmoved(progress.stay, timeMs)
  const droveOn = departure !== undefined || odometerProgress !== undefined
  const isOdometerStill = isOdometerStillAt(progress, reading)
  const { fix } = judgement
  // A receiver that repeats its fix is wrong if the odometer counts on.
  const standsStill = isStill && odometerProgress === undefined
  const signs = { heldIsMoving, isUnmoved: standsStill, isOdometerStill, blindMs, intervalMs, fix, droveOn }
  const motion = motionOf(reading, signs)
  const isAwake = reading.meanSpeedKmh !== undefined

  // 4. Whether a trip began or had ended.
  const now: Circumstances = {
    timeMs,
    lastMs,
    silenceMs,
    boundaryMs: progress.boundaryMs,
    isUnplugged: power.isUnplugged,
    word,
    isHybrid: isHybrid(power),
    motion,
    departure,
    creeping: departure ? undefined : left,
    stay: progress.stay,
    isStill,
    cadenceMs: progress.cadenceMs,
    busySinceMs: progress.busySinceMs,
    progress: odometerProgress,
    isByCar: isSpeedOfDriving(reading.vehicleSpeedKmh) || odometerProgress !== undefined,
    canTell: canTell(reading),
    isVague: isVague(reading, fix),
    tellsSpeed: reading.speedKmh !== undefined,
    isAwake,
    hasWoken: isAwake && (progress.awakeMs === undefined || timeMs - progress.awakeMs >= silenceMs),
    position: isNext(judgement.fix) ? reading.position : undefined,
    place: placeBefore,
    middle,
    provenAtM: leavesAtM,
    calibrations: progress.calibrations,
  }
  const wasDriving = progress.trip !== undefined && progress.trip.pause === undefined
  const turn = turnAt(progress.trip, now)
  const { trip, outcome } = turn
  let { ended } = turn

  // 5. Length, meters and route of the trip.
  if (trip) {
    const before = measuredBefore(trip, outcome)
    if (progress.stay) mustLeaveFrom(trip, progress.stay)
    measure(trip.measured, reading, {
      judgement,
      isSpeedBelieved: blindMs <= BLIND_LIMIT_MS,
      isUnmoved: isStill,
      silenceMs,
      couldTell: now.canTell || couldTellLately(progress, timeMs),
      hasReceiver: placeBefore !== undefined && timeMs - placeBefore.lastMs <= RECEIVER_LOST_MS,
      hasMoved: motion === 'moving' || droveOn,
      isByWord: word !== undefined && !turn.isIgnitionDoubted && (word.isOn || trip.opened.rule !== 'motion'),
    })
    const isOtherTrack = fix === 'jumped' || fix === 'returned' || fix === 'confirmed'
    const unmoved = isOtherTrack ? believeOtherTrack(trip, before) : before
    ended = applyOutcome(trip, outcome, unmoved, turn.isIgnitionDoubted ? { ...now, word: undefined } : now) ?? ended
  }
  progress.trip = outcome === 'unplugged' ? undefined : trip
  if (ended && !ended.measured.isTrip) ended = undefined

  // 6. Which car it is in.
  const isUnplug = power.isUnplugged && !powerBefore.isUnplugged
  let { boundaryMs, vinRun } = progress
  if (vinRun && ended) vinRun = vinRunAfterEnd(vinRun, ended.measured.endMs)
  if (ended && ended.measured.endMs < timeMs) boundaryMs = Math.max(boundaryMs, ended.measured.endMs)
  if (vin !== undefined) vinRun = vinRunAfter(vinRun, vin, timeMs, boundaryMs)
  if (isUnplug || ended?.measured.endMs === timeMs) boundaryMs = timeMs

  // 7. What is learnt about dongle and car.
  if (turn.isIgnitionDoubted) power = withDoubt(power)
  if (wasDriving && word?.of === 'engine' && !word.isOn && motion === 'moving' && (now.isByCar || departure))
    power = withElectric(power, Math.min(intervalMs, silenceMs))
  // A single long interval is a silence, and a car that stands with its ignition on reports as if parked.
  const isRegular = (!isBusy || !isSeldom(intervalMs, progress.cadenceMs)) && intervalMs <= LONGEST_SILENCE_MS
  const hasDriven = wasDriving && trip !== undefined && outcome === 'drives' && timeMs - trip.movedMs < MOTION_PAUSE_MS
  // The first interval after ignition on is a part of one.
  const isWhole = trip === undefined || trip.opened.rule === 'motion' || trip.opened.timeMs !== lastMs
  if (hasDriven && isRegular && isWhole && !isLastWay(placeBefore, reading))
    progress.cadenceMs = cadenceAfter(progress.cadenceMs, intervalMs)
  if (progress.cadenceMs === undefined && lastMs !== undefined)
    progress.parkedMs = parkedAfter(progress.parkedMs, intervalMs)
  else progress.parkedMs = undefined
  if (isUnplug) progress.calibrations = []
  else if (ended) {
    const { track, speed, odometer } = ended.measured
    progress.calibrations = calibrationsAfter(progress.calibrations, odometer, pathLength(track.path, speed))
  }
  if (isAwake) progress.awakeMs = timeMs

  progress.lastMs = timeMs
  progress.power = power
  progress.place = judgement.place
  progress.blindMs = blindMs
  if (reading.odometerKm !== undefined) progress.odometer = odometerAfter(progress, reading.odometerKm, timeMs)
  progress.isMoving = reading.isMoving ?? heldIsMoving
  progress.boundaryMs = boundaryMs
  progress.vinRun = vinRun
  const changedRun = vinRun === vinRunBefore ? undefined : vinRun
  return ended || changedRun ? { ended, vinRun: changedRun } : NO_FACTS
}

/** Whether a reading does not show where the car is, or even whether it drives. A speed of driving does not show how it got there. */
function isVague(reading: Reading, fix: Fix): boolean {
  if (isNext(fix) || fix === 'jumped' || fix === 'returned' || fix === 'confirmed') return false
  return tellsPlaceAtMost(reading) || (reading.position !== undefined && isSpeedOfDriving(reading.speedKmh))
}

const NO_FIX: FixContext = {
  drivenM: undefined,
  isProven: false,
  confirmAfterMs: Number.POSITIVE_INFINITY,
  isUnconfirmed: false,
}

/** What is known before a fix is judged. */
export function fixContext(progress: Progress, reading: Reading): FixContext {
  const { trip } = progress
  const { timeMs, addingSpeedKmh, position } = reading
  if (!position) return NO_FIX
  const confirmAfterMs = confirmAfter(progress, reading)
  const isUnconfirmed = isPlaceUnconfirmed(progress)
  if (!trip) return { drivenM: undefined, isProven: false, confirmAfterMs, isUnconfirmed }
  const { track, speed } = trip.measured
  const { metres, toldMs } = drivenSince(speed, track.path.fixMark)
  const sinceMs = addingSpeedKmh === undefined || speed.kmh === undefined ? 0 : timeMs - speed.timeMs
  const toComeM = (Math.max(addingSpeedKmh ?? 0, speed.kmh ?? 0) / 3600) * sinceMs
  const drivenM = toldMs + sinceMs > 0 ? metres + toComeM : undefined
  return { drivenM, isProven: isProven(track), confirmAfterMs, isUnconfirmed }
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
  if (stay && isOver && isParked(stay) && (isDense || saysStanding(reading))) return 0
  return wasBusy(progress) || cadenceMs === undefined ? LONGEST_SILENCE_MS : unusualMs(cadenceMs)
}

/** Before its last sample, the dongle reported as often as while the car drives. */
function wasBusy({ lastMs, busySinceMs }: Progress): boolean {
  return lastMs !== undefined && busySinceMs !== undefined && busySinceMs < lastMs
}

/** Fixes show a very short way for a long time: the car had stopped, and the dongle reports as while parked. */
function isLastWay(before: Place | undefined, { position, speedKmh, timeMs }: Reading): boolean {
  if (!before || !position || speedKmh !== undefined) return false
  return distanceM(before.position, position) <= LAST_WAY_M_PER_MS * (timeMs - before.lastMs)
}

/** Moves on to a believed fix. @returns how the car left its place, if the fix shows that it did */
function goToFix(progress: Progress, reading: Reading, fix: Fix, isBusy: boolean): Departure | undefined {
  const { position, timeMs } = reading
  if (!position || fix === 'none' || fix === 'refused' || fix === 'elsewhere') return undefined
  const { place } = progress
  // After the dongle left another car, only the fixes that agree with each other are known of this one.
  if (fix === 'agreed' && place?.rival) progress.stay ??= stayFrom(place.rival.position, place.rival.lastMs)
  const { stay } = progress
  if (!stay || !place || !isNext(fix)) {
    progress.stay = stayFrom(position, timeMs)
    return undefined
  }
  const unseenMs = unseenFor(progress, timeMs)
  const isDriving = progress.trip !== undefined && progress.trip.pause === undefined
  const standing = saysStanding(reading)
  const before = { position: place.position, lastMs: place.lastMs, isDriving, isBusy }
  const { rival } = place
  if (fix !== 'agreed' || !rival)
    return asSeen(progress, goOnFrom(stay, position, timeMs, before, standing, unseenMs), timeMs)
  const left = goOnFrom(stay, rival.position, rival.lastMs, before, false, unseenFor(progress, rival.lastMs))
  const first = asSeen(progress, left, rival.lastMs)
  if (first && !first.isDrive) rememberLeaving(stay, first)
  const second = goOnFrom(stay, position, timeMs, { ...rival, isDriving: true, isBusy: true }, standing, unseenMs)
  return first?.isDrive ? first : (asSeen(progress, second, timeMs) ?? first)
}

/** With so few reports it was probably no drive, because a drive would have been reported more often. */
function asSeen(progress: Progress, left: Departure | undefined, timeMs: number): Departure | undefined {
  return left?.isDrive && !wasSeen(progress, left, timeMs) ? { ...left, isDrive: false } : left
}

/** How long the car may have driven before a fix shows it: an interval, or for as long as samples came without a fix. */
function unseenFor({ place, lastMs, busySinceMs, cadenceMs }: Progress, timeMs: number): number | undefined {
  const isBlind = place !== undefined && lastMs !== undefined && lastMs > place.lastMs
  if (!isBlind || busySinceMs === undefined || timeMs - place.lastMs > LONGEST_SILENCE_MS) return cadenceMs
  const usualMs = cadenceMs ?? 0
  return Math.max(usualMs, timeMs - Math.max(place.lastMs, busySinceMs - usualMs))
}

/** Whether motion was observed within a day, so that its absence now is evidence. */
function couldTellLately({ place, odometer, awakeMs }: Progress, timeMs: number): boolean {
  const toldMs = Math.max(place?.lastMs ?? -Infinity, odometer?.timeMs ?? -Infinity, awakeMs ?? -Infinity)
  return timeMs - toldMs <= RECEIVER_LOST_MS
}

/** A parked dongle reports rarely; had the car driven between two reports, there would be more of them. */
function wasSeen(progress: Progress, { fromMs }: Departure, timeMs: number): boolean {
  const { trip, busySinceMs, cadenceMs } = progress
  if (trip !== undefined && isPausedBriefly(trip, fromMs)) return true
  return !isSeldom(timeMs - fromMs, cadenceMs) || (busySinceMs !== undefined && busySinceMs <= fromMs)
}

/** How long the car's speed has shown driving without a new fix, with a receiver present. */
function blindAfter({ blindMs, place }: Progress, reading: Reading, fix: Fix, intervalMs: number): number {
  if (!place || reading.timeMs - place.lastMs > RECEIVER_LOST_MS) return 0
  if (fix !== 'none' && fix !== 'repeated' && fix !== 'refused' && fix !== 'elsewhere') return 0
  return isSpeedOfDriving(reading.vehicleSpeedKmh) ? blindMs + intervalMs : blindMs
}

function isSpeedOfDriving(speedKmh: number | undefined): boolean {
  return speedKmh !== undefined && speedKmh > MOTION_KMH
}

/** The odometer reading that the next one is compared with: the last one, or one a moment earlier if the difference may be rounding. */
function odometerAfter({ odometer }: Progress, km: number, timeMs: number): Progress['odometer'] {
  if (!odometer) return { km, timeMs, sinceMs: timeMs }
  const drivenM = (km - odometer.km) * 1000
  if (drivenM > 0 && drivenM < LEAST_PROGRESS_M && timeMs - odometer.timeMs <= SAME_MOMENT_MS) return odometer
  return { km, timeMs, sinceMs: odometer.km === km ? odometer.sinceMs : timeMs }
}

/** Whether an odometer with a resolution below one kilometre has not changed for minutes. */
export function isOdometerStillAt({ odometer }: Progress, { odometerKm, timeMs }: Reading): boolean {
  return (
    odometer !== undefined &&
    odometerKm === odometer.km &&
    !Number.isInteger(odometerKm) &&
    timeMs - odometer.sinceMs >= MOTION_PAUSE_MS
  )
}

/** A time at which the car had not stopped yet, because the odometer counted on afterwards, even if by too little for a drive. */
function countedFromMs({ odometer }: Progress, { odometerKm, timeMs }: Reading): number {
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
