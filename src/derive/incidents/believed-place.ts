import { distanceM } from '../../model/earth.ts'
import type { Position } from '../../model/sample.ts'
import { isUsable } from '../trips/matched-place.ts'
import {
  AGREEING_FIXES,
  DATA_GAP_MS,
  EXCURSION_MS,
  FASTEST_M_PER_MS,
  FIX_ERROR_M,
  LIKELY_M_PER_MS,
  MOTION_DISPLACEMENT_M,
  STAY_RADIUS_M,
  UNSEEN_WAY_M,
  UNSURE_DISPLACEMENT_M,
} from '../trips/rules.ts'

/** Fixes of another place that agree with each other, but not with the believed place. */
type RivalFixes = {
  readonly lon: number
  readonly lat: number
  readonly firstMs: number
  readonly lastMs: number
  /** Different fixes. */
  readonly count: number
}

/** The last fix believed; where the car is parked, the mean of those since then. */
export type BelievedPlace = {
  readonly lon: number
  readonly lat: number
  readonly timeMs: number
  /** Different fixes in a row that agree, up to the number that makes it sure; of a parked car, the weight of the mean. */
  readonly count: number
  /** The car is parked there, whatever single fixes say, ... */
  readonly isParked: boolean
  /** ... which are so far from it on average. */
  readonly scatterM: number
  readonly rival: RivalFixes | null
}

/** What is known of a car besides its fixes: it drives; it may; nothing; nothing, but it has stayed where it is; it is
 * parked with this fix; or it was before, and nothing but fixes could say that it is elsewhere. */
export type Stand = 'drives' | 'woken' | 'unknown' | 'stays' | 'parks' | 'parked'

/** So near to where it is parked, fixes are noise; where nothing but fixes says that it is, by how they scatter. */
const NOISE_M = UNSURE_DISPLACEMENT_M
/** Hardly any fix is farther off than so many times the mean. */
const SCATTERS = 4
/** More fixes do not make their mean surer: the car may have been moved a little. */
const MOST_WEIGHT = 200
/** The receiver of a car that parks has just followed its way. */
const PARKING_WEIGHT = 10

/** The place after a fix. One out of reach is believed once others agree: a few where the place was hardly known, else
 * ten minutes of them (a receiver led astray agrees with itself). So is one away from where the car is parked, or
 * when a few get farther away than fixes wander. Null as long as none was believed. */
export function placeAfter(
  before: BelievedPlace | null,
  fix: Position,
  timeMs: number,
  stand: Stand,
): BelievedPlace | null {
  const { lon, lat } = fix
  if (!isUsable(fix, before ?? undefined)) return before
  const parks = stand === 'parks'
  if (!before) return { lon, lat, timeMs, count: 1, isParked: parks || stand === 'parked', scatterM: 0, rival: null }
  const sinceMs = timeMs - before.timeMs
  const { rival, count } = before
  const movedM = distanceM(before, fix)
  const mayRest = stand !== 'drives' && !parks
  const scatteredM = Math.min(NOISE_M, Math.max(STAY_RADIUS_M, SCATTERS * before.scatterM))
  const noiseM = stand === 'parked' ? NOISE_M : scatteredM
  const restM = stand === 'parked' ? STAY_RADIUS_M : stand === 'stays' ? MOTION_DISPLACEMENT_M : -1
  if (mayRest && movedM <= (before.isParked ? noiseM : restM))
    return meanOf(before.isParked ? before : { ...before, scatterM: NOISE_M / SCATTERS }, fix, timeMs)
  const isInReach = movedM <= LIKELY_M_PER_MS * sinceMs + FIX_ERROR_M
  const isAlone = before.isParked && mayRest && stand !== 'woken' && noiseM === NOISE_M
  if (isInReach && !isAlone) {
    // After a while without fixes anything is possible, so the next fixes must be able to say otherwise.
    const isUnsure = sinceMs > DATA_GAP_MS && movedM > UNSEEN_WAY_M
    const isSame = before.lon === lon && before.lat === lat
    const agreeing = Math.min(AGREEING_FIXES, count + (isSame ? 0 : 1))
    return {
      lon,
      lat,
      timeMs,
      count: isUnsure ? 1 : parks ? PARKING_WEIGHT : agreeing,
      isParked: parks,
      scatterM: 0,
      rival: null,
    }
  }
  const rivalM = rival ? distanceM(rival, fix) : 0
  const isThere = rival && rivalM < movedM && rivalM <= FASTEST_M_PER_MS * (timeMs - rival.lastMs) + FIX_ERROR_M
  if (!isThere) return { ...before, rival: { lon, lat, firstMs: timeMs, lastMs: timeMs, count: 1 } }
  const isRepeated = rival.lon === lon && rival.lat === lat
  const after = { lon, lat, firstMs: rival.firstMs, lastMs: timeMs, count: rival.count + (isRepeated ? 0 : 1) }
  const isFar = movedM >= UNSEEN_WAY_M || stand !== 'parked'
  const isGone = isInReach && isFar && after.count >= AGREEING_FIXES
  const isAgreed = (count < AGREEING_FIXES && after.count > count) || isGone
  if (!isAgreed && timeMs - after.firstMs < EXCURSION_MS) return { ...before, rival: after }
  return { lon, lat, timeMs, count: Math.min(AGREEING_FIXES, after.count), isParked: false, scatterM: 0, rival: null }
}

/** One more fix around where the car is parked. */
function meanOf(before: BelievedPlace, { lon, lat }: Position, timeMs: number): BelievedPlace {
  const count = Math.min(MOST_WEIGHT, before.count + 1)
  const eastDeg = ((lon - before.lon + 540) % 360) - 180
  const place = { lon: before.lon + eastDeg / count, lat: before.lat + (lat - before.lat) / count }
  const scatterM = before.scatterM + (distanceM(before, { lon, lat }) - before.scatterM) / count
  return { ...place, timeMs, count, isParked: true, scatterM, rival: null }
}

/** A stay that a place elsewhere ends: a car that was parked and is seen next nearby was there until then, however long
 * nothing came. @param before where it was */
export function leftFor<Stay extends { readonly lastInsideMs: number }>(
  stay: Stay,
  before: BelievedPlace | null | undefined,
  place: BelievedPlace | null,
): Stay {
  if (!before?.isParked || before.timeMs !== stay.lastInsideMs || !place) return stay
  return distanceM(before, place) > UNSEEN_WAY_M
    ? stay
    : { ...stay, lastInsideMs: before.rival?.firstMs ?? place.timeMs }
}
