import type { Position } from '../../../model/sample.ts'
import { type Calibration, sumOf } from './calibration.ts'
import { copyOfMeasured } from './copies.ts'
import type { Motion, Word } from './evidence.ts'
import { lengthM, type Measured, measuredFrom } from './measured.ts'
import { readOdometerBefore } from './meters.ts'
import { odometerFrom } from './odometer.ts'
import type { Place } from './place.ts'
import {
  BUSY_INTERVALS,
  BUSY_LEAD_MS,
  DATA_GAP_MS,
  DISPLACEMENT_HOLDS_MS,
  IDLE_MS,
  IGNITION_PAUSE_MS,
  LONGEST_SILENCE_MS,
  MOTION_PAUSE_MS,
  SAME_MOMENT_MS,
  SPEED_READING_MS,
  STANDSTILL_DRIFT_M,
  STANDSTILL_READING_MS,
  TOWN_M_PER_MS,
  UNPROVEN_MS,
  UNPROVEN_PAUSE_MS,
} from './rules.ts'
import { arrivalMs, type Departure, outsetOf, type Stay } from './stay.ts'
import { leaveFrom } from './track.ts'
import type { Cause, ClosingRule, OpeningRule } from './trip.ts'

/** The car stands and the trip may be over. If so, `measured` is the ended trip. */
export interface Pause {
  readonly rule: 'ignition off' | 'engine off' | 'no motion'
  readonly sinceMs: number
  readonly measured: Measured
  /** `measured` includes a reading of standstill, so later readings do not belong to it. */
  readonly isSettled: boolean
}

/** The trip, or what may become one, that the dongle is in. Changed in place by each reading. */
export interface OpenTrip {
  readonly opened: Cause<OpeningRule>
  /** Up to the last sample, including pauses; counts if the trip continues. */
  readonly measured: Measured
  /** Shares no mutable data with `measured`. */
  pause: Pause | undefined
  /** When motion was last evident or could not be observed; and when it could last be observed. */
  movedMs: number
  toldMs: number
  /** The trip up to the last motion, kept once that was minutes ago with the ignition on; counts if the car never moves again. */
  idle: Measured | undefined
  /** Until then, motion shown by fixes or odometer holds as long as nothing else is reported. */
  holdsUntilMs: number
}

/** A trip that is over. */
export interface EndedTrip {
  readonly opened: Cause<OpeningRule>
  readonly measured: Measured
  readonly closed: Cause<ClosingRule>
}

/** What a reading means for the current trip, before it is measured. */
export interface Turn {
  /** The trip that had ended before the reading. */
  readonly ended: EndedTrip | undefined
  /** The trip that the reading belongs to. */
  readonly trip: OpenTrip | undefined
  readonly outcome: 'drives' | 'pauses' | 'unplugged'
  /** The ignition was on for an hour without motion, so it is no longer believed. */
  readonly isIgnitionDoubted: boolean
}

/** What is known at the instant of a reading. */
export interface Circumstances {
  readonly timeMs: number
  /** The sample before. */
  readonly lastMs: number | undefined
  /** A longer interval without data counts as a silence of this dongle. */
  readonly silenceMs: number
  /** The last unplug or trip end. */
  readonly boundaryMs: number
  readonly isUnplugged: boolean
  /** Ignition or engine; undefined if neither is reported. */
  readonly word: Word | undefined
  readonly isHybrid: boolean
  readonly motion: Motion
  /** How the car left its place, if the fix of this reading shows it. */
  readonly departure: Departure | undefined
  /** How it crept away, without evidence of driving. */
  readonly creeping: Departure | undefined
  /** Where the car is after this reading according to fixes, and whether they show standstill. */
  readonly stay: Stay | undefined
  readonly isStill: boolean
  readonly cadenceMs: number | undefined
  /** Since when it reports as it does while the car drives. */
  readonly busySinceMs: number | undefined
  /** Driving shown by the odometer of this reading: its value before, when that was read, and when the car left. */
  readonly progress: OdometerProgress | undefined
  /** The car's own speed or its odometer shows driving, which towing can not cause. */
  readonly isByCar: boolean
  readonly canTell: boolean
  /** Its position is not believed, or not yet, and nothing else shows where the car is. */
  readonly isVague: boolean
  readonly tellsSpeed: boolean
  /** Whether the car reports its speed, and whether this is the first reading with it. */
  readonly isAwake: boolean
  readonly hasWoken: boolean
  /** The fix of this reading, if it is believed. */
  readonly position: Position | undefined
  /** The last believed fix before, and the centre of the fixes around it. */
  readonly place: Place | undefined
  readonly middle: Position | undefined
  /** Beyond this distance from there, the car has certainly left. */
  readonly provenAtM: number
  /** What earlier trips showed about the odometer. */
  readonly calibrations: readonly Calibration[]
}

/** The odometer moved on. */
export interface OdometerProgress {
  readonly fromKm: number
  readonly fromMs: number
  readonly departedMs: number
  /** Assuming that it drove off at once. */
  readonly arrivedMs: number
}

/** The part of a trip that is certain, whatever comes next. */
export function measuredForSure(trip: OpenTrip): Measured {
  return trip.pause?.measured ?? trip.measured
}

/** The trip as it would be if nothing more came. */
export function measuredSoFar(trip: OpenTrip): Measured {
  return isAwake(trip) ? trip.measured : measuredForSure(trip)
}

/**
 * A car reports its speed only while it is awake, so someone is in it: a car that stood at the end was still on its trip.
 */
function isAwake({ pause, measured: { endMs, speed } }: OpenTrip): boolean {
  if (pause?.rule !== 'no motion') return pause === undefined
  return speed.awakeMs > 0 && endMs - speed.awakeMs <= SPEED_READING_MS
}

/** Begin and end of trips (decisions.md, *Trips*). */
export function turnAt(before: OpenTrip | undefined, known: Circumstances): Turn {
  const isIgnitionDoubted = before !== undefined && known.word?.of === 'ignition' && isIdle(before, known)
  // If the ignition input is wired on, the car drives when it moves.
  const now = isIgnitionDoubted ? { ...known, word: undefined } : known
  const { word, isUnplugged } = now
  const isDriving = !isUnplugged && drives(before, now)
  const ended = before && endBefore(before, known)
  const isOver = ended !== undefined || (before !== undefined && !word && isForgotten(before, now))
  if (before && !isOver) {
    const outcome = isUnplugged ? 'unplugged' : isDriving ? 'drives' : 'pauses'
    return { ended: undefined, trip: before, outcome, isIgnitionDoubted }
  }
  const endedMs = Math.max(now.boundaryMs, ended?.measured.endMs ?? now.boundaryMs)
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
function sinceEnd(now: Circumstances, endedMs: number): Circumstances {
  const { departure, progress } = now
  return {
    ...now,
    departure: departure && departure.fromMs >= endedMs ? departure : undefined,
    progress: progress && progress.fromMs >= endedMs ? progress : undefined,
  }
}

/** Whether the car is being driven, according to all evidence together. */
function drives(trip: OpenTrip | undefined, { word, motion, isByCar, isHybrid, timeMs }: Circumstances): boolean {
  if (word?.isOn) return true
  const holds = motion === 'unknown' && trip !== undefined && timeMs <= trip.holdsUntilMs
  if (!word) return motion === 'moving' || holds
  // An engine that is off ends no trip while the car moves; what moves a parked one may be a tow truck.
  if (word.of === 'engine')
    return isHybrid ? motion === 'moving' || holds : motion === 'moving' && (trip !== undefined || isByCar)
  return false
}

/** There was a drive between two samples far apart, even if it is over already. */
function hasDriven({ departure, progress, word, isByCar, isHybrid }: Circumstances): boolean {
  if (!departure && !progress) return false
  return word === undefined || word.isOn || (word.of === 'engine' && (isByCar || isHybrid))
}

/** A trip that had ended before this instant, whatever is read now. */
function endBefore(trip: OpenTrip, now: Circumstances): EndedTrip | undefined {
  const { opened, pause } = trip
  const { timeMs, lastMs, silenceMs } = now
  const gapMs = lastMs === undefined ? 0 : timeMs - lastMs
  const isSilent = gapMs >= silenceMs
  if (pause) {
    const longestMs = pause.rule === 'no motion' ? MOTION_PAUSE_MS : IGNITION_PAUSE_MS
    const lastedMs =
      pause.rule === 'ignition off' ? timeMs - pause.sinceMs : resumedMs(now, pause) - stoodFromMs(now, pause)
    if (lastedMs < longestMs && gapMs <= LONGEST_SILENCE_MS && !now.isUnplugged) return undefined
    if (isCutShort(trip, pause, now) || isUnheardOf(pause, now)) return undefined
    if (isSilent && pause.rule === 'no motion' && isAwake(trip)) return endedInGap(trip, lastMs)
    return { opened, measured: pause.measured, closed: { rule: pause.rule, timeMs: pause.measured.endMs } }
  }
  if (isIdle(trip, now) && trip.idle)
    return { opened, measured: trip.idle, closed: { rule: 'no motion', timeMs: trip.idle.endMs } }
  if (!isSilent || isBridged(now, gapMs)) return undefined
  // The next record may show where the car went meanwhile.
  if (isLeftOpen(trip, now)) return undefined
  return endedInGap(trip, lastMs)
}

/** The first record after a silence does not show where the car went meanwhile. The engine of a hybrid shows nothing of that. */
function isLeftOpen(
  { pause, measured }: OpenTrip,
  { isVague, word, isHybrid, timeMs, lastMs, silenceMs }: Circumstances,
): boolean {
  if (!isVague || pause || (word && !isHybrid) || lastMs === undefined || !measured.isTrip) return false
  return timeMs - lastMs >= silenceMs && timeMs - lastMs <= LONGEST_SILENCE_MS
}

/** Since the pause began, no record has shown where the car is, so the silence continues. */
function isUnheardOf(
  { rule, measured: { endMs, isTrip } }: Pause,
  { isVague, isUnplugged, place, timeMs }: Circumstances,
): boolean {
  if (!isVague || isUnplugged || rule !== 'no motion' || !isTrip) return false
  return place !== undefined && place.lastMs <= endMs && timeMs - endMs <= LONGEST_SILENCE_MS
}

/** Whether a trip is still open at an instant: the car has not stood for as long as a parked car does. */
export function isPausedBriefly({ pause }: OpenTrip, untilMs: number): boolean {
  if (!pause) return true
  return pause.rule === 'no motion' && untilMs - Math.min(pause.sinceMs, pause.measured.endMs) < MOTION_PAUSE_MS
}

/**
 * When the dongle fell silent, the car stood, but not for as long as a parked car. When the dongle reported again, the car was
 * elsewhere (decisions.md, silence). If it had been parked meanwhile, the dongle would have reported the next drive.
 */
function isCutShort(trip: OpenTrip, { sinceMs, measured }: Pause, now: Circumstances): boolean {
  const { departure, progress, timeMs, silenceMs, isUnplugged } = now
  const leftMs = Math.min(
    departure?.fromMs ?? timeMs,
    progress && progress.fromMs >= sinceMs ? progress.fromMs : timeMs,
  )
  const unknownMs = timeMs - leftMs
  if (isUnplugged || !measured.isTrip || unknownMs < silenceMs) return false
  return isPausedBriefly(trip, leftMs) && isBridged(now, unknownMs)
}

function endedInGap({ opened, measured }: OpenTrip, lastMs: number | undefined): EndedTrip {
  return { opened, measured, closed: { rule: 'gap without data', timeMs: lastMs ?? measured.endMs } }
}

/** The start of the standstill: for a car that drives again, when it certainly stood; for one that is still parked, when it arrived. */
function stoodFromMs({ motion }: Circumstances, { sinceMs, measured }: Pause): number {
  return motion === 'moving' ? sinceMs : Math.min(sinceMs, measured.endMs)
}

/** When the car drove on, which may have been long before the second of two samples far apart. */
function resumedMs(now: Circumstances, { rule }: Pause): number {
  const { departure, creeping, motion, progress, timeMs, lastMs, cadenceMs } = now
  const left = departure ?? creeping ?? (motion === 'moving' ? outsetIn(now) : undefined)
  const knownMs = Math.min(left?.departedMs ?? timeMs, progress?.departedMs ?? timeMs)
  if (left || progress || motion !== 'moving' || rule !== 'no motion' || lastMs === undefined) return knownMs
  // Its speed shows that it drives, but not since when: assume half of a usual interval.
  return timeMs - Math.min(timeMs - lastMs, cadenceMs ?? 0) / 2
}

/** Whether the car is known to have driven on meanwhile (decisions.md, silence). */
function isBridged({ departure, progress, word }: Circumstances, gapMs: number): boolean {
  if (gapMs > LONGEST_SILENCE_MS || (!departure && !progress)) return false
  return word?.of !== 'ignition' || word.isOn
}

/** The ignition is on, and nothing has moved for an hour. */
function isIdle({ pause, movedMs }: OpenTrip, { word, lastMs }: Circumstances): boolean {
  return pause === undefined && word?.isOn === true && lastMs !== undefined && lastMs - movedMs >= IDLE_MS
}

/** Motion that proved to be false: a spike of speed, or drift around one place. Beyond the range of drift, a standing car may wait at traffic lights. */
function isForgotten(trip: OpenTrip, now: Circumstances): boolean {
  if (measuredForSure(trip).isTrip) return false
  const { opened, pause, measured } = trip
  // Motion before a silence was real if the car drove on during the silence.
  const hasDrivenOn = pause === undefined && hasLeft(now) && now.lastMs !== undefined
  const timeMs = hasDrivenOn ? now.lastMs : now.timeMs
  const isSpike = opened.rule === 'motion' && pause !== undefined && measured.track.path.reachM < STANDSTILL_DRIFT_M
  if (isSpike && timeMs - pause.sinceMs >= UNPROVEN_PAUSE_MS) return true
  return timeMs - opened.timeMs >= Math.max(UNPROVEN_MS, now.silenceMs)
}

/** @param notBeforeMs the end of the trip before */
function openedAt(now: Circumstances, isAfterGap: boolean, notBeforeMs: number): OpenTrip {
  const { timeMs, word, place, calibrations } = now
  const byWord = word?.isOn ? (word.of === 'ignition' ? 'ignition on' : 'engine on') : undefined
  const rule = isAfterGap ? 'data after a gap' : (byWord ?? 'motion')
  const outset = justBefore(outsetIn(now) ?? now.creeping, timeMs)
  const departure = rule === 'motion' ? (recent(now.departure, timeMs) ?? outset) : sinceLast(now.departure, now)
  const progress = rule === 'motion' ? recent(now.progress, timeMs) : sinceLast(now.progress, now)
  const leftMs = Math.min(departure?.departedMs ?? timeMs, progress?.departedMs ?? timeMs)
  const departedMs = rule === 'motion' ? sinceBusy(leftMs, now) : leftMs
  const startMs = Math.max(departedMs, notBeforeMs + 1)
  const measured = measuredFrom(startMs, place?.position, byWord !== undefined && !isAfterGap, sumOf(calibrations))
  if (departure) leaveFrom(measured.track, departure.from, departure.middle)
  else if (!byWord) measured.track.path.first = now.middle
  if (!byWord) measured.track.path.provenAtM = now.provenAtM
  if (progress) {
    measured.odometer = odometerFrom(progress.fromKm, progress.fromMs, 0)
    readOdometerBefore(measured.meters, progress.fromKm)
  }
  return {
    opened: { rule, timeMs },
    measured,
    pause: undefined,
    movedMs: timeMs,
    toldMs: timeMs,
    idle: undefined,
    holdsUntilMs: Number.NEGATIVE_INFINITY,
  }
}

/**
 * Without a speed, the car is assumed to have driven since the dongle began to report as often as while driving. It may have waited
 * at the first traffic lights.
 */
function sinceBusy(leftMs: number, { tellsSpeed, busySinceMs, cadenceMs }: Circumstances): number {
  if (tellsSpeed || busySinceMs === undefined || cadenceMs === undefined) return leftMs
  const busyMs = leftMs - busySinceMs
  return busyMs >= BUSY_INTERVALS * cadenceMs && busyMs <= BUSY_LEAD_MS ? busySinceMs : leftMs
}

/** Nothing is assumed about what happened in a silence of more than half an hour. */
function recent<Known extends { readonly fromMs: number }>(known: Known | undefined, timeMs: number) {
  return known && timeMs - known.fromMs <= LONGEST_SILENCE_MS ? known : undefined
}

/** A dongle that reports rarely finds ignition or engine on long after the car left, but not longer ago than its last sample. */
function sinceLast<Known extends { readonly fromMs: number }>(known: Known | undefined, now: Circumstances) {
  const { timeMs, lastMs } = now
  return lastMs !== undefined && known && known.fromMs >= lastMs ? recent(known, timeMs) : undefined
}

/** How the car left its place, without proof yet that it drives. */
function outsetIn({ stay, cadenceMs }: Circumstances): Departure | undefined {
  return stay && outsetOf(stay, cadenceMs)
}

/** When the car arrived at the place of its fixes; undefined without fixes. */
function arrivedMsIn(now: Circumstances): number | undefined {
  const { stay, departure, creeping, progress, position, place, timeMs } = now
  if (departure || creeping) return stay?.arrivedMs
  // The receiver may repeat a fix while the car drives on. A motion sensor reports standstill at once.
  if (progress) return now.motion === 'standing' && !now.tellsSpeed ? timeMs : progress.arrivedMs
  if (now.isStill) return stay?.arrivedMs
  return position && place ? arrivalMs(place, position, timeMs) : undefined
}

/** The car was already on its way and only waited at traffic lights. */
function justBefore(outset: Departure | undefined, timeMs: number): Departure | undefined {
  return outset && timeMs - outset.departedMs <= STANDSTILL_READING_MS ? outset : undefined
}

/** The measurements of a trip before a reading; a copy if a pause may begin with the reading. */
export function measuredBefore({ measured, pause }: OpenTrip, outcome: Turn['outcome']): Measured {
  return outcome === 'pauses' && !pause ? copyOfMeasured(measured) : measured
}

/**
 * Another track is believed now: what was kept of the trip before is corrected to that track.
 * @param before what `measuredBefore` said
 * @returns the same with that track
 */
export function believeOtherTrack(trip: OpenTrip, before: Measured): Measured {
  const { pause, measured } = trip
  trip.idle = undefined
  if (pause) trip.pause = { ...pause, measured: copyEndedAt(measured, pause.measured.endMs) }
  return before === measured ? measured : copyEndedAt(measured, before.endMs)
}

/**
 * Updates the trip after the reading was measured.
 * @param before what `measuredBefore` said
 * @returns the trip when it ended with the reading: the dongle was unplugged.
 */
export function applyOutcome(
  trip: OpenTrip,
  outcome: Turn['outcome'],
  before: Measured,
  now: Circumstances,
): EndedTrip | undefined {
  const { opened, measured } = trip
  const { word, timeMs } = now
  if (outcome === 'unplugged') return { opened, measured, closed: { rule: 'unplugged', timeMs } }
  noteMotion(trip, now)
  if (outcome === 'drives') {
    trip.pause = undefined
    if (!word?.isOn) trip.idle = undefined
    else if (!trip.idle && timeMs - trip.movedMs >= MOTION_PAUSE_MS) trip.idle = idleFrom(measured, trip.movedMs)
  } else if (isLeftOpen(trip, now))
    trip.pause = { rule: 'no motion', sinceMs: before.endMs, measured: before, isSettled: true }
  else if (word?.of === 'ignition') trip.pause ??= pauseAt(measured, 'ignition off', timeMs)
  else if (word && !trip.pause && !now.isAwake && !now.isHybrid && !hasLeftUnseen(now))
    trip.pause = pauseAt(measured, 'engine off', timeMs)
  else if (trip.pause?.rule !== 'engine off' || hasLeft(now)) trip.pause = standstill(trip, before, now)
  return undefined
}

/** The car has moved since the reading before. */
function hasLeft({ departure, creeping, progress }: Circumstances): boolean {
  return departure !== undefined || creeping !== undefined || progress !== undefined
}

/** The same, after an interval in which it may also have stood for a while. */
function hasLeftUnseen(now: Circumstances): boolean {
  return hasLeft(now) && now.lastMs !== undefined && now.timeMs - now.lastMs > SAME_MOMENT_MS
}

/** If motion could not be observed for minutes, its absence is no evidence. */
function noteMotion(trip: OpenTrip, now: Circumstances): void {
  const { timeMs, departure, progress } = now
  if (now.canTell) trip.toldMs = timeMs
  if (now.motion === 'moving' || hasLeft(now) || timeMs - trip.toldMs >= DATA_GAP_MS) {
    const hasArrived = now.motion !== 'moving' && hasLeft(now)
    trip.movedMs = hasArrived ? Math.max(trip.movedMs, arrivedMsIn(now) ?? timeMs) : timeMs
    trip.idle = undefined
  }
  if ((departure || progress) && !now.tellsSpeed) trip.holdsUntilMs = timeMs + DISPLACEMENT_HOLDS_MS
}

/** A pause without motion: from the last motion to the first reading of standstill. */
function standstill({ pause, measured, movedMs }: OpenTrip, before: Measured, now: Circumstances): Pause {
  const { timeMs, motion } = now
  // An odometer that is reported rarely may have counted on long before the last motion.
  // The car did not arrive before a reading whose speed showed motion, however close the fix before was.
  const wasToldMoving = measured.speed.kmh !== undefined && movedMs < timeMs
  const leastMs = now.progress || wasToldMoving ? movedMs : 0
  if (hasLeft(now)) return pauseSince(measured, Math.max(arrivedMsIn(now) ?? timeMs, leastMs), timeMs)
  if (pause?.isSettled) return isConfirmed(now) ? pause : lastedUntil(pause, measured, now)
  const sinceMs = pause?.sinceMs ?? before.endMs
  if (motion === 'standing') {
    const arrivedMs = arrivedMsIn(now)
    const seenMs = now.isStill && now.stay ? Math.max(sinceMs, now.stay.sinceMs) : timeMs
    // Fixes show best when the car arrived, unless a speed is reported all the time.
    if (arrivedMs !== undefined && (!now.tellsSpeed || timeMs - sinceMs > SAME_MOMENT_MS))
      return pauseSince(measured, now.tellsSpeed ? Math.max(sinceMs, arrivedMs) : arrivedMs, pause?.sinceMs ?? seenMs)
    const sinceMotionMs = timeMs - sinceMs
    if (sinceMotionMs <= SAME_MOMENT_MS)
      return { rule: 'no motion', sinceMs, measured: copyOfMeasured(measured), isSettled: true }
    // It stopped somewhere between the two readings.
    if (sinceMotionMs <= Math.min(STANDSTILL_READING_MS, 2 * Math.max(now.cadenceMs ?? Infinity, SAME_MOMENT_MS)))
      return pauseSince(measured, sinceMs + sinceMotionMs / 2, pause?.sinceMs ?? timeMs)
  }
  if (pause) return pause
  // Only fixes showed motion, and they show when the car arrived.
  const { stay, place } = now
  const tellsArrival =
    stay && place?.lastMs === before.endMs && movedMs <= stay.sinceMs && stay.arrivedMs < before.endMs
  if (before.speed.kmh === undefined && tellsArrival) return pauseSince(before, stay.arrivedMs, stay.sinceMs)
  return { rule: 'no motion', sinceMs, measured: before, isSettled: false }
}

/** Whether the place where the car seemed to stop is reported again, or anything else shows where the car is. */
function isConfirmed({ stay, position, progress }: Circumstances): boolean {
  return position !== undefined || progress !== undefined || stay === undefined || stay.count > 1 || !!stay.outside
}

/** A single fix does not show for how long the car stood there: it may wait at the last traffic lights before a garage. */
function lastedUntil(pause: Pause, measured: Measured, { place }: Circumstances): Pause {
  if (!place || place.lastMs <= pause.measured.endMs || pause.rule !== 'no motion') return pause
  return { ...pause, measured: copyEndedAt(measured, place.lastMs) }
}

function pauseAt(measured: Measured, rule: Pause['rule'], timeMs: number): Pause {
  return { rule, sinceMs: timeMs, measured: copyOfMeasured(measured), isSettled: true }
}

/**
 * A pause that is known to have begun with a reading.
 * @param arrivedMs the estimated end of the trip if the car does not drive on
 */
function pauseSince(measured: Measured, arrivedMs: number, sinceMs: number): Pause {
  const { startMs } = measured
  // Begin and end of a way between two records are estimated separately and must not be reversed.
  const endMs = arrivedMs > startMs ? arrivedMs : startMs + lengthM(measured) / TOWN_M_PER_MS
  return { rule: 'no motion', sinceMs, measured: copyEndedAt(measured, Math.round(endMs)), isSettled: true }
}

/** A car that never moved after the ignition was switched on did not drive, whatever indicated motion at that moment. */
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
