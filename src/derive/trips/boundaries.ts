import { distanceM } from '../../model/earth.ts'
import { isHybrid } from './evidence.ts'
import { type Departure, SCATTER_COUNT, scatteredM } from './fix-cluster.ts'
import { isDisputed } from './matched-place.ts'
import { isAwake, isPausedBriefly, leaveFrom, measuredForSure, measuredFrom } from './measured.ts'
import { odometerFrom, sumOf } from './odometer.ts'
import { METER_TYPES } from './reading.ts'
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
import type { OpenTrip, Pause } from './state.ts'
import {
  arrivedMsIn,
  copyEndedAt,
  type EndedTrip,
  hasLeft,
  isLeftOpen,
  type Outcome,
  outsetIn,
  type SampleContext,
} from './trip.ts'

/** The meaning of a reading for the current trip, before it is measured. */
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

/**
 * Since the pause began, no record has shown where the car is, so the silence continues; or the car stood only briefly before fixes came from
 * elsewhere, and it is not decided yet whether it is there.
 */
function isWithoutPlace(
  { rule, measured: { endMs, isTrip } }: Pause,
  { isVague, power, known: { place }, reading: { timeMs } }: SampleContext,
): boolean {
  if (!isVague || power.isUnplugged || rule !== 'no motion' || !isTrip || !place) return false
  const longestMs = isDisputed(place) ? MOTION_PAUSE_MS : 0
  return place.lastMs - endMs <= longestMs && timeMs - endMs <= LONGEST_SILENCE_MS
}

/**
 * A single record of standstill may be one at a light: the first fix after it lies beyond the scatter of that place, and the next one
 * shows whether the car went on there.
 */
function mayHaveGoneOn({ rule, measured: { isTrip } }: Pause, now: SampleContext): boolean {
  const { lastMs, cluster } = now.known
  if (rule !== 'no motion' || !isTrip || now.power.isUnplugged || now.isOdometerStill) return false
  if (lastMs === undefined || now.intervalMs > now.silenceMs) return false
  if (cluster?.outside?.timeMs !== now.reading.timeMs || cluster.count >= SCATTER_COUNT) return false
  return distanceM(cluster.middle, cluster.outside.position) > scatteredM(cluster)
}

/**
 * When the dongle fell silent, the car stood, but not for as long as a parked car. When the dongle reported again, the car was
 * elsewhere (decisions.md, silence). If it had been parked meanwhile, the dongle would have reported the next drive.
 */
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
  if (measuredForSure(trip).isTrip) return false
  const { opened, pause, measured } = trip
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
  const measured = measuredFrom(startMs, known.place?.position, hasStoodThere, sumOf(known.calibrations))
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

/**
 * Without a speed, the car is assumed to have driven since the dongle began to report as often as while driving. It may have waited
 * at the first traffic lights.
 */
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
