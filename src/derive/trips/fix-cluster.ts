import { distanceM, eastwardDegrees, MOST_ERRORS } from '../../model/earth.ts'
import type { Position } from '../../model/sample.ts'
import { arrivalMs, departureMs } from './path.ts'
import { type Fix, isBelieved, isNext, isSeldom, type Reading, saysStanding, wordOf } from './reading.ts'
import {
  BUSY_LEAD_MS,
  FASTEST_M_PER_MS,
  LEAD_M,
  LONGEST_SILENCE_MS,
  MISSED_INTERVALS,
  MOTION_DISPLACEMENT_M,
  MOTION_KMH,
  SAME_MOMENT_MS,
  STAY_RADIUS_M,
  TOWN_M_PER_MS,
  TURNED_BACK_M_PER_MS,
  UNMOVED_MS,
  UNSURE_DISPLACEMENT_M,
} from './rules.ts'
import type { FixCluster, Progress } from './state.ts'

// The place around which the last fixes lie shows whether the car stands, and when it left.

export interface Departure {
  /** It drove: fixes 100 m apart, faster than 5 km/h. Otherwise it crept a little, as in a queue or into a parking space. */
  readonly isDrive: boolean
  /** Where it stood before, and the fix from which its motion is known. */
  readonly from: Position
  readonly fromMs: number
  readonly departedMs: number
  /** The middle of the place that it left. */
  readonly middle: Position
}

/** Moves on to a believed fix. @returns how the car left its place, if the fix shows that it did */
export function goToFix(progress: Progress, reading: Reading, fix: Fix, isBusy: boolean): Departure | undefined {
  const { position, timeMs } = reading
  if (!position || !isBelieved(fix)) return undefined
  const { place } = progress
  // After the dongle left another car, only the fixes that agree with each other are known of this one.
  if (fix === 'agreed' && place?.rival) progress.cluster ??= clusterFrom(place.rival.position, place.rival.lastMs)
  const { cluster } = progress
  if (!cluster || !place || !isNext(fix)) {
    progress.cluster = clusterFrom(position, timeMs)
    return undefined
  }
  const unseenMs = unseenFor(progress, timeMs)
  const isDriving = progress.trip !== undefined && progress.trip.pause === undefined
  const leastM = leastRadiusM(reading, cluster, reading.isMoving === false && !progress.isMoving && !progress.trip)
  const before = {
    position: place.position,
    firstMs: place.firstMs,
    lastMs: place.lastMs,
    isDriving,
    isOnTrip: progress.trip !== undefined,
    isBusy,
  }
  const { rival } = place
  if (fix !== 'agreed' || !rival) return goOnFrom(cluster, position, timeMs, before, leastM, unseenMs)
  const first = goOnFrom(cluster, rival.position, rival.lastMs, before, leastM, unseenFor(progress, rival.lastMs))
  const second = goOnFrom(
    cluster,
    position,
    timeMs,
    { ...rival, isDriving: true, isOnTrip: true, isBusy: true },
    leastM,
    unseenMs,
  )
  return first?.isDrive ? first : (second ?? first)
}

/** Parked, and all else contradicts a leap of its fixes: a sensor of motion, a speed now and just before, or an odometer
 * with decimals. A second leap that leads on is a drive all the same. */
export function isContradicted(progress: Progress, reading: Reading, isOdometerStill: boolean): boolean {
  const { trip, power, cluster, lastMs } = progress
  const { position, timeMs, speedKmh, isMoving } = reading
  if (!cluster || !position || lastMs === undefined || trip || wordOf(power)) return false
  const { left, middle, insideMs, sinceMs } = cluster
  const isOnward = left !== undefined && distanceM(left.position, position) >= UNSURE_DISPLACEMENT_M
  if (isOnward && insideMs - sinceMs <= BUSY_LEAD_MS) return false
  if (isOdometerStill) return distanceM(middle, position) >= 2 * MOTION_DISPLACEMENT_M
  if (speedKmh === undefined) return isMoving === false
  return saysStanding(reading) && timeMs - lastMs <= UNMOVED_MS + SAME_MOMENT_MS
}

/** How long the car may have driven before a fix shows it: an interval, or for as long as samples came without a fix. */
function unseenFor({ place, lastMs, busySinceMs, cadenceMs }: Progress, timeMs: number): number | undefined {
  const isBlind = place !== undefined && lastMs !== undefined && lastMs > place.lastMs
  if (!isBlind || busySinceMs === undefined || timeMs - place.lastMs > LONGEST_SILENCE_MS) return cadenceMs
  const usualMs = cadenceMs ?? 0
  return Math.max(usualMs, timeMs - Math.max(place.lastMs, busySinceMs - usualMs))
}

// Standstill and departures, as a cluster shows them.

/** Fixes show that the car stands: they have been here for a minute, and the last one is recent. */
export function isUnmoved({ sinceMs, insideMs, outside }: FixCluster, timeMs: number): boolean {
  return !outside && insideMs - sinceMs >= UNMOVED_MS && timeMs - insideMs <= UNMOVED_MS
}

/** Fixes show for certain that the car has stood there. */
export function isParked({ count, outside }: FixCluster): boolean {
  return count >= SCATTER_COUNT && outside === undefined
}

/** With fewer fixes their scatter is unknown. */
export const SCATTER_COUNT = 4
const LEAST_RADIUS_M = 25
/** While the car reports that it stands, fixes this near belong to the place: each may be off by the width of a street. */
const STANDING_RADIUS_M = 80

/** How far from the middle the next fixes may lie although the car did not move. */
export function scatteredM({ count, scatterM }: FixCluster): number {
  if (count < SCATTER_COUNT) return STANDING_RADIUS_M
  return Math.max(STAY_RADIUS_M, Math.min(STANDING_RADIUS_M, LEAST_RADIUS_M + 2 * scatterM))
}

/** With a receiver whose fixes hardly scatter, a smaller distance shows that the car left. */
function radiusM({ count, scatterM }: FixCluster): number {
  return count < SCATTER_COUNT ? STAY_RADIUS_M : Math.min(STAY_RADIUS_M, LEAST_RADIUS_M + 2 * scatterM)
}

/** A fix this near may be of a car that has not moved: by its speed, by its stated error and, where that is large, by how
 * far fixes scatter. @param isStill a sensor of motion in a parked car says so, as it did before: nobody carries it far */
function leastRadiusM(reading: Reading, { scatterM }: FixCluster, isStill: boolean): number {
  const { errorM } = reading
  const isSure = errorM > 0 && errorM <= SURE_ERROR_M
  const carriedM = isStill && !isSure ? MOST_ERRORS * UNSURE_DISPLACEMENT_M : 0
  const mostM = MOST_ERRORS * errorM || carriedM
  const scatteringM = errorM >= STAY_RADIUS_M ? Math.max(2 * mostM, carriedM) : carriedM
  const standingM = saysStanding(reading) ? STANDING_RADIUS_M : 0
  return Math.max(mostM, Math.min(SCATTER_SHARE * scatterM, scatteringM), standingM)
}

/** A receiver that states less sees the car leave, whatever a sensor of motion says. */
const SURE_ERROR_M = 10

/** How far from the middle a fix must lie to prove that the car left. */
export function leftAtM({ count, scatterM }: FixCluster): number {
  if (count < SCATTER_COUNT) return UNSURE_DISPLACEMENT_M
  return Math.max(MOTION_DISPLACEMENT_M, Math.min(UNSURE_DISPLACEMENT_M, LEAST_RADIUS_M + SCATTER_SHARE * scatterM))
}

/** The mean may be as far off as fixes scatter on average, and a single fix several times as far. */
const SCATTER_SHARE = 5

/** When and from where a car left that is outside of its cluster, although nothing proves yet that it drives. */
export function outsetOf(cluster: FixCluster, cadenceMs: number | undefined): Departure | undefined {
  const { outside, left, arrivedMs } = cluster
  if (outside) {
    return departureOf(cluster, outside, false, true, cadenceMs)
  }
  return (
    left && {
      isDrive: true,
      fromMs: arrivedMs,
      from: left.position,
      departedMs: left.timeMs,
      middle: left.position,
    }
  )
}

// How a cluster changes.

function clusterFrom(position: Position, timeMs: number, arrivedMs = timeMs): FixCluster {
  return {
    middle: position,
    count: 1,
    scatterM: 0,
    sinceMs: timeMs,
    arrivedMs,
    inside: position,
    insideMs: timeMs,
    outside: undefined,
    next: undefined,
    left: undefined,
  }
}

/** The cluster is another one from then on, with a single fix. */
function moveTo(cluster: FixCluster, position: Position, timeMs: number, arrivedMs: number): void {
  Object.assign(cluster, clusterFrom(position, timeMs, arrivedMs))
}

/** More would not make the mean better, and with this few it follows a slow drift. */
const MOST_FIXES = 20

/** One more fix inside. @param offM its distance from the middle */
function remain(cluster: FixCluster, position: Position, timeMs: number, offM: number): void {
  cluster.count = Math.min(cluster.count + 1, MOST_FIXES)
  cluster.scatterM += (offM - cluster.scatterM) / cluster.count
  const { middle } = cluster
  cluster.middle = {
    lon: middle.lon + eastwardDegrees(middle.lon, position.lon) / cluster.count,
    lat: middle.lat + (position.lat - middle.lat) / cluster.count,
  }
  cluster.inside = position
  cluster.insideMs = timeMs
  cluster.outside = undefined
  cluster.next = undefined
}

/** Fixes that were outside and came back without a drive scatter: a receiver that was exact before may not be any more. */
function learnFromReturn(cluster: FixCluster): void {
  const { middle, outside, next } = cluster
  if (!outside) return
  const outM = Math.max(distanceM(middle, outside.position), next ? distanceM(middle, next.position) : 0)
  if (outM > cluster.scatterM)
    cluster.scatterM += (Math.min(outM, UNSURE_DISPLACEMENT_M) - cluster.scatterM) / SCATTER_COUNT
}

interface FixBefore {
  readonly position: Position
  /** When it was first and last reported. */
  readonly firstMs: number
  readonly lastMs: number
  /** As far as is known, the car drove then. */
  readonly isDriving: boolean
  /** It may only wait, before it drives on. */
  readonly isOnTrip: boolean
  /** The dongle reported as often then as it does while the car drives. */
  readonly isBusy: boolean
}

/** Updates the cluster with the next believed fix.
 * @param leastM fixes this near belong to the place in any case @param cadenceMs while driving */
function goOnFrom(
  cluster: FixCluster,
  position: Position,
  timeMs: number,
  before: FixBefore,
  leastM: number,
  cadenceMs: number | undefined,
): Departure | undefined {
  const offM = distanceM(cluster.middle, position)
  const isUnsure = cluster.count < SCATTER_COUNT && cluster.outside === undefined
  if (offM <= Math.max(leastM, isUnsure ? reachM((timeMs - cluster.insideMs) / 2) : radiusM(cluster))) {
    learnFromReturn(cluster)
    remain(cluster, position, timeMs, offM)
    return undefined
  }
  const sinceBeforeMs = timeMs - before.lastMs
  if (sinceBeforeMs > LONGEST_SILENCE_MS) return startAfterSilence(cluster, position, timeMs, cadenceMs)
  const hasJustLeft = cluster.outside === undefined
  const { next } = cluster
  const isElsewhere = !next || distanceM(next.position, position) > reachM(timeMs - next.timeMs)
  if (
    cluster.outside &&
    isElsewhere &&
    hasParkedAt(before, sinceBeforeMs, distanceM(before.position, position), cadenceMs)
  ) {
    // The fixes outside only show how far the fixes of the parked car scatter.
    cluster.inside = before.position
    cluster.insideMs = before.lastMs
    cluster.outside = undefined
  }
  const outside = (cluster.outside ??= { position, timeMs })
  const { inside, insideMs } = cluster
  // Jitter moves from one side of the place to the other, but not away from it.
  const isAway = offM >= Math.max(leftAtM(cluster), leastM)
  const isOnward = isAway && !hasJustLeft && isDrive(distanceM(outside.position, position), timeMs - outside.timeMs)
  // The last fix inside may lie at the edge of a place whose middle is known.
  const leftM = cluster.count < SCATTER_COUNT ? distanceM(inside, position) : offM
  const isDirect = isAway && isDrive(leftM, timeMs - insideMs)
  if (isDirect || isOnward) {
    if (hasJustLeft && wasFrozen(cluster, before, position, timeMs)) cluster.insideMs = before.firstMs
    const departure = departureOf(cluster, outside, isDirect, isOnward, cadenceMs)
    moveTo(cluster, position, timeMs, before.isDriving || before.isBusy ? arrivalMs(before, position, timeMs) : timeMs)
    return departure
  }
  if (!next || isElsewhere) {
    // Drift, or a few metres of motion, left the place minutes ago: later fixes show whether it drives now.
    if (next && timeMs - outside.timeMs > WALKED_MS) cluster.outside = { position: next.position, timeMs: next.timeMs }
    // It is unknown for how much longer it had stayed at the place before.
    const stoodBefore = hasJustLeft && insideMs > cluster.sinceMs && !before.isOnTrip
    cluster.next = {
      position,
      timeMs,
      arrivedMs: stoodBefore ? timeMs : arrivalMs(before, position, timeMs),
    }
    return undefined
  }
  if (timeMs - next.timeMs < UNMOVED_MS) return undefined
  // Too slow for a drive: it stands a little farther away now, or the fixes drift.
  const isFar = distanceM(cluster.middle, next.position) > scatteredM(cluster)
  const hasPassed = insideMs - cluster.sinceMs < UNMOVED_MS
  const hasCrept = isFar || hasPassed
  // If it is no farther away, it is the same place, however its fixes scatter.
  const departure = { ...departureOf(cluster, outside, true, false, cadenceMs), isDrive: false }
  moveTo(cluster, next.position, next.timeMs, hasCrept ? next.arrivedMs : cluster.arrivedMs)
  // It may only be passing and drive on at once.
  cluster.left = { position: departure.from, timeMs: departure.departedMs }
  remain(cluster, position, timeMs, distanceM(cluster.middle, position))
  return hasCrept ? departure : undefined
}

/** @param isDirect, isOnward the way from the last fix inside or the first outside shows a drive */
function departureOf(
  cluster: FixCluster,
  outside: NonNullable<FixCluster['outside']>,
  isDirect: boolean,
  isOnward: boolean,
  cadenceMs: number | undefined,
): Departure {
  const { inside, insideMs, left, arrivedMs, middle } = cluster
  // A single fix does not show that the car was parked there: a phone wakes up when it moves.
  const hasStood = insideMs > cluster.sinceMs
  const leadM = distanceM(inside, outside.position)
  const ownMs = hasStood || !isDirect ? departureMs(leadM, insideMs, outside.timeMs, cadenceMs) : insideMs
  const fromMs = isOnward ? outside.timeMs : insideMs
  // It had left before, and waited at traffic lights.
  if (left && ownMs - arrivedMs <= Math.max(BUSY_LEAD_MS, cadenceMs ?? 0))
    return { isDrive: true, fromMs, from: left.position, departedMs: left.timeMs, middle: left.position }
  return { isDrive: true, fromMs, from: inside, departedMs: ownMs, middle }
}

/** From this far away it may have come unseen since it stood. */
function nearM(cadenceMs: number | undefined): number {
  return Math.max(LEAD_M, (cadenceMs ?? 0) * 2 * TOWN_M_PER_MS)
}

/** decisions.md: 100 m and more, faster than 5 km/h, not faster than 250. */
function isDrive(metres: number, durationMs: number): boolean {
  const mPerMs = metres / durationMs
  return metres >= MOTION_DISPLACEMENT_M && mPerMs > MOTION_KMH / 3600 && mPerMs <= FASTEST_M_PER_MS
}

/** How far two fixes of a standing car may be apart: no farther than they scatter, nor than somebody walks in the time between them. */
function reachM(sinceMs: number): number {
  return Math.max(STAY_RADIUS_M, Math.min(STANDING_RADIUS_M, (MOTION_KMH / 3600) * sinceMs))
}

/** The car stood at a fix: the dongle was then as silent as while parked, or the next fix is too near for a drive. */
function hasParkedAt(before: FixBefore, sinceMs: number, metres: number, cadenceMs: number | undefined): boolean {
  if (isSeldom(sinceMs, cadenceMs)) return !before.isBusy
  const isSlow = metres / sinceMs <= MOTION_KMH / 3600
  const longMs = cadenceMs === undefined ? WALKED_MS : MISSED_INTERVALS * cadenceMs + SAME_MOMENT_MS
  return isSlow && !before.isDriving && sinceMs > longMs
}

/** Nothing is known of a long silence, except for a car that left a garage: its way from where it stood. */
function startAfterSilence(
  cluster: FixCluster,
  position: Position,
  timeMs: number,
  cadenceMs: number | undefined,
): undefined {
  const { inside, insideMs } = cluster
  const leadM = distanceM(inside, position)
  moveTo(cluster, position, timeMs, timeMs)
  if (leadM > nearM(cadenceMs)) return
  // It may also have stood here already: halfway is off by the least.
  const leftMs = Math.round((departureMs(leadM, insideMs, timeMs, cadenceMs) + timeMs) / 2)
  cluster.left = { position: inside, timeMs: leftMs }
}

/** The receiver repeated its fix while the car drove on: no car comes this far since the last repetition. */
function wasFrozen(
  cluster: FixCluster,
  { position, firstMs, lastMs }: FixBefore,
  next: Position,
  timeMs: number,
): boolean {
  if (lastMs === firstMs || firstMs > cluster.sinceMs || cluster.insideMs !== lastMs) return false
  return distanceM(position, next) >= TURNED_BACK_M_PER_MS * (timeMs - lastMs)
}

/** A car that needs at least this long for a hundred metres does not drive. */
const WALKED_MS = (MOTION_DISPLACEMENT_M / MOTION_KMH) * 3600
