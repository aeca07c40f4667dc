import { distanceM } from '../../../model/earth.ts'
import { sumOf } from './calibration.ts'
import { arrivedMsIn, type Circumstances, hasLeft, outsetIn } from './circumstances.ts'
import { type Departure } from './departure.ts'
import { measuredFrom } from './measured.ts'
import { readOdometerBefore } from './meters.ts'
import { odometerFrom } from './odometer.ts'
import {
  type EndedTrip,
  isAwake,
  isPausedBriefly,
  measuredForSure,
  type OpenTrip,
  type Outcome,
  type Pause,
} from './open-trip.ts'
import { copyEndedAt, isLeftOpen } from './pauses.ts'
import { isDisputed } from './place.ts'
import {
  BUSY_INTERVALS,
  BUSY_LEAD_MS,
  IDLE_MS,
  IGNITION_PAUSE_MS,
  LONGEST_SILENCE_MS,
  MISSED_INTERVALS,
  MOTION_PAUSE_MS,
  STANDSTILL_DRIFT_M,
  STANDSTILL_READING_MS,
  UNPROVEN_MS,
  UNPROVEN_PAUSE_MS,
} from './rules.ts'
import { SCATTER_COUNT, scatteredM } from './stay.ts'
import { leaveFrom } from './track.ts'

/** What a reading means for the current trip, before it is measured. */
export interface Turn {
  /** The trip that had ended before the reading. */
  readonly ended: EndedTrip | undefined
  /** The trip that the reading belongs to. */
  readonly trip: OpenTrip | undefined
  readonly outcome: Outcome
  /** The ignition was on for an hour without motion, so it is no longer believed. */
  readonly isIgnitionDoubted: boolean
}

/** Start and end of trips (decisions.md, *Trips*). */
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
  const trip = openedAt(since, isDriving, isAfterGap, endedMs)
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
    if (isCutShort(trip, pause, now) || isUnheardOf(pause, now) || mayHaveGoneOn(pause, now)) return undefined
    if (isSilent && pause.rule === 'no motion' && isAwake(trip)) return endedInGap(trip, lastMs)
    return { opened, measured: pause.measured, closed: { rule: pause.rule, timeMs: pause.measured.endMs } }
  }
  if (isIdle(trip, now) && trip.idle)
    return { opened, measured: trip.idle, closed: { rule: 'no motion', timeMs: trip.idle.endMs } }
  if (!isSilent || isBridged(now, gapMs)) return undefined
  // The next record may show where the car went meanwhile.
  if (isLeftOpen(trip, now)) return undefined
  return endedInGap(arrivedBefore(trip, now), lastMs)
}

/**
 * Since the pause began, no record has shown where the car is, so the silence continues; or the car stood only briefly before fixes came from
 * elsewhere, and it is not decided yet whether it is there.
 */
function isUnheardOf(
  { rule, measured: { endMs, isTrip } }: Pause,
  { isVague, isUnplugged, place, timeMs }: Circumstances,
): boolean {
  if (!isVague || isUnplugged || rule !== 'no motion' || !isTrip || !place) return false
  const longestMs = isDisputed(place) ? MOTION_PAUSE_MS : 0
  return place.lastMs - endMs <= longestMs && timeMs - endMs <= LONGEST_SILENCE_MS
}

/**
 * A single record of standstill may be one at a light: the first fix after it lies beyond the scatter of that place, and the next one
 * shows whether the car went on there.
 */
function mayHaveGoneOn(
  { rule, measured: { isTrip } }: Pause,
  { stay, timeMs, lastMs, silenceMs, isUnplugged, isOdometerStill }: Circumstances,
): boolean {
  if (rule !== 'no motion' || !isTrip || isUnplugged || isOdometerStill) return false
  if (lastMs === undefined || timeMs - lastMs > silenceMs) return false
  if (!stay?.outside || stay.outsideMs !== timeMs || stay.count >= SCATTER_COUNT) return false
  return distanceM(stay.middle, stay.outside) > scatteredM(stay)
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

/** If fixes alone showed motion, they also show when the car came to the last one at the earliest: the end is off by the least halfway. */
function arrivedBefore(trip: OpenTrip, { cameMs, lastMs }: Circumstances): OpenTrip {
  if (cameMs === undefined || lastMs === undefined) return trip
  return { ...trip, measured: copyEndedAt(trip.measured, Math.round((cameMs + lastMs) / 2)) }
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
  // Between two records of a dongle that reports rarely, no more than one may show a car that waits.
  const spikeMs =
    now.motion === 'moving' ? Math.max(UNPROVEN_PAUSE_MS, MISSED_INTERVALS * (now.cadenceMs ?? 0)) : UNPROVEN_PAUSE_MS
  if (isSpike && timeMs - pause.sinceMs >= spikeMs) return true
  const isUnseen = !now.place || now.place.lastMs < opened.timeMs
  const longestMs = isUnseen && pause === undefined ? LONGEST_SILENCE_MS : UNPROVEN_MS
  return timeMs - opened.timeMs >= Math.max(longestMs, now.silenceMs)
}

/** @param notBeforeMs the end of the trip before */
function openedAt(now: Circumstances, isDriving: boolean, isAfterGap: boolean, notBeforeMs: number): OpenTrip {
  const { timeMs, word, place, calibrations } = now
  const byWord = word?.isOn ? (word.of === 'ignition' ? 'ignition on' : 'engine on') : undefined
  const rule = isAfterGap ? 'data after a gap' : (byWord ?? 'motion')
  const outset = justBefore(outsetIn(now) ?? now.creeping, now)
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
    movedMs: isDriving || !hasLeft(now) ? timeMs : (arrivedMsIn(now) ?? timeMs),
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

/** The car was already on its way and only waited at traffic lights, for no longer than the usual interval. */
function justBefore(
  outset: Departure | undefined,
  { timeMs, motion, cadenceMs = 0 }: Circumstances,
): Departure | undefined {
  if (!outset || timeMs - outset.departedMs <= STANDSTILL_READING_MS) return outset
  return motion === 'moving' && timeMs - outset.fromMs <= cadenceMs ? outset : undefined
}
