import { distanceM } from '../../model/earth.ts'
import type { Position } from '../../model/sample.ts'
import { isParked, SCATTER_COUNT } from './fix-cluster.ts'
import { progressOf } from './odometer.ts'
import { drivenSince } from './path.ts'
import { isSpeedOfDriving, type JudgedFix, type Reading, saysStanding, unusualMs, wasBusy } from './reading.ts'
import {
  AGREEING_FIXES,
  AGREEING_MS,
  AT_FULL_SPEED_MS,
  CONFIRMED_CADENCE_MS,
  DATA_GAP_MS,
  EXCURSION_MS,
  FASTEST_M_PER_MS,
  FIX_ERROR_M,
  FROZEN_FIX_MS,
  LIKELY_M_PER_MS,
  LONGEST_SILENCE_MS,
  MOTION_PAUSE_MS,
  NULL_ISLAND_DEG,
  REPEATED_FIX_MS,
  SUSTAINED_M_PER_MS,
  TOWN_M_PER_MS,
  TURNED_BACK_M_PER_MS,
  UNSEEN_WAY_M,
  UNSURE_DISPLACEMENT_M,
} from './rules.ts'
import type { BelievedPlace, OpenTrip, Progress, RivalPlace } from './state.ts'
import { isPausedBriefly, isProven } from './trip.ts'

// Which fixes are right: whether the dongle is where a fix says.

/** Decides about the fix of a reading. @param progress before the reading */
export function judge(progress: Progress, reading: Reading): JudgedFix {
  const { place } = progress
  const atOnce = judgeAtOnce(place, reading)
  if (atOnce || !place || !reading.position) return atOnce ?? { fix: 'none', place }
  return judgeByContext(place, reading.position, reading.timeMs, fixContext(progress, reading, reading.position))
}

function fixContext(progress: Progress, reading: Reading, position: Position): FixContext {
  const { trip } = progress
  const { timeMs } = reading
  const confirmAfterMs = confirmAfter(progress, reading)
  return {
    drivenM: trip && drivenSinceFixM(trip, reading),
    isProven: trip !== undefined && isProven(trip.measured.track),
    isAnchored: wasParkedLately(progress, timeMs),
    confirmAfterMs,
    isImplausible: isOutOfReach(progress, timeMs, position, confirmAfterMs),
  }
}

/** Metres driven since the last fix of a trip, by the speeds reported; undefined without any. */
function drivenSinceFixM(
  { measured: { track, speed } }: OpenTrip,
  { timeMs, addingSpeedKmh }: Reading,
): number | undefined {
  const { variedM, reportedMs } = drivenSince(speed, track.path.fixMark)
  const sinceMs = addingSpeedKmh === undefined || speed.kmh === undefined ? 0 : timeMs - speed.timeMs
  const toComeM = (Math.max(addingSpeedKmh ?? 0, speed.kmh ?? 0) / 3600) * sinceMs
  return reportedMs + sinceMs > 0 ? variedM + toComeM : undefined
}

/** Fixes show that the car stood there for longer than false ones last, until minutes ago, or drove off from there:
 * that place can hardly be false. */
function wasParkedLately({ cluster, place }: Progress, timeMs: number): boolean {
  if (!cluster || !place || timeMs - place.lastMs > LONGEST_SILENCE_MS) return false
  if (cluster.left !== undefined) return true
  return cluster.count >= SCATTER_COUNT && cluster.insideMs - cluster.sinceMs >= EXCURSION_MS
}

/** How long a far fix must be confirmed. A parked dongle that reports rarely would have reported a drive, and after
 * long without a fix any position may come first; neither holds in motion. */
function confirmAfter(progress: Progress, reading: Reading): number {
  const { trip, cluster, cadenceMs, lastMs } = progress
  const tellsMotion = reading.isMoving || isSpeedOfDriving(reading.speedKmh) || progressOf(progress, reading)
  if (tellsMotion) return Number.POSITIVE_INFINITY
  const isDriving =
    trip !== undefined && trip.pause === undefined && lastMs !== undefined && lastMs - trip.movedMs < MOTION_PAUSE_MS
  if (isDriving) return LONGEST_SILENCE_MS
  // With a record every few minutes, one fix may be all that is reported of a drive.
  const isDense = cadenceMs !== undefined && cadenceMs <= CONFIRMED_CADENCE_MS
  const isOver = trip === undefined || lastMs === undefined || !isPausedBriefly(trip, lastMs)
  const isOff = reading.isIgnitionOn === false
  if (cluster && isOver && isParked(cluster) && (isDense || isOff || saysStanding(reading))) return 0
  return wasBusy(progress) || cadenceMs === undefined ? LONGEST_SILENCE_MS : unusualMs(cadenceMs)
}

/** Out of reach for a car. If it was parked meanwhile by its own reports, the receiver has just started, and may begin
 * with an old fix. A dongle unplugged meanwhile has no stay, and may have been carried. */
function isOutOfReach(progress: Progress, timeMs: number, position: Position, confirmAfterMs: number): boolean {
  const { place, cluster, trip, boundaryMs, lastMs } = progress
  if (!place || !cluster) return false
  // The way to a second fix from there may have been driven before the first one.
  if (!trip && place.rival) return false
  // Since the car said that it drives, or since its ignition was switched on.
  const saidSo = !Number.isFinite(confirmAfterMs) || trip?.opened.rule === 'ignition on'
  if (isSeenLately(progress, timeMs) ? !isParked(cluster) : !saidSo) return false
  const sinceMs = trip?.measured.startMs ?? lastMs ?? timeMs
  const drivenMs = timeMs - sinceMs + Math.max(0, boundaryMs - place.lastMs)
  return distanceM(place.position, position) > FASTEST_M_PER_MS * drivenMs + UNSEEN_WAY_M
}

/** A fix was believed within the last half hour: after that the car may have been carried. */
function isSeenLately({ place }: Progress, timeMs: number): boolean {
  return place !== undefined && timeMs - place.lastMs <= LONGEST_SILENCE_MS
}

interface FixContext {
  /** Metres driven since the last fix believed, by the speed that car or receiver reported; undefined without any. */
  readonly drivenM: number | undefined
  /** A trip is on, and in it the car drove where it is believed to be. */
  readonly isProven: boolean
  /** It certainly stood where it is believed to be minutes ago: neither road nor ferry leads out of reach since. */
  readonly isAnchored: boolean
  /** The car was parked, or nobody knows where, for longer than this: a fix far away must be confirmed by the next one. */
  readonly confirmAfterMs: number
  /** The car was parked since, and cannot have driven there in the time that remains. */
  readonly isImplausible: boolean
}

/** The judgement of a fix if that is clear whatever else is known, as it mostly is: none, or one within easy reach. */
function judgeAtOnce(
  before: BelievedPlace | undefined,
  { position, timeMs, isOutlier }: Reading,
): JudgedFix | undefined {
  if (isOutlier) return { fix: 'refused', place: before }
  if (!position || !isUsable(position, before?.position)) return { fix: 'none', place: before }
  if (!before) return { fix: 'moved', place: { position, firstMs: timeMs, lastMs: timeMs, rival: undefined } }
  if (before.rival) return undefined
  const movedM = distanceM(before.position, position)
  if (movedM > UNSEEN_WAY_M || movedM > farthestFromM(timeMs - before.lastMs, LIKELY_M_PER_MS)) return undefined
  return { fix: movedM === 0 ? 'repeated' : 'moved', place: goneTo(before, position, timeMs, undefined) }
}

/** Impossible jumps are not believed until several fixes in a row agree; where the car has
 * just driven here, not for ten minutes. */
function judgeByContext(before: BelievedPlace, position: Position, timeMs: number, context: FixContext): JudgedFix {
  const rival = isForgotten(before.rival, timeMs) ? undefined : before.rival
  const movedM = distanceM(before.position, position)
  const isHere = movedM <= farthestM(before, timeMs, context.drivenM)
  const isLikely = isHere && movedM <= likelyM(before, timeMs, context.drivenM)
  const hereFix = movedM === 0 ? 'repeated' : 'moved'
  const isFarUnseen = movedM > UNSEEN_WAY_M && timeMs - before.lastMs > context.confirmAfterMs
  if (!rival) {
    // A car that stood minutes ago has not been among the fastest since.
    const isPossible = isHere && !context.isImplausible && (isLikely || !context.isAnchored)
    if (isPossible && isLikely && !isFarUnseen)
      return { fix: hereFix, place: goneTo(before, position, timeMs, undefined) }
    return { fix: 'elsewhere', place: { ...before, rival: rivalFrom(position, timeMs, isPossible) } }
  }
  const toRivalM = distanceM(rival.position, position)
  const isThere = toRivalM <= farthestFromM(timeMs - rival.lastMs)
  if (rival.formerUntilMs !== undefined) {
    // Hours later a car may be anywhere; one that never left is still near there, or has just driven off.
    const goneMs = Math.min(timeMs - rival.lastMs, timeMs - (rival.formerUntilMs - EXCURSION_MS) + DATA_GAP_MS)
    const isNearFormer = isThere && toRivalM <= farthestFromM(goneMs, LIKELY_M_PER_MS)
    if (isHere) return { fix: hereFix, place: goneTo(before, position, timeMs, rival) }
    // While the car drives here, it is not believed to be back there, unless it can hardly have left.
    const isBack =
      isNearFormer &&
      toRivalM < movedM &&
      (!context.isProven || toRivalM <= UNSEEN_WAY_M + TOWN_M_PER_MS * (timeMs - rival.lastMs))
    if (isBack) return returned(rival, position, timeMs)
    // A single fix of a third place must not make the former one forgotten.
    if (timeMs - before.lastMs < AGREEING_MS) return { fix: 'refused', place: before }
    return { fix: 'elsewhere', place: { ...before, rival: rivalFrom(position, timeMs, isHere) } }
  }
  // After a long silence nothing but two fixes that agree with each other shows where the dongle is.
  const mustAgree = isFarUnseen && timeMs - before.lastMs > LONGEST_SILENCE_MS
  // A far fix that is repeated agrees with nothing: a receiver reports an old one until it knows better.
  const isOld = movedM > TURNED_BACK_M_PER_MS * (timeMs - before.lastMs) && isSame(position, rival.position)
  const isAgreeing =
    isThere && !isOld && (!mustAgree || toRivalM <= farthestFromM(timeMs - rival.lastMs, LIKELY_M_PER_MS))
  if (isHere && isAgreeing && rival.isPossible && !context.isImplausible) {
    const wasUnseen = isUnseen(before, rival)
    // It drove that fast indeed, or was not seen for long.
    const hasGone = wasUnseen ? movedM > UNSURE_DISPLACEMENT_M : toRivalM < movedM
    // A car that was here minutes ago has driven there, unless the receiver repeats one and the same fix.
    const isDoubted = mustAgree || (isFarUnseen && isSame(position, rival.position))
    const former = isDoubted && !context.isProven ? formerOf(before, timeMs) : undefined
    return { fix: hasGone ? 'agreed' : hereFix, place: goneTo(before, position, timeMs, former) }
  }
  // After a while both are in reach; the one that asks for less speed is meant.
  const isRather = toRivalM / (timeMs - rival.lastMs + 1) < movedM / (timeMs - before.lastMs + 1)
  if (isLikely && !context.isImplausible && !(isThere && isRather)) {
    if (!mustAgree) return { fix: hereFix, place: goneTo(before, position, timeMs, undefined) }
    return { fix: 'elsewhere', place: { ...before, rival: rivalFrom(position, timeMs, true) } }
  }
  if (isThere) return stayedAway(before, rival, position, timeMs, context)
  return { fix: 'elsewhere', place: { ...before, rival: rivalFrom(position, timeMs, isHere) } }
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

/** A car comes that far in the time: the fix was kept apart only because the car had not been seen for long. */
function isUnseen(before: BelievedPlace, { firstPosition, firstMs }: RivalPlace): boolean {
  return distanceM(before.position, firstPosition) <= likelyM(before, firstMs, undefined)
}

/** How far the dongle can have come since the fix believed. */
function farthestM(before: BelievedPlace, timeMs: number, drivenM: number | undefined): number {
  return farthestFromM(sinceFixMs(before, timeMs, drivenM)) + 1.2 * (drivenM ?? 0)
}

/** How far it can have come unless it is among the fastest: on average no faster than most, or as far as it says. */
function likelyM(before: BelievedPlace, timeMs: number, drivenM: number | undefined): number {
  const byTimeM = farthestFromM(sinceFixMs(before, timeMs, drivenM), LIKELY_M_PER_MS)
  return Math.max(byTimeM, 1.2 * (drivenM ?? 0) + FIX_ERROR_M)
}

/** A receiver that repeats its last fix shows all at once what was driven meanwhile. */
function sinceFixMs(before: BelievedPlace, timeMs: number, drivenM: number | undefined): number {
  const frozenMs = Math.min(before.lastMs - before.firstMs, drivenM === undefined ? FROZEN_FIX_MS : REPEATED_FIX_MS)
  return timeMs - before.lastMs + frozenMs
}

/** For a minute a car may be as fast as any, for longer no faster than the fastest roads allow. */
function farthestFromM(durationMs: number, mPerMs = FASTEST_M_PER_MS): number {
  if (durationMs <= AT_FULL_SPEED_MS) return mPerMs * durationMs + FIX_ERROR_M
  return (
    mPerMs * AT_FULL_SPEED_MS + Math.min(mPerMs, SUSTAINED_M_PER_MS) * (durationMs - AT_FULL_SPEED_MS) + FIX_ERROR_M
  )
}

function goneTo(
  before: BelievedPlace,
  position: Position,
  timeMs: number,
  rival: RivalPlace | undefined,
): BelievedPlace {
  return { position, firstMs: isSame(position, before.position) ? before.firstMs : timeMs, lastMs: timeMs, rival }
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

/** A place that was believed before no longer counts. */
function isForgotten(rival: RivalPlace | undefined, timeMs: number): boolean {
  return rival?.formerUntilMs !== undefined && timeMs >= rival.formerUntilMs
}

/** The dongle was here all the time: what came from elsewhere was false. */
function returned(rival: RivalPlace, position: Position, timeMs: number): JudgedFix {
  const firstMs = isSame(position, rival.position) ? rival.firstMs : timeMs
  return { fix: 'returned', place: { position, firstMs, lastMs: timeMs, rival: undefined } }
}

/** One more fix from elsewhere. */
function stayedAway(
  before: BelievedPlace,
  rival: RivalPlace,
  position: Position,
  timeMs: number,
  context: FixContext,
): JudgedFix {
  const isRepeated = isSame(position, rival.position)
  const { firstPosition, firstMs, isPossible, formerUntilMs } = rival
  const count = rival.count + (isRepeated ? 0 : 1)
  const after = { position, firstPosition, firstMs, lastMs: timeMs, count, isPossible, formerUntilMs }
  if (!isAgreed(after)) return { fix: 'elsewhere', place: { ...before, rival: after } }
  const place = { position, firstMs: isRepeated ? rival.lastMs : timeMs, lastMs: timeMs, rival: undefined }
  if (!context.isProven && (!context.isAnchored || isPossible)) return jumpedTo(place, before)
  if (timeMs - firstMs < EXCURSION_MS) return { fix: 'elsewhere', place: { ...before, rival: after } }
  if (!context.isProven && wasCarried(before, rival)) return jumpedTo(place, before)
  return { fix: 'confirmed', place }
}

/** A ferry: the receiver repeated where the car had been until it saw the sky again, and no car comes from there in that time. */
function wasCarried(before: BelievedPlace, { firstPosition, firstMs }: RivalPlace): boolean {
  const frozenMs = Math.min(before.lastMs - before.firstMs, FROZEN_FIX_MS)
  return distanceM(before.position, firstPosition) > farthestFromM(firstMs - before.lastMs + frozenMs)
}

/** The dongle is elsewhere, and nothing speaks for the place before. */
function jumpedTo({ position, firstMs, lastMs }: Omit<BelievedPlace, 'rival'>, before: BelievedPlace): JudgedFix {
  return { fix: 'jumped', place: { position, firstMs, lastMs, rival: formerOf(before, lastMs) } }
}

/** Kept for a while, in case the dongle turns out to be there. */
function formerOf({ position, firstMs, lastMs }: BelievedPlace, timeMs: number): RivalPlace {
  return {
    position,
    firstPosition: position,
    firstMs,
    lastMs,
    count: 1,
    isPossible: false,
    formerUntilMs: timeMs + EXCURSION_MS,
  }
}
