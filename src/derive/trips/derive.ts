import { distanceM } from '../../model/earth.ts'
import { vinIn } from '../../model/vin.ts'
import { applyOutcome, believeOtherTrack, measuredBefore, type SampleContext, type Turn, turnAt } from './boundaries.ts'
import { goToFix, isContradicted, isUnmoved, leftAtM } from './fix-cluster.ts'
import { judge } from './matched-place.ts'
import { countedFromMs, isOdometerStillAt, odometerAfter, progressOf } from './odometer.ts'
import {
  cadenceAfter,
  canShowMotion,
  type Fix,
  isBelieved,
  isSeldom,
  isSpeedOfDriving,
  isStandstill,
  isWordAlone,
  type JudgedFix,
  motionOf,
  parkedAfter,
  powerAfter,
  type Reading,
  silenceOf,
  wasBusy,
  withDoubt,
  withElectric,
  wordOf,
} from './reading.ts'
import {
  BLIND_LIMIT_MS,
  LONGEST_SILENCE_MS,
  MOTION_DISPLACEMENT_M,
  MOTION_KMH,
  RECEIVER_LOST_MS,
  UNSURE_DISPLACEMENT_M,
} from './rules.ts'
import type { BelievedPlace, EndedTrip, OpenTrip, Progress, VinRun } from './state.ts'
import { hasDrivenHere, isOtherTrack, judgedAgain, learnt, measure } from './trip.ts'

export interface Facts {
  /** The trips that ended for good, by start. */
  readonly ended: readonly EndedTrip[]
  /** A run that began or was confirmed, or whose boundary became known. */
  readonly vinRun: VinRun | undefined
}

/** Everything that depends on the order of samples, step by step. @param progress updated in place */
export function derive(progress: Progress, reading: Reading): Facts & { readonly now: SampleContext } {
  const isBusy = wasBusy(progress)
  const judged = judge(progress, reading)
  const now = contextOf(progress, reading, judged.fix, isBusy)
  const before = progress.trip
  const wasDriving = before !== undefined && !before.pause
  const turn = turnAt(before, now)
  const over = followTrip(progress, judged, now, turn)
  const ended = over?.measured.isTrip ? over : undefined
  const decided = decidedBy(progress, judged, over, now.power.isUnplugged)
  const isUnplug = now.power.isUnplugged && !progress.power.isUnplugged
  const vinRun = followVin(progress, reading, ended, isUnplug)
  learnPower(progress, now, turn, before === undefined ? 'parked' : wasDriving ? 'driving' : 'paused')
  if (wasDriving && turn.outcome === 'drives') learnCadence(progress, now, turn.trip?.opened)
  const { lastMs, cadenceMs, parkedMs } = progress
  progress.parkedMs =
    cadenceMs === undefined && lastMs !== undefined ? parkedAfter(parkedMs, now.intervalMs) : undefined
  if (isUnplug) Object.assign(progress, { calibrations: [], speedCalibrations: [] })
  else if (ended) Object.assign(progress, learnt(progress, ended.measured))
  remember(progress, judged, now)
  return { ended: decided, vinRun, now }
}

/** 1. Whether ignition, engine or neither decides, where the dongle is, and whether the car moves. */
function contextOf(progress: Progress, reading: Reading, fix: Fix, isBusy: boolean): SampleContext {
  const { timeMs, meanSpeedKmh } = reading
  const { lastMs, place } = progress
  const intervalMs = lastMs === undefined ? 0 : timeMs - lastMs
  const silenceMs = silenceOf(progress)
  if (lastMs === undefined || isSeldom(intervalMs, progress.cadenceMs)) progress.busySinceMs = timeMs
  const power = powerAfter(progress.power, reading)
  // Unplugged, it may be carried anywhere.
  if (power.isUnplugged) {
    progress.cluster = undefined
    progress.odometer = undefined
    progress.fixOdometerKm = undefined
  }
  const clusterBefore = { middle: progress.cluster?.middle, leftAtM: progress.cluster && leftAtM(progress.cluster) }
  const isOdometerStill = isOdometerStillAt(progress, reading)
  const isStray = isContradicted(progress, reading, isOdometerStill)
  const left = goToFix(progress, reading, fix, isBusy)
  const departure = left?.isDrive && !isStray ? left : undefined
  // The next leap may lead on from there.
  if (left && isStray && progress.cluster) progress.cluster.left = { position: left.from, timeMs: left.departedMs }
  const blindMs = blindAfter(progress, reading, fix, Math.min(intervalMs, silenceMs))
  const counted = progressOf(progress, reading)
  const { cluster } = progress
  if (cluster && progress.trip && !cluster.outside) {
    cluster.arrivedMs = counted?.arrivedMs ?? Math.max(cluster.arrivedMs, countedFromMs(progress, reading))
  }
  const isStill = cluster !== undefined && isUnmoved(cluster, timeMs)
  const isByCar = isSpeedOfDriving(reading.vehicleSpeedKmh) || counted !== undefined
  const heldIsMoving = progress.isMoving && intervalMs < silenceMs && !power.isUnplugged
  const motion = motionOf(reading, {
    heldIsMoving,
    // A receiver that repeats its fix is wrong if the odometer counts on, or a car that drove says that it drives.
    isUnmoved:
      isStill &&
      counted === undefined &&
      fix !== 'elsewhere' &&
      !(fix === 'repeated' && isByCar && hasDrivenHere(progress)),
    isOdometerStill,
    blindMs,
    intervalMs,
    fix,
    droveOn:
      departure !== undefined || counted !== undefined || (droveElsewhere(place, reading, fix) && !wordOf(power)),
  })
  return {
    known: progress,
    reading,
    fix,
    intervalMs,
    silenceMs,
    power,
    word: wordOf(power),
    motion,
    departure,
    creeping: departure ? undefined : left,
    counted,
    isStill,
    isOdometerStill,
    middle: clusterBefore.middle,
    leftAtM: clusterBefore.leftAtM ?? UNSURE_DISPLACEMENT_M,
    isByCar,
    isVague: isVague(reading, fix),
    hasWoken: meanSpeedKmh !== undefined && (progress.awakeMs === undefined || timeMs - progress.awakeMs >= silenceMs),
    blindMs,
    heldIsMoving,
  }
}

/** Wherever the car is, it drives: the fixes that are not believed yet lead on. */
function droveElsewhere(before: BelievedPlace | undefined, { position, timeMs }: Reading, fix: Fix): boolean {
  const rival = before?.rival
  if (fix !== 'elsewhere' || !position || !rival) return false
  const isFast = distanceM(rival.position, position) > (MOTION_KMH / 3600) * (timeMs - rival.lastMs)
  return isFast && distanceM(rival.firstPosition, position) >= MOTION_DISPLACEMENT_M
}

/** How long the car's speed has shown driving without a new fix, with a receiver present. */
function blindAfter({ blindMs, place }: Progress, reading: Reading, fix: Fix, intervalMs: number): number {
  if (!place || reading.timeMs - place.lastMs > RECEIVER_LOST_MS) return 0
  if (isBelieved(fix) && fix !== 'repeated') return 0
  // One that is stuck never says that the car stands.
  if (isStandstill(reading.vehicleSpeedKmh)) return 0
  return isSpeedOfDriving(reading.vehicleSpeedKmh) ? blindMs + intervalMs : blindMs
}

/** A reading does not show where the car is, or even whether it drives. A speed of driving does not show how it got there. */
function isVague(reading: Reading, fix: Fix): boolean {
  const { position, speedKmh, odometerKm, isMoving } = reading
  if (isBelieved(fix) || odometerKm !== undefined || isMoving === false) return false
  return speedKmh === undefined || (position !== undefined && isSpeedOfDriving(speedKmh))
}

/** 2. Length, meters and route of the trip. @returns the trip that ended, before the reading or with it */
function followTrip(
  progress: Progress,
  judged: JudgedFix,
  now: SampleContext,
  { trip, outcome, ended, isIgnitionDoubted }: Turn,
): EndedTrip | undefined {
  progress.trip = outcome === 'unplugged' ? undefined : trip
  if (!trip) return ended
  const { reading, fix, motion, word } = now
  const { place } = progress
  const { timeMs } = reading
  const before = measuredBefore(trip, outcome)
  const couldBeRefuted = trip.measured.isTrip || trip.measured.otherTrack !== undefined
  measure(trip.measured, reading, {
    judged,
    isSpeedBelieved: now.blindMs <= BLIND_LIMIT_MS && !(now.isOdometerStill && motion === 'standing'),
    isUnmoved: now.isStill,
    cadenceMs: progress.cadenceMs,
    silenceMs: now.silenceMs,
    couldTell: canShowMotion(reading),
    hasReceiver: place !== undefined && timeMs - place.lastMs <= RECEIVER_LOST_MS,
    hasMoved: motion === 'moving' || now.departure !== undefined || now.counted !== undefined,
    isByWord: word !== undefined && !isIgnitionDoubted && (word.isOn || trip.opened.rule !== 'motion'),
  })
  const isRefuted = couldBeRefuted && !trip.measured.isTrip
  const unmoved = isOtherTrack(fix) || isRefuted ? believeOtherTrack(trip, before) : before
  return applyOutcome(trip, outcome, unmoved, isIgnitionDoubted ? { ...now, word: undefined } : now) ?? ended
}

/** Trips that ended while fixes came from two places are judged again by what follows, as long as that is not decided.
 * @param over ended with this reading @returns those that no later fix changes */
function decidedBy(
  progress: Progress,
  { fix, place }: JudgedFix,
  over: EndedTrip | undefined,
  isUnplugged: boolean,
): readonly EndedTrip[] {
  const { place: before, undecided } = progress
  if (!over && undecided.length === 0) return undecided
  const all = over ? [...undecided, over] : undecided
  const isOpen = place?.rival !== undefined && !isUnplugged
  // With an unplug a trip ends with this very reading.
  const isJudged = !isUnplugged && (isOtherTrack(fix) || !isOpen)
  const ended = isJudged ? all.map(trip => judgedAgain(trip, fix, before?.rival)) : all
  progress.undecided = isOpen && ended.some(({ measured }) => measured.otherTrack) ? ended.slice(-MOST_UNDECIDED) : []
  return ended.slice(0, ended.length - progress.undecided.length).filter(({ measured }) => measured.isTrip)
}

/** More trips hardly end within the minutes in which fixes from two places come. */
const MOST_UNDECIDED = 3

/** 3. Which car it is in: the run of equal VIN readings, and the last instant at which it may have changed.
 * @param ended with this reading @param isUnplug it was plugged in before @returns the run if it changed */
function followVin(
  progress: Progress,
  { vin: text, timeMs }: Reading,
  ended: EndedTrip | undefined,
  isUnplug: boolean,
): VinRun | undefined {
  const before = progress.vinRun
  const endMs = ended?.measured.endMs
  // A trip had ended: its pause lasted, and the run began in it.
  if (before && endMs !== undefined && endMs > before.boundaryMs && endMs < before.firstMs)
    progress.vinRun = { ...before, boundaryMs: endMs }
  if (endMs !== undefined && endMs < timeMs) progress.boundaryMs = Math.max(progress.boundaryMs, endMs)
  const vin = text === undefined ? undefined : vinIn(text)
  if (vin !== undefined) {
    const run = progress.vinRun
    if (run?.vin !== vin)
      progress.vinRun = { vin, firstMs: timeMs, boundaryMs: progress.boundaryMs, isConfirmed: false }
    else if (!run.isConfirmed) progress.vinRun = { ...run, isConfirmed: true }
  }
  if (isUnplug || endMs === timeMs) progress.boundaryMs = timeMs
  return progress.vinRun === before ? undefined : progress.vinRun
}

/** 4. Ignition and engine show driving in this car. @param before what the car did before, as far as trips show */
function learnPower(
  progress: Progress,
  { power, word, motion, isByCar, departure, reading, intervalMs, silenceMs }: SampleContext,
  { trip, isIgnitionDoubted }: Turn,
  before: 'parked' | 'driving' | 'paused',
): void {
  progress.power = isIgnitionDoubted ? withDoubt(power) : power
  if (word?.of !== 'engine' || word.isOn || motion !== 'moving') return
  if (before === 'driving' && (isByCar || departure))
    progress.power = withElectric(progress.power, Math.min(intervalMs, silenceMs))
  // With a record every few minutes, the first one of a drive may be the only one. The speed of the receiver is one of this instant.
  else if (before === 'parked' && trip && isByCar && isSpeedOfDriving(reading.gpsSpeedKmh))
    progress.power = withElectric(progress.power, Math.min(intervalMs, reading.timeMs - trip.measured.startMs))
}

/** How often the dongle reports while the car drives. */
function learnCadence(progress: Progress, { reading }: SampleContext, opened: OpenTrip['opened'] | undefined): void {
  const { lastMs, cadenceMs, beforeWordMs } = progress
  // A sample that reports only a word of ignition or engine is sent out of turn, in the middle of an interval.
  const regularMs = reading.timeMs - (beforeWordMs ?? lastMs ?? reading.timeMs)
  // A single long interval is a silence, and the first one after ignition on is a part of one.
  if (opened?.rule !== 'motion' && opened?.timeMs === lastMs) return
  if (regularMs <= LONGEST_SILENCE_MS && !isWordAlone(reading)) progress.cadenceMs = cadenceAfter(cadenceMs, regularMs)
}

/** 5. The last values, for the next reading. */
function remember(
  progress: Progress,
  { fix, place }: JudgedFix,
  { reading, blindMs, heldIsMoving }: SampleContext,
): void {
  const { timeMs, odometerKm } = reading
  progress.isMoving = reading.isMoving ?? heldIsMoving
  if (reading.meanSpeedKmh !== undefined) progress.awakeMs = timeMs
  progress.beforeWordMs = isWordAlone(reading) ? (progress.beforeWordMs ?? progress.lastMs) : undefined
  progress.lastMs = timeMs
  progress.place = place
  progress.blindMs = blindMs
  if (odometerKm !== undefined) progress.odometer = odometerAfter(progress, odometerKm, timeMs)
  // A fix that the receiver repeats may be as old as its first report.
  if (isBelieved(fix) && fix !== 'repeated') progress.fixOdometerKm = progress.odometer?.km
}
