import { distanceM } from '../../model/earth.ts'
import type { Position } from '../../model/sample.ts'
import { type Departure, outsetOf, SCATTER_COUNT, scatteredM } from './fix-cluster.ts'
import { isDisputed } from './matched-place.ts'
import { type OdometerProgress, odometerFrom } from './odometer.ts'
import { arrivalMs } from './path.ts'
import {
  canShowMotion,
  type Fix,
  isHybrid,
  isNext,
  isWordAlone,
  METER_TYPES,
  type Motion,
  type Reading,
  type Word,
} from './reading.ts'
import {
  BUSY_INTERVALS,
  BUSY_LEAD_MS,
  DATA_GAP_MS,
  DISPLACEMENT_HOLDS_MS,
  IDLE_MS,
  IGNITION_PAUSE_MS,
  LONGEST_SILENCE_MS,
  MISSED_INTERVALS,
  MOTION_PAUSE_MS,
  SAME_MOMENT_MS,
  STANDSTILL_DRIFT_M,
  STANDSTILL_READING_MS,
  TOWN_M_PER_MS,
  UNPROVEN_MS,
  UNPROVEN_PAUSE_MS,
} from './rules.ts'
import {
  copyOfMeasured,
  type EndedTrip,
  type Measured,
  type OpenTrip,
  type Pause,
  type Power,
  type Progress,
} from './state.ts'
import { isAwake, isPausedBriefly, isProven, leaveFrom, lengthM, measuredForSure, measuredFrom } from './trip.ts'

/** The meaning of a reading for the current trip, before it is measured. */
export interface Turn {
  /** The trip that had ended before the reading. */
  readonly ended: EndedTrip | undefined
  readonly trip: OpenTrip | undefined
  readonly outcome: Outcome
  /** The ignition was on for an hour without motion, so it is no longer believed. */
  readonly isIgnitionDoubted: boolean
}

/** Start and end of trips (decisions.md, *Trips*). */
export function turnAt(before: OpenTrip | undefined, context: SampleContext): Turn {
  const isIgnitionDoubted = before !== undefined && context.word?.of === 'ignition' && isIdle(before, context)
  // If the ignition input is wired on, the car drives when it moves.
  const now = isIgnitionDoubted ? { ...context, word: undefined } : context
  const { word, known } = now
  const { isUnplugged } = now.power
  const isDriving = !isUnplugged && drives(before, now)
  const ended = before && endBefore(before, context)
  const isOver = ended !== undefined || (before !== undefined && !word && isForgotten(before, now))
  if (before && !isOver) {
    const outcome = isUnplugged ? 'unplugged' : isDriving ? 'drives' : 'pauses'
    return { ended: undefined, trip: before, outcome, isIgnitionDoubted }
  }
  const endedMs = Math.max(known.boundaryMs, ended?.measured.endMs ?? known.boundaryMs)
  const since = ended ? sinceEnd(now, endedMs) : now
  // The driver is in the car and will drive off, or this proves to be no trip.
  const isWaking = now.hasWoken && word?.of !== 'ignition'
  const hasBegun = (isDriving && (now.motion === 'moving' || word?.isOn === true)) || hasDriven(since)
  if (isUnplugged || !(hasBegun || isWaking)) return { ended, trip: undefined, outcome: 'pauses', isIgnitionDoubted }
  const isAfterGap = ended?.closed.rule === 'gap without data' || !hasBegun
  const trip = openedAt(since, isDriving, isAfterGap, endedMs)
  return { ended, trip, outcome: isDriving ? 'drives' : 'pauses', isIgnitionDoubted }
}

/** Motion that fixes or odometer show for the time before the end of a trip belongs to that trip. */
function sinceEnd(now: SampleContext, endedMs: number): SampleContext {
  const { departure, counted } = now
  return {
    ...now,
    departure: departure && departure.fromMs >= endedMs ? departure : undefined,
    counted: counted && counted.fromMs >= endedMs ? counted : undefined,
  }
}

/** The car is being driven, according to all evidence together. */
function drives(trip: OpenTrip | undefined, { word, motion, isByCar, power, reading }: SampleContext): boolean {
  if (word?.isOn) return true
  const holds = motion === 'unknown' && trip !== undefined && reading.timeMs <= trip.holdsUntilMs
  if (!word) return motion === 'moving' || holds
  // An engine that is off ends no trip while the car moves; what moves a parked one may be a tow truck.
  if (word.of === 'engine')
    return isHybrid(power) ? motion === 'moving' || holds : motion === 'moving' && (trip !== undefined || isByCar)
  return false
}

/** There was a drive between two samples far apart, even if it is over already. */
function hasDriven({ departure, counted, word, isByCar, power }: SampleContext): boolean {
  if (!departure && !counted) return false
  return word === undefined || word.isOn || (word.of === 'engine' && (isByCar || isHybrid(power)))
}

// The end of a trip.

/** A trip that had ended before this instant, whatever is read now. */
function endBefore(trip: OpenTrip, now: SampleContext): EndedTrip | undefined {
  const { opened, pause } = trip
  const { intervalMs, silenceMs } = now
  const { timeMs } = now.reading
  const isSilent = intervalMs >= silenceMs
  if (pause) {
    const longestMs = pause.rule === 'no motion' ? MOTION_PAUSE_MS : IGNITION_PAUSE_MS
    const lastedMs =
      pause.rule === 'ignition off' ? timeMs - pause.sinceMs : resumedMs(now, pause) - stoodFromMs(now, pause)
    if (lastedMs < longestMs && intervalMs <= LONGEST_SILENCE_MS && !now.power.isUnplugged) return undefined
    if (isCutShort(trip, pause, now) || isWithoutPlace(pause, now) || mayHaveGoneOn(pause, now)) return undefined
    if (isSilent && pause.rule === 'no motion' && isAwake(trip)) return endedInGap(trip, now)
    return { opened, measured: pause.measured, closed: { rule: pause.rule, timeMs: pause.measured.endMs } }
  }
  if (isIdle(trip, now) && trip.idle)
    return { opened, measured: trip.idle, closed: { rule: 'no motion', timeMs: trip.idle.endMs } }
  if (!isSilent || isBridged(now, intervalMs)) return undefined
  // The next record may show where the car went meanwhile.
  if (isLeftOpen(trip, now)) return undefined
  return endedInGap(arrivedBefore(trip, now), now)
}

/** No record since the pause began shows the place, so the silence continues; or fixes come
 * from elsewhere, undecided yet. */
function isWithoutPlace(
  { rule, measured: { endMs, isTrip } }: Pause,
  { isVague, power, known: { place }, reading: { timeMs } }: SampleContext,
): boolean {
  if (!isVague || power.isUnplugged || rule !== 'no motion' || !isTrip || !place) return false
  const longestMs = isDisputed(place) ? MOTION_PAUSE_MS : 0
  return place.lastMs - endMs <= longestMs && timeMs - endMs <= LONGEST_SILENCE_MS
}

/** A single record of standstill may be one at a light: the first fix after it lies beyond the scatter of that place,
 * and the next one shows whether the car went on there. */
function mayHaveGoneOn({ rule, measured: { isTrip } }: Pause, now: SampleContext): boolean {
  const { lastMs, cluster } = now.known
  if (rule !== 'no motion' || !isTrip || now.power.isUnplugged || now.isOdometerStill) return false
  if (lastMs === undefined || now.intervalMs > now.silenceMs) return false
  if (cluster?.outside?.timeMs !== now.reading.timeMs || cluster.count >= SCATTER_COUNT) return false
  return distanceM(cluster.middle, cluster.outside.position) > scatteredM(cluster)
}

/** Before the silence the car stood, too briefly to be parked; after it, the car is elsewhere (decisions.md, silence).
 * Parked meanwhile, the dongle would have reported the next drive. */
function isCutShort(trip: OpenTrip, { sinceMs, measured }: Pause, now: SampleContext): boolean {
  const { departure, counted, silenceMs } = now
  const { timeMs } = now.reading
  const leftMs = Math.min(departure?.fromMs ?? timeMs, counted && counted.fromMs >= sinceMs ? counted.fromMs : timeMs)
  const unknownMs = timeMs - leftMs
  if (now.power.isUnplugged || !measured.isTrip || unknownMs < silenceMs) return false
  return isPausedBriefly(trip, leftMs) && isBridged(now, unknownMs)
}

/** If fixes alone showed motion, they also show when the car came to the last one at the earliest: the end is off by the least halfway. */
function arrivedBefore(trip: OpenTrip, { cameMs, known: { lastMs } }: SampleContext): OpenTrip {
  if (cameMs === undefined || lastMs === undefined) return trip
  return { ...trip, measured: copyEndedAt(trip.measured, Math.round((cameMs + lastMs) / 2)) }
}

function endedInGap({ opened, measured }: OpenTrip, { known }: SampleContext): EndedTrip {
  return { opened, measured, closed: { rule: 'gap without data', timeMs: known.lastMs ?? measured.endMs } }
}

/** The start of the standstill: for a car that drives again, when it certainly stood; for one that is still parked, when it arrived. */
function stoodFromMs({ motion }: SampleContext, { sinceMs, measured }: Pause): number {
  return motion === 'moving' ? sinceMs : Math.min(sinceMs, measured.endMs)
}

/** When the car drove on, which may have been long before the second of two samples far apart. */
function resumedMs(now: SampleContext, { rule }: Pause): number {
  const { departure, creeping, motion, counted, known } = now
  const { timeMs } = now.reading
  const left = departure ?? creeping ?? (motion === 'moving' ? outsetIn(now) : undefined)
  const knownMs = Math.min(left?.departedMs ?? timeMs, counted?.departedMs ?? timeMs)
  if (left || counted || motion !== 'moving' || rule !== 'no motion' || known.lastMs === undefined) return knownMs
  // Its speed shows that it drives, but not since when: assume half of a usual interval.
  return timeMs - Math.min(now.intervalMs, known.cadenceMs ?? 0) / 2
}

/** The car is known to have driven on meanwhile (decisions.md, silence). */
function isBridged({ departure, counted, word }: SampleContext, gapMs: number): boolean {
  if (gapMs > LONGEST_SILENCE_MS || (!departure && !counted)) return false
  return word?.of !== 'ignition' || word.isOn
}

/** The ignition is on, and nothing has moved for an hour. */
function isIdle({ pause, movedMs }: OpenTrip, { word, known: { lastMs } }: SampleContext): boolean {
  return pause === undefined && word?.isOn === true && lastMs !== undefined && lastMs - movedMs >= IDLE_MS
}

/** Motion that proved to be false: a spike of speed, or drift around one place. Beyond the range of drift, a standing car may wait at traffic lights. */
function isForgotten(trip: OpenTrip, now: SampleContext): boolean {
  const { opened, pause, measured } = trip
  if (measuredForSure(trip).isTrip) return false
  const { track, otherTrack } = measured
  // It may have driven elsewhere, as long as no fix from here shows when it really left.
  if (otherTrack && !track.path.hasFix && now.departure && opened.rule === 'motion') return true
  if (otherTrack && isProven(otherTrack)) return false
  const { lastMs, cadenceMs, place } = now.known
  // Motion before a silence was real if the car drove on during the silence.
  const timeMs = pause === undefined && hasLeft(now) && lastMs !== undefined ? lastMs : now.reading.timeMs
  const isSpike = opened.rule === 'motion' && pause !== undefined && measured.track.path.reachM < STANDSTILL_DRIFT_M
  // Between two records of a dongle that reports rarely, no more than one may show a car that waits.
  const spikeMs =
    now.motion === 'moving' ? Math.max(UNPROVEN_PAUSE_MS, MISSED_INTERVALS * (cadenceMs ?? 0)) : UNPROVEN_PAUSE_MS
  if (isSpike && timeMs - pause.sinceMs >= spikeMs) return true
  const isUnseen = !place || place.lastMs < opened.timeMs
  const longestMs = isUnseen && pause === undefined ? LONGEST_SILENCE_MS : UNPROVEN_MS
  return timeMs - opened.timeMs >= Math.max(longestMs, now.silenceMs)
}

// The begin of a trip.

/** @param notBeforeMs the end of the trip before */
function openedAt(now: SampleContext, isDriving: boolean, isAfterGap: boolean, notBeforeMs: number): OpenTrip {
  const { word, known } = now
  const { timeMs } = now.reading
  const byWord = word?.isOn ? (word.of === 'ignition' ? 'ignition on' : 'engine on') : undefined
  const rule = isAfterGap ? 'data after a gap' : (byWord ?? 'motion')
  const outset = justBefore(outsetIn(now) ?? now.creeping, now)
  const departure = rule === 'motion' ? (recent(now.departure, timeMs) ?? outset) : sinceLast(now.departure, now)
  const counted = rule === 'motion' ? recent(now.counted, timeMs) : sinceLast(now.counted, now)
  const leftMs = Math.min(departure?.departedMs ?? timeMs, counted?.departedMs ?? timeMs)
  const departedMs = rule === 'motion' ? sinceBusy(leftMs, now) : leftMs
  const startMs = Math.max(departedMs, notBeforeMs + 1)
  const hasStoodThere = byWord !== undefined && !isAfterGap
  const measured = measuredFrom(startMs, known.place?.position, hasStoodThere, known)
  if (departure) leaveFrom(measured.track, departure.from, departure.middle)
  else if (!byWord) measured.track.path.first = now.middle
  if (!byWord) measured.track.path.provenAtM = now.leftAtM
  if (counted) {
    const { fromKm } = counted
    measured.odometer = odometerFrom(fromKm, counted.fromMs, 0)
    measured.meters = METER_TYPES.map(({ name }) => (name === 'MILEAGE' ? [fromKm, fromKm] : undefined))
  }
  return {
    opened: { rule, timeMs },
    measured,
    pause: undefined,
    movedMs: isDriving || !hasLeft(now) ? timeMs : (arrivedMsIn(now) ?? timeMs),
    observedMs: timeMs,
    idle: undefined,
    holdsUntilMs: -Infinity,
  }
}

/** Without a speed, the car is assumed to drive since the dongle reports as often as then.
 * It may have waited at a light. */
function sinceBusy(leftMs: number, { reading, known: { busySinceMs, cadenceMs } }: SampleContext): number {
  if (reading.speedKmh !== undefined || busySinceMs === undefined || cadenceMs === undefined) return leftMs
  const busyMs = leftMs - busySinceMs
  return busyMs >= BUSY_INTERVALS * cadenceMs && busyMs <= BUSY_LEAD_MS ? busySinceMs : leftMs
}

/** Nothing is assumed about a silence of more than half an hour. */
function recent<Known extends { readonly fromMs: number }>(known: Known | undefined, timeMs: number) {
  return known && timeMs - known.fromMs <= LONGEST_SILENCE_MS ? known : undefined
}

/** A dongle that reports rarely finds ignition or engine on long after the car left, but not longer ago than its last sample. */
function sinceLast<Known extends { readonly fromMs: number }>(shown: Known | undefined, now: SampleContext) {
  const { lastMs } = now.known
  return lastMs !== undefined && shown && shown.fromMs >= lastMs ? recent(shown, now.reading.timeMs) : undefined
}

/** The car was already on its way and only waited at traffic lights, for no longer than the usual interval. */
function justBefore(outset: Departure | undefined, { motion, reading, known }: SampleContext): Departure | undefined {
  if (!outset || reading.timeMs - outset.departedMs <= STANDSTILL_READING_MS) return outset
  return motion === 'moving' && reading.timeMs - outset.fromMs <= (known.cadenceMs ?? 0) ? outset : undefined
}

// A sample in its context, to decide about the trip.

export interface SampleContext {
  /** Before the sample, but for the cluster of its fixes and how often it reports. */
  readonly known: Progress
  readonly reading: Reading
  readonly fix: Fix
  /** How long the sample before is ago; and from how long on it is a silence of this dongle. */
  readonly intervalMs: number
  readonly silenceMs: number
  readonly power: Power
  /** Ignition or engine; undefined if neither decides. */
  readonly word: Word | undefined
  readonly motion: Motion
  /** How the car left its place, if the fix of this reading shows it; and how it crept away, without evidence of driving. */
  readonly departure: Departure | undefined
  readonly creeping: Departure | undefined
  /** Driving shown by the odometer of this reading. */
  readonly counted: OdometerProgress | undefined
  /** Fixes show standstill; and the odometer does. */
  readonly isStill: boolean
  readonly isOdometerStill: boolean
  /** When the car arrived at the fix of the reading before, if fixes alone showed its motion and no more than that fix shows its place. */
  readonly cameMs: number | undefined
  /** The middle of the fixes before, and how far from it the car has certainly left. */
  readonly middle: Position | undefined
  readonly leftAtM: number
  /** The car's own speed or its odometer shows driving, which towing cannot cause. */
  readonly isByCar: boolean
  /** Its position is not believed, or not yet, and nothing else shows where the car is. */
  readonly isVague: boolean
  /** The car reports its speed for the first time after a silence. */
  readonly hasWoken: boolean
  /** How long the car's speed has shown driving without a new fix. */
  readonly blindMs: number
  /** The last IS_MOVING was true and still holds. */
  readonly heldIsMoving: boolean
}

/** The car has moved since the reading before. */
function hasLeft({ departure, creeping, counted }: SampleContext): boolean {
  return departure !== undefined || creeping !== undefined || counted !== undefined
}

/** How the car left its place, without proof yet that it drives. */
function outsetIn({ known: { cluster, cadenceMs } }: SampleContext): Departure | undefined {
  return cluster && outsetOf(cluster, cadenceMs)
}

/** When the car arrived at the place of its fixes; undefined without fixes. */
function arrivedMsIn(now: SampleContext): number | undefined {
  const { known, reading, departure, creeping, counted } = now
  const { cluster, place } = known
  const { timeMs, position } = reading
  if (departure || creeping) return cluster?.arrivedMs
  // The receiver may repeat a fix while the car drives on. A motion sensor reports standstill at once.
  if (counted) return now.motion === 'standing' && reading.speedKmh === undefined ? timeMs : counted.arrivedMs
  if (now.isStill) return cluster?.arrivedMs
  return position && place && isNext(now.fix) ? arrivalMs(place, position, timeMs) : undefined
}

/** The meaning of a reading for the trip that it belongs to. */
type Outcome = 'drives' | 'pauses' | 'unplugged'

// The pauses of a trip.

/** The first record after a silence does not show where the car went meanwhile. The engine of a hybrid shows nothing of that. */
function isLeftOpen({ pause, measured }: OpenTrip, now: SampleContext): boolean {
  const { word, intervalMs } = now
  if (!now.isVague || pause || now.known.lastMs === undefined || !measured.isTrip) return false
  if (word && !isHybrid(now.power) && !(isWordAlone(now.reading) && (word.isOn || word.of === 'engine'))) return false
  return intervalMs >= now.silenceMs && intervalMs <= LONGEST_SILENCE_MS
}

/** The measurements of a trip before a reading; a copy if a pause may begin with the reading. */
export function measuredBefore({ measured, pause }: OpenTrip, outcome: Outcome): Measured {
  return outcome === 'pauses' && !pause ? copyOfMeasured(measured) : measured
}

/** Another track is believed now: what was kept of the trip before is corrected to it.
 * @param before from `measuredBefore` */
export function believeOtherTrack(trip: OpenTrip, before: Measured): Measured {
  const { pause, measured } = trip
  trip.idle = undefined
  if (pause) trip.pause = { ...pause, measured: copyEndedAt(measured, pause.measured.endMs) }
  return before === measured ? measured : copyEndedAt(measured, before.endMs)
}

/** Updates the trip after the reading was measured.
 * @param before from `measuredBefore` @returns the trip if the unplugging ended it */
export function applyOutcome(
  trip: OpenTrip,
  outcome: Outcome,
  before: Measured,
  now: SampleContext,
): EndedTrip | undefined {
  const { opened, measured } = trip
  const { word } = now
  const { timeMs, meanSpeedKmh } = now.reading
  if (outcome === 'unplugged') return { opened, measured, closed: { rule: 'unplugged', timeMs } }
  noteMotion(trip, now)
  if (outcome === 'drives') {
    trip.pause = undefined
    if (!word?.isOn) trip.idle = undefined
    else if (!trip.idle && timeMs - trip.movedMs >= MOTION_PAUSE_MS) trip.idle = idleFrom(measured, trip.movedMs)
  } else if (isLeftOpen(trip, now))
    trip.pause = { rule: 'no motion', sinceMs: before.endMs, measured: before, isSettled: true }
  else if (word?.of === 'ignition') trip.pause ??= pauseAt(measured, 'ignition off', timeMs)
  else if (word && !trip.pause && meanSpeedKmh === undefined && !isHybrid(now.power) && !hasLeftUnseen(now))
    trip.pause = pauseAt(measured, 'engine off', timeMs)
  else if (trip.pause?.rule !== 'engine off' || hasLeft(now)) trip.pause = standstill(trip, before, now)
  return undefined
}

/** The car has moved since the reading before, in an interval in which it may also have stood for a while. */
function hasLeftUnseen(now: SampleContext): boolean {
  return hasLeft(now) && now.intervalMs > SAME_MOMENT_MS
}

/** If motion could not be observed for minutes, its absence is no evidence. */
function noteMotion(trip: OpenTrip, now: SampleContext): void {
  const { reading, departure, counted } = now
  const { timeMs } = reading
  if (canShowMotion(reading)) trip.observedMs = timeMs
  if (now.motion === 'moving' || hasLeft(now) || timeMs - trip.observedMs >= DATA_GAP_MS) {
    const hasArrived = now.motion !== 'moving' && hasLeft(now)
    trip.movedMs = hasArrived ? Math.max(trip.movedMs, arrivedMsIn(now) ?? timeMs) : timeMs
    trip.idle = undefined
  }
  if ((departure || counted) && reading.speedKmh === undefined) trip.holdsUntilMs = timeMs + DISPLACEMENT_HOLDS_MS
}

/** A pause without motion: from the last motion to the first reading of standstill. */
function standstill({ pause, measured, movedMs }: OpenTrip, before: Measured, now: SampleContext): Pause {
  const { motion, reading, known } = now
  const { timeMs } = reading
  const { cluster, place } = known
  const hasSpeed = reading.speedKmh !== undefined
  // An odometer that is reported rarely may have counted on long before the last motion.
  // The car did not arrive before a reading whose speed showed motion, however close the fix before was.
  const wasReportedMoving = measured.speed.kmh !== undefined && movedMs < timeMs
  const leastMs = now.counted || wasReportedMoving ? movedMs : 0
  if (hasLeft(now)) {
    const arrivedMs = arrivedMsIn(now) ?? timeMs
    return pauseSince(measured, arrivedMs >= leastMs ? arrivedMs : stoppedMs(now, movedMs), timeMs)
  }
  if (pause?.isSettled) return isConfirmed(now) ? pause : lastedUntil(pause, measured, now)
  // The engine of a hybrid that runs while the car stands is no drive.
  const droveMs =
    isHybrid(now.power) && canShowMotion(reading)
      ? Math.min(before.endMs, Math.max(movedMs, measured.startMs))
      : before.endMs
  const sinceMs = pause?.sinceMs ?? droveMs
  if (motion === 'standing') {
    const arrivedMs = arrivedMsIn(now)
    const seenMs = now.isStill && cluster ? Math.max(sinceMs, cluster.sinceMs) : timeMs
    // Fixes show best when the car arrived, unless a speed is reported all the time.
    if (arrivedMs !== undefined && (!hasSpeed || timeMs - sinceMs > SAME_MOMENT_MS))
      return pauseSince(measured, hasSpeed ? Math.max(sinceMs, arrivedMs) : arrivedMs, pause?.sinceMs ?? seenMs)
    const sinceMotionMs = timeMs - sinceMs
    if (sinceMotionMs <= SAME_MOMENT_MS)
      return { rule: 'no motion', sinceMs, measured: copyOfMeasured(measured), isSettled: true }
    // It stopped somewhere between the two readings.
    if (sinceMotionMs <= Math.min(STANDSTILL_READING_MS, 2 * Math.max(known.cadenceMs ?? Infinity, SAME_MOMENT_MS)))
      return pauseSince(measured, sinceMs + sinceMotionMs / 2, pause?.sinceMs ?? timeMs)
  }
  if (pause) return pause
  // Only fixes showed motion, and they show when the car arrived.
  const showsArrival =
    cluster && place?.lastMs === before.endMs && movedMs <= cluster.sinceMs && cluster.arrivedMs < before.endMs
  if (before.speed.kmh === undefined && showsArrival) return pauseSince(before, cluster.arrivedMs, cluster.sinceMs)
  return { rule: 'no motion', sinceMs, measured: before, isSettled: false }
}

/** A car that moved at one reading and stands at the next one arrived somewhere between the two, if its way shows no more. */
function stoppedMs({ known, reading, motion }: SampleContext, movedMs: number): number {
  if (motion !== 'standing' || known.lastMs !== movedMs) return movedMs
  return movedMs + Math.min(reading.timeMs - movedMs, known.cadenceMs ?? 0) / 2
}

/** The place where the car seemed to stop is reported again, or anything else shows where the car is. */
function isConfirmed({ known: { cluster, place }, reading, fix, counted }: SampleContext): boolean {
  if ((reading.position && isNext(fix)) || counted || !cluster) return true
  return (
    cluster.count > 1 || (cluster.outside !== undefined && place !== undefined && place.lastMs > cluster.outside.timeMs)
  )
}

/** A single fix does not show for how long the car stood there: it may wait at the last traffic lights before a garage. */
function lastedUntil(pause: Pause, measured: Measured, { known: { place } }: SampleContext): Pause {
  if (!place || place.lastMs <= pause.measured.endMs || pause.rule !== 'no motion') return pause
  return { ...pause, measured: copyEndedAt(measured, place.lastMs) }
}

function pauseAt(measured: Measured, rule: Pause['rule'], timeMs: number): Pause {
  return { rule, sinceMs: timeMs, measured: copyOfMeasured(measured), isSettled: true }
}

/** A pause that began with a reading. @param arrivedMs the estimated end of the trip if the car does not drive on */
function pauseSince(measured: Measured, arrivedMs: number, sinceMs: number): Pause {
  const { startMs } = measured
  // Start and end of a way between two records are estimated separately and must not be reversed.
  const endMs = arrivedMs > startMs ? arrivedMs : startMs + lengthM(measured) / TOWN_M_PER_MS
  return { rule: 'no motion', sinceMs, measured: copyEndedAt(measured, Math.round(endMs)), isSettled: true }
}

/** A car that never moved after the ignition was switched on did not drive, whatever indicated motion at that instant. */
function idleFrom(measured: Measured, movedMs: number): Measured {
  const copy = copyEndedAt(measured, movedMs)
  if (copy.endMs === copy.startMs) copy.isTrip = false
  return copy
}

/** The same if the car stood from then on. */
function copyEndedAt(measured: Measured, endMs: number): Measured {
  const copy = copyOfMeasured(measured)
  copy.endMs = Math.min(copy.endMs, Math.max(copy.startMs, endMs))
  return copy
}
