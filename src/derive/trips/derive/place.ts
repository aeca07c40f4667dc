import { distanceM } from '../../../model/earth.ts'
import type { Position } from '../../../model/sample.ts'
import type { Reading } from './reading.ts'
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
  NULL_ISLAND_DEG,
  REPEATED_FIX_MS,
  SUSTAINED_M_PER_MS,
  TOWN_M_PER_MS,
  TURNED_BACK_M_PER_MS,
  UNSEEN_WAY_M,
  UNSURE_DISPLACEMENT_M,
} from './rules.ts'

/** Another place from which fixes came that agree with each other, but not with the place believed. */
export interface Rival {
  /** The last fix there, and the first. */
  readonly position: Position
  readonly firstPosition: Position
  readonly firstMs: number
  readonly lastMs: number
  /** Different fixes in a row. */
  readonly count: number
  /** A car could have come there, if a fast one. */
  readonly isPossible: boolean
  /**
   * Set for a place that was believed before: until then the dongle may turn out never to have left it. undefined for one
   * that may be believed yet.
   */
  readonly formerUntilMs: number | undefined
}

/** Where the dongle is: the last fix believed. */
export interface Place {
  readonly position: Position
  /** When the receiver first and last reported exactly this fix. */
  readonly firstMs: number
  readonly lastMs: number
  readonly rival: Rival | undefined
}

/**
 * What the fix of a reading is. 'moved' is the next one of a path, 'repeated' the very one before it; 'agreed'
 * is the next one as well, and so was the one that was kept apart before it. 'elsewhere' is one of a
 * place that is not believed, not yet at least; 'refused' belongs to no place at all. The place believed changes with 'jumped':
 * the dongle is elsewhere, and nothing speaks for the place before; with 'confirmed': it drove there until then, but has been
 * elsewhere for long; and with 'returned': it never was elsewhere.
 */
export type Fix =
  | 'none'
  | 'refused'
  | 'elsewhere'
  | 'repeated'
  | 'moved'
  | 'agreed'
  | 'jumped'
  | 'confirmed'
  | 'returned'

/** Whether a fix goes on from the one before it. */
export function isNext(fix: Fix): boolean {
  return fix === 'moved' || fix === 'repeated' || fix === 'agreed'
}

/** Whether the dongle is where a fix says. */
export function isBelieved(fix: Fix): boolean {
  return fix !== 'none' && fix !== 'refused' && fix !== 'elsewhere'
}

export interface Judgement {
  readonly fix: Fix
  readonly place: Place | undefined
}

/** What else is known when a fix is judged. */
export interface FixContext {
  /** Metres driven since the last fix believed, by the speed that car or receiver told; undefined when they told none. */
  readonly drivenM: number | undefined
  /** A trip is on, and in it the car drove where it is believed to be. */
  readonly isProven: boolean
  /** It certainly stood where it is believed to be minutes ago: neither road nor ferry leads out of reach since. */
  readonly isAnchored: boolean
  /** The car was parked, or nobody knows where, for longer than this: a fix far away must be confirmed by the next one. */
  readonly confirmAfterMs: number
  /** Only one fix shows the place before: the first one of the dongle, or the first one after a long silence. */
  readonly isUnconfirmed: boolean
  /** The car was parked since, and can not have driven there in the time that remains; or its odometer counted on, but not nearly so far. */
  readonly isImplausible: boolean
}

/** What the fix of a reading is if that is clear whatever else is known, as it mostly is: none, or one within easy reach. */
export function judgeAtOnce(
  before: Place | undefined,
  { position, timeMs, isOutlier }: Reading,
): Judgement | undefined {
  if (isOutlier) return { fix: 'refused', place: before }
  if (!position || !isUsable(position, before)) return { fix: 'none', place: before }
  if (!before) return { fix: 'moved', place: { position, firstMs: timeMs, lastMs: timeMs, rival: undefined } }
  if (before.rival) return undefined
  const movedM = distanceM(before.position, position)
  if (movedM > UNSEEN_WAY_M || movedM > farthestFromM(timeMs - before.lastMs, LIKELY_M_PER_MS)) return undefined
  return { fix: movedM === 0 ? 'repeated' : 'moved', place: goneTo(before, position, timeMs, undefined) }
}

/**
 * What a fix is, and where the dongle is then. Jumps that no car can make are not believed until several fixes
 * in a row agree on the new place; where the car has just driven here, not until it stayed away for ten minutes.
 */
export function judgeByContext(before: Place, position: Position, timeMs: number, context: FixContext): Judgement {
  const rival = isForgotten(before.rival, timeMs) ? undefined : before.rival
  const movedM = distanceM(before.position, position)
  const isHere = movedM <= farthestM(before, timeMs, context.drivenM)
  const isLikely = isHere && movedM <= likelyM(before, timeMs, context.drivenM)
  const hereFix = movedM === 0 ? 'repeated' : 'moved'
  const isFarUnseen = movedM > UNSEEN_WAY_M && timeMs - before.lastMs > context.confirmAfterMs
  if (!rival) {
    // Who stood minutes ago has not been among the fastest since.
    const isPossible = isHere && !context.isImplausible && (isLikely || !context.isAnchored)
    if (isPossible && isLikely && !isFarUnseen)
      return { fix: hereFix, place: goneTo(before, position, timeMs, undefined) }
    return { fix: 'elsewhere', place: beside(before, rivalFrom(position, timeMs, isPossible)) }
  }
  const toRivalM = distanceM(rival.position, position)
  const isThere = toRivalM <= farthestFromM(timeMs - rival.lastMs)
  if (rival.formerUntilMs !== undefined) {
    // Hours later a car may be anywhere; one that never left is still near there, or has just driven off.
    const goneMs = Math.min(timeMs - rival.lastMs, timeMs - (rival.formerUntilMs - EXCURSION_MS) + DATA_GAP_MS)
    const isNearFormer = isThere && toRivalM <= farthestFromM(goneMs, LIKELY_M_PER_MS)
    if (isHere) return { fix: hereFix, place: goneTo(before, position, timeMs, rival) }
    // While the car drives here, it is not believed to be back there, unless it can hardly have left. What is no nearer to there is
    // false wherever the car is.
    const isBack =
      isNearFormer &&
      toRivalM < movedM &&
      (!context.isProven || toRivalM <= UNSEEN_WAY_M + TOWN_M_PER_MS * (timeMs - rival.lastMs))
    if (isBack) return returned(rival, position, timeMs)
    // A single fix of a third place must not make the former one forgotten.
    if (timeMs - before.lastMs < AGREEING_MS) return { fix: 'refused', place: before }
    return { fix: 'elsewhere', place: beside(before, rivalFrom(position, timeMs, isHere)) }
  }
  // After a long silence nothing but two fixes that agree with each other tells where the dongle is.
  const mustAgree = isFarUnseen && timeMs - before.lastMs > LONGEST_SILENCE_MS
  // A far fix that is repeated agrees with nothing: a receiver tells an old one until it knows better.
  const isOld = movedM > TURNED_BACK_M_PER_MS * (timeMs - before.lastMs) && isSame(position, rival.position)
  const isAgreeing =
    isThere && !isOld && (!mustAgree || toRivalM <= farthestFromM(timeMs - rival.lastMs, LIKELY_M_PER_MS))
  if (isHere && isAgreeing && rival.isPossible && !context.isImplausible) {
    const wasUnseen = isUnseen(before, rival)
    if (context.isUnconfirmed && !wasUnseen) return jumpedTo({ position, firstMs: timeMs, lastMs: timeMs }, before)
    // It drove that fast indeed, or was not seen for long.
    const hasGone = wasUnseen ? movedM > UNSURE_DISPLACEMENT_M : toRivalM < movedM
    // Who was here minutes ago has driven there, unless the receiver tells of one and the same fix.
    const isDoubted = mustAgree || (isFarUnseen && isSame(position, rival.position))
    const former = isDoubted && !context.isProven ? formerOf(before, timeMs) : undefined
    return { fix: hasGone ? 'agreed' : hereFix, place: goneTo(before, position, timeMs, former) }
  }
  // After a while both are in reach; the one that asks for less speed is meant.
  const isRather = toRivalM / (timeMs - rival.lastMs + 1) < movedM / (timeMs - before.lastMs + 1)
  if (isLikely && !context.isImplausible && !(isThere && isRather)) {
    if (!mustAgree) return { fix: hereFix, place: goneTo(before, position, timeMs, undefined) }
    return { fix: 'elsewhere', place: beside(before, rivalFrom(position, timeMs, true)) }
  }
  if (isThere) return stayedAway(before, rival, position, timeMs, context)
  if (isAgreed(rival) && timeMs - rival.lastMs < AGREEING_MS) return { fix: 'refused', place: before }
  return { fix: 'elsewhere', place: beside(before, rivalFrom(position, timeMs, isHere)) }
}

/**
 * Whether a receiver can mean it. Zero is what receivers report until they know better, for one coordinate or both; a car that
 * crosses the equator or the meridian of Greenwich was close to it before.
 */
export function isUsable({ lat, lon }: Position, before: Place | undefined): boolean {
  if (!(Math.abs(lat) <= 90 && Math.abs(lon) <= 180)) return false
  if (Math.abs(lat) <= NULL_ISLAND_DEG && Math.abs(lon) <= NULL_ISLAND_DEG) return false
  if (lat === 0) return before !== undefined && Math.abs(before.position.lat) <= NEAR_ZERO_DEG
  if (lon === 0) return before !== undefined && Math.abs(before.position.lon) <= NEAR_ZERO_DEG
  return true
}

const NEAR_ZERO_DEG = 0.05

/** A car comes that far in the time: the fix was kept apart only because the car had not been seen for long. */
function isUnseen(before: Place, { firstPosition, firstMs }: Rival): boolean {
  return distanceM(before.position, firstPosition) <= likelyM(before, firstMs, undefined)
}

/** How far the dongle can have come since the fix believed. */
function farthestM(before: Place, timeMs: number, drivenM: number | undefined): number {
  return farthestFromM(sinceFixMs(before, timeMs, drivenM)) + (isStuck(before, timeMs) ? 0 : 1.2 * (drivenM ?? 0))
}

/** How far it can have come unless it is among the fastest: on average no faster than most, or as far as it says. */
function likelyM(before: Place, timeMs: number, drivenM: number | undefined): number {
  const byTimeM = farthestFromM(sinceFixMs(before, timeMs, drivenM), LIKELY_M_PER_MS)
  return Math.max(byTimeM, isStuck(before, timeMs) ? 0 : 1.2 * (drivenM ?? 0) + FIX_ERROR_M)
}

/** A receiver that repeats its last fix shows all at once what was driven meanwhile. */
function sinceFixMs(before: Place, timeMs: number, drivenM: number | undefined): number {
  const frozenMs = Math.min(before.lastMs - before.firstMs, drivenM === undefined ? FROZEN_FIX_MS : REPEATED_FIX_MS)
  return timeMs - before.lastMs + frozenMs
}

/** A speed that tells of driving while the receiver repeats one fix for long is stuck. */
function isStuck(before: Place, timeMs: number): boolean {
  return before.lastMs - before.firstMs > FROZEN_FIX_MS && timeMs - before.lastMs <= REPEATED_FIX_MS
}

/** For a minute a car may be as fast as any, for longer no faster than the fastest roads allow. */
function farthestFromM(durationMs: number, mPerMs = FASTEST_M_PER_MS): number {
  if (durationMs <= AT_FULL_SPEED_MS) return mPerMs * durationMs + FIX_ERROR_M
  return (
    mPerMs * AT_FULL_SPEED_MS + Math.min(mPerMs, SUSTAINED_M_PER_MS) * (durationMs - AT_FULL_SPEED_MS) + FIX_ERROR_M
  )
}

/** The same place with a rival. Field by field, as places are always made: V8 gives copies by spread another hidden class. */
function beside({ position, firstMs, lastMs }: Place, rival: Rival): Place {
  return { position, firstMs, lastMs, rival }
}

function goneTo(before: Place, position: Position, timeMs: number, rival: Rival | undefined): Place {
  return { position, firstMs: isSame(position, before.position) ? before.firstMs : timeMs, lastMs: timeMs, rival }
}

function isSame(a: Position, b: Position): boolean {
  return a.lat === b.lat && a.lon === b.lon
}

function rivalFrom(position: Position, timeMs: number, isPossible: boolean): Rival {
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
function isAgreed({ count, firstMs, lastMs }: Rival): boolean {
  return count >= AGREEING_FIXES || lastMs - firstMs >= (count > 1 ? AGREEING_MS : EXCURSION_MS)
}

/** Whether fixes come from elsewhere, and it is not decided yet whether the dongle is there. */
export function isDisputed({ rival }: Place): boolean {
  return rival !== undefined && rival.formerUntilMs === undefined
}

/** Whether a place that was believed before no longer counts. */
function isForgotten(rival: Rival | undefined, timeMs: number): boolean {
  return rival?.formerUntilMs !== undefined && timeMs >= rival.formerUntilMs
}

/** The dongle was here all the time: what came from elsewhere was false. */
function returned(rival: Rival, position: Position, timeMs: number): Judgement {
  const firstMs = isSame(position, rival.position) ? rival.firstMs : timeMs
  return { fix: 'returned', place: { position, firstMs, lastMs: timeMs, rival: undefined } }
}

/** One more fix from elsewhere. */
function stayedAway(
  before: Place,
  rival: Rival,
  position: Position,
  timeMs: number,
  { isProven, isAnchored }: FixContext,
): Judgement {
  const isRepeated = isSame(position, rival.position)
  const { firstPosition, firstMs, isPossible, formerUntilMs } = rival
  const count = rival.count + (isRepeated ? 0 : 1)
  const after = { position, firstPosition, firstMs, lastMs: timeMs, count, isPossible, formerUntilMs }
  if (!isAgreed(after)) return { fix: 'elsewhere', place: beside(before, after) }
  const place = { position, firstMs: isRepeated ? rival.lastMs : timeMs, lastMs: timeMs, rival: undefined }
  if (!isProven && (!isAnchored || isPossible)) return jumpedTo(place, before)
  if (timeMs - firstMs < EXCURSION_MS) return { fix: 'elsewhere', place: beside(before, after) }
  if (!isProven && wasCarried(before, rival)) return jumpedTo(place, before)
  return { fix: 'confirmed', place }
}

/** A ferry: the receiver repeated where the car had been until it saw the sky again, and no car comes from there in that time. */
function wasCarried(before: Place, { firstPosition, firstMs }: Rival): boolean {
  const frozenMs = Math.min(before.lastMs - before.firstMs, FROZEN_FIX_MS)
  return distanceM(before.position, firstPosition) > farthestFromM(firstMs - before.lastMs + frozenMs)
}

/** The dongle is elsewhere, and nothing speaks for the place before. */
function jumpedTo({ position, firstMs, lastMs }: Omit<Place, 'rival'>, before: Place): Judgement {
  return { fix: 'jumped', place: { position, firstMs, lastMs, rival: formerOf(before, lastMs) } }
}

/** Kept for a while, in case the dongle turns out to be there. */
function formerOf({ position, firstMs, lastMs }: Place, timeMs: number): Rival {
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
