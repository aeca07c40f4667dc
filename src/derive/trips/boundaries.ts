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
  METER_TYPES,
  type Motion,
  type Reading,
  type Word,
} from './reading.ts'
import {
  BUSY_LEAD_MS,
  DATA_GAP_MS,
  DISPLACEMENT_HOLDS_MS,
  IDLE_MS,
  IGNITION_PAUSE_MS,
  LONGEST_SILENCE_MS,
  MOTION_PAUSE_MS,
  SAME_MOMENT_MS,
  STANDSTILL_READING_MS,
  TOWN_M_PER_MS,
  UNPROVEN_MS,
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
import { isAwake, isPausedBriefly, leaveFrom, lengthM, measuredForSure, measuredFrom } from './trip.ts'

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
  const trip = openedAt(since, isAfterGap, endedMs)
  return { ended, trip, outcome: isDriving ? 'drives' : 'pauses', isIgnitionDoubted }
}

/** Motion that fixes or odometer show for the time before the end of a trip belongs to that trip. */
function sinceEnd(now: SampleContext, endedMs: number): SampleContext {
  const since = <Shown extends { readonly fromMs: number }>(shown: Shown | undefined) =>
    shown && shown.fromMs >= endedMs ? shown : undefined
  return { ...now, departure: since(now.departure), counted: since(now.counted) }
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
    // A car that drives again stood since it certainly did; one that is still parked, since it arrived.
    const stoodMs = now.motion === 'moving' ? pause.sinceMs : Math.min(pause.sinceMs, pause.measured.endMs)
    const lastedMs = pause.rule === 'ignition off' ? timeMs - pause.sinceMs : resumedMs(now) - stoodMs
    if (lastedMs < longestMs && intervalMs <= LONGEST_SILENCE_MS && !now.power.isUnplugged) return undefined
    if (mayGoOn(trip, pause, now)) return undefined
    if (isSilent && pause.rule === 'no motion' && isAwake(trip)) return endedInGap(trip, now)
    return { opened, measured: pause.measured, closed: { rule: pause.rule, timeMs: pause.measured.endMs } }
  }
  if (isIdle(trip, now) && trip.idle)
    return { opened, measured: trip.idle, closed: { rule: 'no motion', timeMs: trip.idle.endMs } }
  if (!isSilent || isBridged(now, intervalMs)) return undefined
  return endedInGap(trip, now)
}

/** A pause of a trip is none if the car is elsewhere after a silence, or as long as nothing shows where it is. */
function mayGoOn(trip: OpenTrip, { rule, sinceMs, measured }: Pause, now: SampleContext): boolean {
  const { departure, counted, known, reading } = now
  const { place, cluster } = known
  const { timeMs } = reading
  if (now.power.isUnplugged || rule !== 'no motion' || !measured.isTrip) return false
  // It stood too briefly to be parked: parked meanwhile, the dongle would have reported the next drive.
  const leftMs = Math.min(departure?.fromMs ?? timeMs, counted && counted.fromMs >= sinceMs ? counted.fromMs : timeMs)
  const unknownMs = timeMs - leftMs
  if (unknownMs >= now.silenceMs && isPausedBriefly(trip, leftMs) && isBridged(now, unknownMs)) return true
  // No record since then shows the place; or fixes come from elsewhere, undecided yet.
  if (now.isVague && place && timeMs - measured.endMs <= LONGEST_SILENCE_MS)
    return place.lastMs - measured.endMs <= (isDisputed(place) ? MOTION_PAUSE_MS : 0)
  // A single record of standstill may be one at a light: the first fix beyond its scatter waits for the next one.
  if (cluster?.outside?.timeMs !== timeMs || cluster.count >= SCATTER_COUNT) return false
  return distanceM(cluster.middle, cluster.outside.position) > scatteredM(cluster)
}

function endedInGap({ opened, measured }: OpenTrip, { known }: SampleContext): EndedTrip {
  return { opened, measured, closed: { rule: 'gap without data', timeMs: known.lastMs ?? measured.endMs } }
}

/** When the car drove on, which may have been long before the second of two samples far apart. */
function resumedMs(now: SampleContext): number {
  const { departure, creeping, motion, counted, known, reading, intervalMs } = now
  const { timeMs } = reading
  const left = departure ?? creeping ?? (motion === 'moving' ? outsetIn(now) : undefined)
  if (left || counted) return Math.min(left?.departedMs ?? timeMs, counted?.departedMs ?? timeMs)
  // Its speed shows that it drives, but not since when: assume half of a usual interval.
  return motion === 'moving' ? timeMs - Math.min(intervalMs, known.cadenceMs ?? 0) / 2 : timeMs
}

/** The car is known to have driven on meanwhile (decisions.md, silence), or nothing shows yet where it went. */
function isBridged({ departure, counted, isVague, word }: SampleContext, gapMs: number): boolean {
  if (gapMs > LONGEST_SILENCE_MS || !(departure || counted || isVague)) return false
  return word?.of !== 'ignition' || word.isOn
}

/** The ignition is on, and nothing has moved for an hour. */
function isIdle({ pause, movedMs }: OpenTrip, { word, known: { lastMs } }: SampleContext): boolean {
  return pause === undefined && word?.isOn === true && lastMs !== undefined && lastMs - movedMs >= IDLE_MS
}

/** Motion that proved to be false, such as drift around one place. */
function isForgotten(trip: OpenTrip, now: SampleContext): boolean {
  if (measuredForSure(trip).isTrip) return false
  const { track, otherTrack } = trip.measured
  // It may have driven elsewhere, as long as no fix from here shows when it really left.
  if (otherTrack && !track.path.hasFix && now.departure && trip.opened.rule === 'motion') return true
  const { lastMs, place } = now.known
  // Motion before a silence was real if the car drove on during the silence.
  const timeMs = trip.pause === undefined && hasLeft(now) && lastMs !== undefined ? lastMs : now.reading.timeMs
  const isSeen = place && place.lastMs >= trip.opened.timeMs
  return timeMs - trip.opened.timeMs >= (isSeen ? Math.max(UNPROVEN_MS, now.silenceMs) : LONGEST_SILENCE_MS)
}

// The begin of a trip.

/** @param notBeforeMs the end of the trip before */
function openedAt(now: SampleContext, isAfterGap: boolean, notBeforeMs: number): OpenTrip {
  const { word, known } = now
  const { timeMs } = now.reading
  const byWord = word?.isOn ? (word.of === 'ignition' ? 'ignition on' : 'engine on') : undefined
  const rule = isAfterGap ? 'data after a gap' : (byWord ?? 'motion')
  const outset = justBefore(outsetIn(now) ?? now.creeping, now)
  // Nothing is assumed about a silence of more than half an hour, and ignition or engine were found off at the last sample.
  const earliestMs = Math.max(timeMs - LONGEST_SILENCE_MS, rule === 'motion' ? -Infinity : (known.lastMs ?? timeMs))
  const shown = <Known extends { readonly fromMs: number }>(by?: Known) =>
    by && by.fromMs >= earliestMs ? by : undefined
  const departure = shown(now.departure) ?? (rule === 'motion' ? outset : undefined)
  const counted = shown(now.counted)
  const departedMs = Math.min(departure?.departedMs ?? timeMs, counted?.departedMs ?? timeMs)
  const startMs = Math.max(rule === 'motion' ? sinceBusy(departedMs, now) : departedMs, notBeforeMs + 1)
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
    movedMs: timeMs,
    observedMs: timeMs,
    idle: undefined,
    holdsUntilMs: -Infinity,
  }
}

/** Fewer reports than this do not show that a dongle reports as it does while driving. */
const BUSY_INTERVALS = 6

/** A dongle that tells no speed, and was silent until minutes before the car seems to have left, woke up with the drive. */
function sinceBusy(leftMs: number, { reading, known: { busySinceMs, cadenceMs } }: SampleContext): number {
  if (reading.speedKmh !== undefined || busySinceMs === undefined || cadenceMs === undefined) return leftMs
  const busyMs = leftMs - busySinceMs
  return busyMs >= BUSY_INTERVALS * cadenceMs && busyMs <= BUSY_LEAD_MS ? busySinceMs : leftMs
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
  // A motion sensor reports standstill at once.
  if (counted && !departure && !creeping)
    return reading.isMoving === false && reading.speedKmh === undefined && !now.word ? timeMs : counted.arrivedMs
  if (departure || creeping || now.isStill) return cluster?.arrivedMs
  return position && place && isNext(now.fix) ? arrivalMs(place, position, timeMs) : undefined
}

/** The meaning of a reading for the trip that it belongs to. */
type Outcome = 'drives' | 'pauses' | 'unplugged'

// The pauses of a trip.

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
  } else if (word?.of === 'ignition') trip.pause ??= pauseAt(measured, 'ignition off', timeMs)
  // In an interval in which the car also moved, the engine does not show when it arrived.
  else if (word && !trip.pause && meanSpeedKmh === undefined && !isHybrid(now.power) && !hasLeft(now))
    trip.pause = pauseAt(measured, 'engine off', timeMs)
  else if (trip.pause?.rule !== 'engine off' || hasLeft(now)) trip.pause = standstill(trip, before, now)
  return undefined
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
  const { cluster } = known
  const hasSpeed = reading.speedKmh !== undefined
  // The car did not arrive before a reading whose speed showed motion, however close the fix before was.
  const wasReportedMoving = measured.speed.kmh !== undefined && movedMs < timeMs
  const leastMs = wasReportedMoving ? movedMs : 0
  if (hasLeft(now)) {
    const arrivedMs = arrivedMsIn(now) ?? timeMs
    return pauseSince(measured, Math.max(arrivedMs, leastMs), timeMs)
  }
  if (pause?.isSettled) return isConfirmed(now) ? pause : lastedUntil(pause, measured, now)
  const sinceMs = pause?.sinceMs ?? before.endMs
  if (motion === 'standing') {
    const arrivedMs = arrivedMsIn(now)
    const seenMs = now.isStill && cluster ? Math.max(sinceMs, cluster.sinceMs) : timeMs
    // Fixes show best when the car arrived, unless a speed is reported all the time.
    if (arrivedMs !== undefined && (!hasSpeed || timeMs - sinceMs > SAME_MOMENT_MS))
      return pauseSince(measured, hasSpeed ? Math.max(sinceMs, arrivedMs) : arrivedMs, pause?.sinceMs ?? seenMs)
    const sinceMotionMs = timeMs - sinceMs
    if (sinceMotionMs <= SAME_MOMENT_MS)
      return { rule: 'no motion', sinceMs, measured: copyOfMeasured(measured), isSettled: true }
  }
  if (pause) return pause
  return { rule: 'no motion', sinceMs, measured: before, isSettled: false }
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
