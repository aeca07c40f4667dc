import type { Position } from '../../src/model/sample.ts'
import { chance } from './chance.ts'
import type { Car } from './dongle.ts'
import { wayBetween, wrappedDegrees } from './ground.ts'

/** A point of a route and the road from there to the next one. */
export interface Waypoint extends Position {
  /** Usual speed on the road to the next point. */
  readonly limitKmh: number
  readonly stopS?: number
}

export type Route = readonly Waypoint[]

/** The same way in the other direction: the limit belongs to the road behind a point now, not to the one ahead. */
export function backwards(route: Route): Route {
  return route.map((point, i) => ({ ...point, limitKmh: route[i - 1]?.limitKmh ?? point.limitKmh })).toReversed()
}

const ACCELERATION_MPS2 = 1.3
const BRAKING_MPS2 = 1.7
/** Engine on before the first and after the last metre. */
const STANDING_AT_START_MS = 12_000
const STANDING_AT_END_MS = 7_000

/** A stretch of constant acceleration on one leg of the route; standing still is one as well. */
interface Stretch {
  readonly fromMs: number
  readonly lastsMs: number
  readonly fromM: number
  readonly speedMps: number
  readonly accelerationMps2: number
  readonly leg: Leg
}

interface Leg {
  readonly from: Waypoint
  readonly to: Waypoint
  readonly fromM: number
  readonly lengthM: number
  readonly courseDeg: number
}

/** A drive along a route, second by second, from the moment the engine is started until it is stopped. */
export interface DrivePlan {
  readonly stretches: readonly Stretch[]
  readonly incidents: readonly Incident[]
  readonly lengthM: number
  readonly lastsMs: number
}

export interface Incident {
  /** Since the start of the drive, in whole milliseconds. */
  readonly atMs: number
  readonly kind: 'braking' | 'acceleration' | 'speeding'
  /** m/s² without sign, or km/h. */
  readonly value: number
}

export interface DrivingStyle {
  /** The share of changes of speed that are hard where others are gentle, 0 to 1. */
  readonly harshShare: number
  readonly speedFactor: number
}

const CALM: DrivingStyle = { harshShare: 0, speedFactor: 1 }
/** Hard, from the least to the most, where a calm driver does 1.3 and 1.7 m/s². */
const HARSH_ACCELERATION_MPS2 = [2.6, 3.4] as const
const HARSH_BRAKING_MPS2 = [3.4, 5.5] as const
/** A smaller change of speed is not noticed. */
const LEAST_HARSH_MPS = 4
/** Dongles report speeding above it; they do not know road signs. */
const SPEEDING_KMH = 125

export interface Motion {
  readonly position: Position
  readonly courseDeg: number
  readonly metres: number
  readonly speedKmh: number
  readonly accelerationMps2: number
}

export function routeLengthM(route: Route): number {
  return legsOf(route).reduce((sum, leg) => sum + leg.lengthM, 0)
}

/** Drives a route; stops and speeds, but never the length, depend on the seed. */
export function planDrive(route: Route, seed: number, style = CALM): DrivePlan {
  const legs = legsOf(route)
  const stopsMs = route.map(({ stopS = 0 }, i) => stopMs(stopS, seed, i))
  const cruiseMps = cruisingSpeeds(legs, stopsMs, seed, style)
  const passMps = passingSpeeds(legs, stopsMs, cruiseMps)
  const stretches: Stretch[] = []
  let nowMs = 0
  const drive = (leg: Leg, fromM: number, lastsMs: number, speedMps: number, accelerationMps2: number) => {
    if (lastsMs <= 0) return
    stretches.push({ fromMs: nowMs, lastsMs, fromM, speedMps, accelerationMps2, leg })
    nowMs += lastsMs
  }
  for (const [i, leg] of legs.entries()) {
    drive(leg, leg.fromM, i === 0 ? STANDING_AT_START_MS : (stopsMs[i] ?? 0), 0, 0)
    const fromMps = passMps[i] ?? 0
    const toMps = passMps[i + 1] ?? 0
    const upMps2 = harshly(HARSH_ACCELERATION_MPS2, style, seed, i, 3) ?? ACCELERATION_MPS2
    const downMps2 = harshly(HARSH_BRAKING_MPS2, style, seed, i, 5) ?? BRAKING_MPS2
    const peakMps = Math.min(cruiseMps[i] ?? 0, reachableMps(leg.lengthM, fromMps, toMps, upMps2, downMps2))
    const speedUpM = (peakMps ** 2 - fromMps ** 2) / (2 * upMps2)
    const slowDownM = (peakMps ** 2 - toMps ** 2) / (2 * downMps2)
    const cruiseM = Math.max(0, leg.lengthM - speedUpM - slowDownM)
    drive(leg, leg.fromM, ((peakMps - fromMps) / upMps2) * 1000, fromMps, upMps2)
    drive(leg, leg.fromM + speedUpM, (cruiseM / peakMps) * 1000, peakMps, 0)
    drive(leg, leg.fromM + speedUpM + cruiseM, ((peakMps - toMps) / downMps2) * 1000, peakMps, -downMps2)
  }
  const lengthM = routeLengthM(route)
  const lastLeg = legs.at(-1)
  if (lastLeg) drive(lastLeg, lengthM, STANDING_AT_END_MS, 0, 0)
  return { stretches, incidents: incidentsOf(stretches), lengthM, lastsMs: Math.ceil(nowMs) }
}

/** The car `sinceStartMs` into its drive; before it stands at the start, afterwards at the end. */
export function motionAt(plan: DrivePlan, sinceStartMs: number): Motion {
  const atMs = Math.min(Math.max(sinceStartMs, 0), plan.lastsMs)
  const stretch = stretchAt(plan, atMs)
  return motionIn(plan, stretch, Math.min(atMs - stretch.fromMs, stretch.lastsMs))
}

export function speedKmhAt(plan: DrivePlan, sinceStartMs: number): number {
  const atMs = Math.min(Math.max(sinceStartMs, 0), plan.lastsMs)
  const stretch = stretchAt(plan, atMs)
  return speedKmhIn(stretch, Math.min(atMs - stretch.fromMs, stretch.lastsMs) / 1000)
}

function stretchAt(plan: DrivePlan, atMs: number): Stretch {
  const stretch = plan.stretches[stretchIndexAt(plan, atMs)]
  if (!stretch) throw new Error('a route needs two points')
  return stretch
}

function speedKmhIn({ speedMps, accelerationMps2 }: Stretch, elapsedS: number): number {
  return Math.max(0, speedMps + accelerationMps2 * elapsedS) * 3.6
}

export function motionIn(plan: DrivePlan, stretch: Stretch, elapsedMs: number): Motion {
  const { leg, accelerationMps2 } = stretch
  const elapsedS = elapsedMs / 1000
  const metres = stretch.fromM + stretch.speedMps * elapsedS + (accelerationMps2 * elapsedS ** 2) / 2
  const share = Math.min(1, Math.max(0, (metres - leg.fromM) / leg.lengthM))
  return {
    position: {
      lon: wrappedDegrees(leg.from.lon + wrappedDegrees(leg.to.lon - leg.from.lon) * share),
      lat: leg.from.lat + (leg.to.lat - leg.from.lat) * share,
    },
    courseDeg: leg.courseDeg,
    metres: Math.min(metres, plan.lengthM),
    speedKmh: speedKmhIn(stretch, elapsedS),
    accelerationMps2,
  }
}

export function stretchIndexAt({ stretches }: DrivePlan, atMs: number): number {
  let low = 0
  let high = stretches.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((stretches[middle]?.fromMs ?? 0) <= atMs) low = middle
    else high = middle - 1
  }
  return low
}

function legsOf(route: Route): Leg[] {
  let fromM = 0
  return route.slice(1).map((to, i) => {
    const from = route[i] ?? to
    const { eastM, northM } = wayBetween(from, to)
    const lengthM = Math.hypot(northM, eastM)
    const courseDeg = (Math.atan2(eastM, northM) * 180) / Math.PI
    const leg = { from, to, fromM, lengthM, courseDeg: (courseDeg + 360) % 360 }
    fromM += lengthM
    return leg
  })
}

/** One light in three is green. */
function stopMs(longestS: number, seed: number, place: number): number {
  const luck = chance(seed, place, 1)
  return luck < 1 / 3 ? 0 : Math.round(luck * longestS * 1000)
}

/** The speed on each leg where nothing is in the way: the same until the limit changes or the car has stopped. */
function cruisingSpeeds(
  legs: readonly Leg[],
  stopsMs: readonly number[],
  seed: number,
  { speedFactor }: DrivingStyle,
): number[] {
  let since = 0
  return legs.map(({ from }, i) => {
    if (from.limitKmh !== legs[since]?.from.limitKmh || (stopsMs[i] ?? 0) > 0) since = i
    return (from.limitKmh / 3.6) * (0.72 + 0.22 * chance(seed, since, 2)) * speedFactor
  })
}

/** The speed at each point of the route: nothing at stops and ends, less in a bend, and never more than can be reached or braked. */
function passingSpeeds(legs: readonly Leg[], stopsMs: readonly number[], cruiseMps: readonly number[]): number[] {
  const speeds = [0, ...legs.map(() => 0)]
  for (const [i, leg] of legs.entries()) {
    const before = legs[i - 1]
    if (!before || (stopsMs[i] ?? 0) > 0) continue
    const wantedMps = Math.min(cruiseMps[i - 1] ?? 0, cruiseMps[i] ?? 0, bendMps(before, leg))
    speeds[i] = Math.min(wantedMps, Math.sqrt((speeds[i - 1] ?? 0) ** 2 + 2 * ACCELERATION_MPS2 * before.lengthM))
  }
  for (let i = legs.length - 1; i >= 0; i--) {
    const lengthM = legs[i]?.lengthM ?? 0
    speeds[i] = Math.min(speeds[i] ?? 0, Math.sqrt((speeds[i + 1] ?? 0) ** 2 + 2 * BRAKING_MPS2 * lengthM))
  }
  return speeds
}

function harshly(
  [least, most]: readonly [least: number, most: number],
  { harshShare }: DrivingStyle,
  seed: number,
  place: number,
  what: number,
): number | undefined {
  return chance(seed, place, what) < harshShare ? least + (most - least) * chance(seed, place, what + 1) : undefined
}

function incidentsOf(stretches: readonly Stretch[]): Incident[] {
  let wasSpeeding = false
  return stretches.flatMap(({ fromMs, lastsMs, speedMps, accelerationMps2 }): Incident[] => {
    const atMs = Math.round(fromMs + lastsMs / 2)
    const isFelt = (Math.abs(accelerationMps2) * lastsMs) / 1000 >= LEAST_HARSH_MPS
    if (accelerationMps2 >= HARSH_ACCELERATION_MPS2[0] && isFelt)
      return [{ atMs, kind: 'acceleration', value: accelerationMps2 }]
    if (accelerationMps2 <= -HARSH_BRAKING_MPS2[0] && isFelt)
      return [{ atMs, kind: 'braking', value: -accelerationMps2 }]
    if (accelerationMps2 !== 0) return []
    const isSpeeding = speedMps * 3.6 > SPEEDING_KMH
    const begins = isSpeeding && !wasSpeeding
    wasSpeeding = isSpeeding
    return begins ? [{ atMs, kind: 'speeding', value: speedMps * 3.6 }] : []
  })
}

function bendMps(before: Leg, after: Leg): number {
  const turnDeg = Math.abs(((after.courseDeg - before.courseDeg + 540) % 360) - 180)
  if (turnDeg < 25) return Number.POSITIVE_INFINITY
  return (turnDeg < 60 ? 40 : 22) / 3.6
}

/** The highest speed on a leg that is entered and left at given speeds, when nothing but its length limits it. */
function reachableMps(lengthM: number, fromMps: number, toMps: number, up: number, down: number): number {
  return Math.sqrt((2 * up * down * lengthM + down * fromMps ** 2 + up * toMps ** 2) / (up + down))
}

export interface Drive {
  readonly startMs: number
  readonly endMs: number
  readonly plan: DrivePlan
  /** Whole metres, so that adding them up never rounds and the odometer never goes back. */
  readonly lengthM: number
  readonly startOdometerM: number
  /** An electric car is charged there until the next drive. */
  readonly endsAtCharger: boolean
}

export interface Schedule {
  readonly car: Car
  readonly parkedAt: Position
  readonly parkedSinceMs: number
  readonly startOdometerM: number
  readonly drives: readonly Drive[]
}
