import { distanceM } from '../../model/earth.ts'
import type { Position } from '../../model/sample.ts'
import { isParked } from './fix-cluster.ts'
import { countedSince } from './odometer.ts'
import { drivenSince } from './path.ts'
import { type JudgedFix, type Reading, unusualMs, wasBusy } from './reading.ts'
import {
  AGREEING_FIXES,
  AGREEING_MS,
  AT_FULL_SPEED_MS,
  DATA_GAP_MS,
  EXCURSION_MS,
  FASTEST_M_PER_MS,
  FIX_ERROR_M,
  FROZEN_FIX_MS,
  LIKELY_M_PER_MS,
  LONGEST_SILENCE_MS,
  MOTION_PAUSE_MS,
  NULL_ISLAND_DEG,
  TURNED_BACK_M_PER_MS,
  UNSEEN_WAY_M,
  UNSURE_DISPLACEMENT_M,
} from './rules.ts'
import type { BelievedPlace, OpenTrip, Progress, RivalPlace } from './state.ts'
import { hasDrivenHere } from './trip.ts'

// Which fixes are right: whether the dongle is where a fix says.

/** Decides about the fix of a reading. @param progress before the reading */
export function judge(progress: Progress, reading: Reading): JudgedFix {
  const { place } = progress
  const { position, timeMs, isOutlier } = reading
  if (isOutlier) return { fix: 'refused', place }
  if (!position || !isUsable(position, place?.position)) return { fix: 'none', place }
  if (!place) return { fix: 'moved', place: { position, firstMs: timeMs, lastMs: timeMs, rival: undefined } }
  const movedM = distanceM(place.position, position)
  const isNear = movedM <= UNSEEN_WAY_M && movedM <= LIKELY_M_PER_MS * (timeMs - place.lastMs) + FIX_ERROR_M
  if (isNear && !place.rival) return cameTo(place, position, timeMs)
  return judgeFar(progress, place, reading, position, movedM)
}

/** A jump is not believed until several fixes in a row agree; where the car has just driven here, not for ten minutes. */
function judgeFar(
  progress: Progress,
  before: BelievedPlace,
  reading: Reading,
  position: Position,
  movedM: number,
): JudgedFix {
  const { timeMs } = reading
  const isForgotten = timeMs >= (before.rival?.formerUntilMs ?? Number.POSITIVE_INFINITY)
  const rival = isForgotten ? undefined : before.rival
  const drivenM = drivenSinceFixM(progress, before, reading)
  const durationMs = drivingMs(progress, before, timeMs)
  const isPossible = movedM <= Math.max(reachM(durationMs), drivenM)
  const isHere = movedM <= Math.max(LIKELY_M_PER_MS * durationMs + FIX_ERROR_M, drivenM)
  const isFarUnseen =
    movedM > Math.max(UNSEEN_WAY_M, drivenM) && timeMs - before.lastMs > confirmAfterMs(progress, reading)
  const judged: JudgedFix =
    isHere && !isFarUnseen
      ? cameTo(before, position, timeMs)
      : { fix: 'elsewhere', place: { ...before, rival: rivalFrom(position, timeMs, isPossible) } }
  if (!rival) return judged
  const toRivalM = distanceM(rival.position, position)
  const isThere = toRivalM <= reachM(timeMs - rival.lastMs)
  if (rival.formerUntilMs !== undefined) {
    if (isHere) return cameTo(before, position, timeMs, rival)
    return isThere && 2 * toRivalM < movedM ? returned(rival, position, timeMs) : judged
  }
  const isProvenHere = hasDrivenHere(progress)
  // A far fix that is repeated agrees with nothing: a receiver reports an old one until it knows better.
  const isOld = movedM > TURNED_BACK_M_PER_MS * (timeMs - before.lastMs) && isSame(position, rival.position)
  if (isPossible && rival.isPossible && isThere && !isOld && movedM > UNSURE_DISPLACEMENT_M) {
    const { place } = cameTo(before, position, timeMs, isProvenHere ? undefined : formerOf(before, timeMs))
    return { fix: 'agreed', place }
  }
  // After a while both are in reach; the one that asks for less speed is meant.
  const isRather = toRivalM / (timeMs - rival.lastMs + 1) < movedM / (timeMs - before.lastMs + 1)
  return isThere && (isRather || !isHere) ? stayedAway(progress, before, rival, position, timeMs, isProvenHere) : judged
}

/** After how long without a fix two must agree: in a drive some may be missing, after a silence it may be anywhere. */
function confirmAfterMs(progress: Progress, { isMoving = false }: Reading): number {
  const { trip, lastMs = 0, cadenceMs = LONGEST_SILENCE_MS } = progress
  const isOnTheWay = trip !== undefined && !trip.pause && lastMs - trip.movedMs < MOTION_PAUSE_MS
  const isDriving = isMoving || isOnTheWay || wasBusy(progress)
  return isDriving ? LONGEST_SILENCE_MS : Math.min(LONGEST_SILENCE_MS, unusualMs(cadenceMs))
}

/** How long it can have driven since the fix believed: of a car that was parked, since it set off, or since then on trips
 * without a fix. A receiver that repeats its last fix shows all at once what was driven meanwhile. */
function drivingMs({ cluster, trip, boundaryMs, lastMs }: Progress, before: BelievedPlace, timeMs: number): number {
  const sinceMs = timeMs - before.lastMs
  const unseenMs = sinceMs + Math.min(before.lastMs - before.firstMs, FROZEN_FIX_MS)
  const wasParked = cluster && (sinceMs <= LONGEST_SILENCE_MS ? isParked(cluster) : trip?.opened.rule === 'ignition on')
  if (!wasParked) return unseenMs
  const onTripsMs = timeMs - (trip?.measured.startMs ?? lastMs ?? timeMs) + Math.max(0, boundaryMs - before.lastMs)
  return Math.min(unseenMs, onTripsMs)
}

/** How far a car comes: for a minute it may be as fast as any, for longer hardly any is that fast on average. */
function reachM(durationMs: number): number {
  const fullSpeedMs = Math.min(durationMs, AT_FULL_SPEED_MS)
  return FASTEST_M_PER_MS * fullSpeedMs + LIKELY_M_PER_MS * (durationMs - fullSpeedMs) + FIX_ERROR_M
}

/** How far it has driven since the fix believed, by odometer and speed, at most. */
function drivenSinceFixM(progress: Progress, before: BelievedPlace, reading: Reading): number {
  const countedM = countedSince(progress, before, reading)?.metres ?? 0
  return FIX_ERROR_M + 1.2 * Math.max(countedM, progress.trip ? spedSinceFixM(progress.trip, reading) : 0)
}

function spedSinceFixM({ measured: { track, speed } }: OpenTrip, { timeMs, addingSpeedKmh = 0 }: Reading): number {
  const toComeM = speed.kmh === undefined ? 0 : (Math.max(addingSpeedKmh, speed.kmh) / 3600) * (timeMs - speed.timeMs)
  return drivenSince(speed, track.path.fixMark).variedM + toComeM
}

/** A receiver can mean it. Receivers report zero for one or both coordinates until they know better; a car that crosses
 * the equator or the prime meridian was close to it before. */
export function isUsable({ lat, lon }: Position, before: Position | undefined): boolean {
  if (!(Math.abs(lat) <= 90 && Math.abs(lon) <= 180)) return false
  if (Math.abs(lat) <= NULL_ISLAND_DEG && Math.abs(lon) <= NULL_ISLAND_DEG) return false
  if (lat === 0) return before !== undefined && Math.abs(before.lat) <= NEAR_ZERO_DEG
  if (lon === 0) return before !== undefined && Math.abs(before.lon) <= NEAR_ZERO_DEG
  return true
}

const NEAR_ZERO_DEG = 0.05

/** The dongle is where it was, or has come from there. */
function cameTo(before: BelievedPlace, position: Position, timeMs: number, rival?: RivalPlace): JudgedFix {
  const isRepeated = isSame(position, before.position)
  const firstMs = isRepeated ? before.firstMs : timeMs
  return { fix: isRepeated ? 'repeated' : 'moved', place: { position, firstMs, lastMs: timeMs, rival } }
}

function isSame(a: Position, b: Position): boolean {
  return a.lat === b.lat && a.lon === b.lon
}

function rivalFrom(position: Position, timeMs: number, isPossible: boolean): RivalPlace {
  return {
    position,
    firstPosition: position,
    firstMs: timeMs,
    lastMs: timeMs,
    count: 1,
    isPossible,
    formerUntilMs: undefined,
  }
}

/** One and the same fix that holds is that of a receiver which does not know better; in the end a parked one may mean it. */
function isAgreed({ count, firstMs, lastMs }: RivalPlace): boolean {
  return count >= AGREEING_FIXES || lastMs - firstMs >= (count > 1 ? AGREEING_MS : EXCURSION_MS)
}

/** Fixes come from elsewhere, and it is not decided yet whether the dongle is there. */
export function isDisputed({ rival }: BelievedPlace): boolean {
  return rival !== undefined && rival.formerUntilMs === undefined
}

/** The dongle was here all the time: what came from elsewhere was false. */
function returned(rival: RivalPlace, position: Position, timeMs: number): JudgedFix {
  const firstMs = isSame(position, rival.position) ? rival.firstMs : timeMs
  return { fix: 'returned', place: { position, firstMs, lastMs: timeMs, rival: undefined } }
}

/** One more fix from elsewhere. */
function stayedAway(
  { cluster }: Progress,
  before: BelievedPlace,
  rival: RivalPlace,
  position: Position,
  timeMs: number,
  isProvenHere: boolean,
): JudgedFix {
  const isRepeated = isSame(position, rival.position)
  const after = { ...rival, position, lastMs: timeMs, count: rival.count + (isRepeated ? 0 : 1) }
  // Neither road nor ferry leads out of reach from where it was parked minutes ago.
  const hasStoodMs = cluster === undefined ? 0 : cluster.insideMs - cluster.sinceMs
  const wasParked = cluster?.left !== undefined || hasStoodMs >= EXCURSION_MS
  const isKnown = isProvenHere || (wasParked && timeMs - before.lastMs <= LONGEST_SILENCE_MS)
  const isKept = isKnown && timeMs - rival.firstMs < EXCURSION_MS
  if (isKept || !isAgreed(after)) return { fix: 'elsewhere', place: { ...before, rival: after } }
  const place = { position, firstMs: isRepeated ? rival.lastMs : timeMs, lastMs: timeMs }
  if (isProvenHere) return { fix: 'confirmed', place: { ...place, rival: undefined } }
  return { fix: 'jumped', place: { ...place, rival: formerOf(before, timeMs) } }
}

/** Kept for a while, in case the dongle turns out not to have left it until minutes ago. */
function formerOf({ position, firstMs, lastMs }: BelievedPlace, timeMs: number): RivalPlace {
  const former = rivalFrom(position, Math.max(lastMs, timeMs - DATA_GAP_MS), false)
  return { ...former, firstMs, formerUntilMs: timeMs + EXCURSION_MS }
}
