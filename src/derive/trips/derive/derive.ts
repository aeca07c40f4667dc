import { goToFix } from './believed-fix.ts'
import { turnAt } from './boundaries.ts'
import { isSeldom, silenceOf } from './cadence.ts'
import type { Circumstances, OdometerProgress } from './circumstances.ts'
import { rememberLeaving } from './departure.ts'
import { canTell, isSpeedOfDriving, type Motion, motionOf, tellsPlaceAtMost, wordOf } from './evidence.ts'
import { judge, wasBusy } from './fix-judgement.ts'
import { learn } from './learning.ts'
import { measure } from './measured.ts'
import { countedFromMs, isOdometerStillAt, odometerAfter, progressOf } from './odometer-progress.ts'
import { type EndedTrip, mustLeaveFrom } from './open-trip.ts'
import { applyOutcome, believeOtherTrack, measuredBefore } from './pauses.ts'
import { type Fix, isBelieved, isNext, type Judgement, type Place } from './place.ts'
import { isHybrid, powerAfter } from './power.ts'
import type { Progress } from './progress.ts'
import type { Reading } from './reading.ts'
import { BLIND_LIMIT_MS, FROZEN_FIX_MS, RECEIVER_LOST_MS, UNSURE_DISPLACEMENT_M } from './rules.ts'
import { isUnmoved, provenAtM } from './stay.ts'
import type { VinRun } from './trip.ts'
import { followVin } from './vin-runs.ts'

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
  const judgement = judge(progress, reading)
  const { fix } = judgement
  if (lastMs === undefined || isSeldom(intervalMs, progress.cadenceMs)) progress.busySinceMs = timeMs

  // 1. Whether ignition, engine or neither decides.
  const powerBefore = progress.power
  let power = powerAfter(powerBefore, reading)
  const word = wordOf(power)

  // 2. Where the dongle is. Unplugged, it may be carried anywhere.
  if (power.isUnplugged) {
    progress.stay = undefined
    progress.odometer = undefined
    progress.fixOdometerKm = undefined
  }
  const middle = progress.stay?.middle
  const cameMs = cameMsBefore(progress)
  const leavesAtM = progress.stay ? provenAtM(progress.stay) : UNSURE_DISPLACEMENT_M
  const left = goToFix(progress, reading, judgement.fix, isBusy)
  const departure = left?.isDrive ? left : undefined
  if (left && !departure && progress.stay) rememberLeaving(progress.stay, left)
  const blindMs = blindAfter(progress, reading, judgement.fix, Math.min(intervalMs, silenceMs))
  const odometerProgress = progressOf(progress, reading)
  const { stay } = progress
  if (stay && progress.trip && !stay.outside) {
    const countedMs = odometerProgress?.arrivedMs ?? countedFromMs(progress, reading)
    const isCounted = odometerProgress !== undefined && hasCaughtUp(placeBefore, fix, odometerProgress)
    stay.arrivedMs = isCounted ? countedMs : Math.max(stay.arrivedMs, countedMs)
  }

  // 3. Whether the car moves.
  const heldIsMoving = progress.isMoving && intervalMs < silenceMs && !power.isUnplugged
  const isStill = progress.stay !== undefined && isUnmoved(progress.stay, timeMs)
  const droveOn = departure !== undefined || odometerProgress !== undefined
  const isOdometerStill = isOdometerStillAt(progress, reading)
  // A receiver that repeats its fix is wrong if the odometer counts on.
  const standsStill = isStill && odometerProgress === undefined
  const signs = { heldIsMoving, isUnmoved: standsStill, isOdometerStill, blindMs, intervalMs, fix, droveOn }
  const motion = motionOf(reading, signs)
  const isAwake = reading.meanSpeedKmh !== undefined

  // 4. Whether a trip began or had ended.
  const isWordAlone = reportsWordOnly(reading)
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
    cameMs,
    isOdometerStill,
    cadenceMs: progress.cadenceMs,
    busySinceMs: progress.busySinceMs,
    progress: odometerProgress,
    isByCar: isSpeedOfDriving(reading.vehicleSpeedKmh) || odometerProgress !== undefined,
    canTell: canTell(reading),
    isVague: isVague(reading, fix),
    isWordAlone,
    tellsSpeed: reading.speedKmh !== undefined,
    isAwake,
    hasWoken: isAwake && (progress.awakeMs === undefined || timeMs - progress.awakeMs >= silenceMs),
    position: isNext(judgement.fix) ? reading.position : undefined,
    place: placeBefore,
    middle,
    provenAtM: leavesAtM,
    calibrations: progress.calibrations,
  }
  const wasParked = progress.trip === undefined
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
      isSpeedBelieved: blindMs <= BLIND_LIMIT_MS && !isContradicted(reading, motion, isOdometerStill, judgement),
      isUnmoved: isStill,
      cadenceMs: progress.cadenceMs,
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
  followVin(progress, { vin, timeMs, endMs: ended?.measured.endMs, isUnplug })

  // 7. What is learnt about dongle and car.
  progress.power = power
  learn(progress, { reading, now, turn, wasParked, wasDriving, ended, isUnplug, isBusy })
  if (isAwake) progress.awakeMs = timeMs

  progress.beforeWordMs = isWordAlone ? (progress.beforeWordMs ?? lastMs) : undefined
  progress.lastMs = timeMs
  progress.place = judgement.place
  progress.blindMs = blindMs
  if (reading.odometerKm !== undefined) progress.odometer = odometerAfter(progress, reading.odometerKm, timeMs)
  // A fix that the receiver repeats may be as old as its first report.
  if (isBelieved(fix) && fix !== 'repeated') progress.fixOdometerKm = progress.odometer?.km
  progress.isMoving = reading.isMoving ?? heldIsMoving
  const { vinRun } = progress
  const changedRun = vinRun === vinRunBefore ? undefined : vinRun
  return ended || changedRun ? { ended, vinRun: changedRun } : NO_FACTS
}

/** Whether a reading does not show where the car is, or even whether it drives. A speed of driving does not show how it got there. */
function isVague(reading: Reading, fix: Fix): boolean {
  if (isBelieved(fix)) return false
  if (tellsPlaceAtMost(reading)) return true
  const { position, speedKmh, odometerKm, isMoving } = reading
  if (position !== undefined) return isSpeedOfDriving(speedKmh)
  return isMoving === true && speedKmh === undefined && odometerKm === undefined
}

/** When the car came to the fix of the last reading, as far as that fix shows. */
function cameMsBefore({ stay, lastMs, trip, odometer, power }: Progress): number | undefined {
  if (trip?.opened.rule !== 'motion' || trip.measured.speed.kmh !== undefined || wordOf(power)) return undefined
  if (!stay || stay.count > 1 || stay.outside || stay.insideMs !== lastMs || odometer?.timeMs === lastMs)
    return undefined
  return stay.arrivedMs
}

/** Whether a reading reports ignition or engine and nothing else that matters to trips. */
function reportsWordOnly(reading: Reading): boolean {
  const { isIgnitionOn, isEngineOn, isPluggedIn, isMoving, speedKmh, position, odometerKm } = reading
  if (isIgnitionOn === undefined && isEngineOn === undefined) return false
  const tellsPlace = position !== undefined || odometerKm !== undefined
  return !tellsPlace && isPluggedIn === undefined && isMoving === undefined && speedKmh === undefined
}

/** A receiver that had repeated its fix shows with the next one all that was driven meanwhile; the odometer tells how much of it was driven last. */
function hasCaughtUp(before: Place | undefined, fix: Fix, counted: OdometerProgress): boolean {
  const wasRepeated = before !== undefined && before.lastMs > before.firstMs
  return wasRepeated && fix === 'moved' && counted.fromMs >= before.lastMs
}

/** Whether motion was observed within a day, so that its absence now is evidence. */
function couldTellLately({ place, odometer, awakeMs }: Progress, timeMs: number): boolean {
  const toldMs = Math.max(place?.lastMs ?? -Infinity, odometer?.timeMs ?? -Infinity, awakeMs ?? -Infinity)
  return timeMs - toldMs <= RECEIVER_LOST_MS
}

/**
 * The car's speed is that of driving, and the other evidence outweighs it. In a tunnel, the receiver may repeat its last fix for some
 * minutes with a speed of 0; an odometer that stays the same, or a fix for longer, shows that the speed is stuck.
 */
function isContradicted(
  { vehicleSpeedKmh }: Reading,
  motion: Motion,
  isOdometerStill: boolean,
  { fix, place }: Judgement,
): boolean {
  if (motion !== 'standing' || !isSpeedOfDriving(vehicleSpeedKmh)) return false
  return isOdometerStill || (fix === 'repeated' && place !== undefined && place.lastMs - place.firstMs > FROZEN_FIX_MS)
}

/** How long the car's speed has shown driving without a new fix, with a receiver present. */
function blindAfter({ blindMs, place }: Progress, reading: Reading, fix: Fix, intervalMs: number): number {
  if (!place || reading.timeMs - place.lastMs > RECEIVER_LOST_MS) return 0
  if (fix !== 'none' && fix !== 'repeated' && fix !== 'refused' && fix !== 'elsewhere') return 0
  return isSpeedOfDriving(reading.vehicleSpeedKmh) ? blindMs + intervalMs : blindMs
}
