import { distanceM } from '../../../model/earth.ts'
import type { Position } from '../../../model/sample.ts'
import {
  BUSY_LEAD_MS,
  FASTEST_M_PER_MS,
  LEAD_M,
  MOTION_DISPLACEMENT_M,
  MOTION_KMH,
  SAME_MOMENT_MS,
  TOWN_DETOUR,
  TOWN_M_PER_MS,
} from './rules.ts'
import type { Stay } from './stay.ts'

/** The car left its place. */
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

/** When and from where a car left that is outside of its stay, although nothing proves yet that it drives. */
export function outsetOf(stay: Stay, cadenceMs: number | undefined): Departure | undefined {
  const { outside, leftFrom, leftMs, arrivedMs } = stay
  if (outside) return departureOf(stay, outside, distanceM(stay.inside, outside), false, true, cadenceMs)
  return leftFrom && { isDrive: true, fromMs: arrivedMs, from: leftFrom, departedMs: leftMs, middle: leftFrom }
}

/**
 * @param leadM how far the first fix outside is from the last one inside
 * @param isDirect the way from inside shows that it drove
 * @param isOnward the way from the first fix outside does
 */
export function departureOf(
  stay: Stay,
  outside: Position,
  leadM: number,
  isDirect: boolean,
  isOnward: boolean,
  cadenceMs: number | undefined,
): Departure {
  const { inside, insideMs, outsideMs } = stay
  // A single fix does not show that the car was parked there: a phone wakes up when it moves.
  const hasStood = insideMs > stay.sinceMs
  const ownMs = hasStood || !isDirect ? departureMs(leadM, insideMs, outsideMs, cadenceMs) : insideMs
  const fromMs = isOnward ? outsideMs : insideMs
  const { leftFrom, leftMs, arrivedMs, middle } = stay
  // It had left before, and waited at traffic lights.
  const lightMs = hasStood ? BUSY_LEAD_MS : Math.max(BUSY_LEAD_MS, cadenceMs ?? 0)
  if (leftFrom && ownMs - arrivedMs <= lightMs)
    return { isDrive: true, fromMs, from: leftFrom, departedMs: leftMs, middle: leftFrom }
  const isNear = leadM <= nearM(cadenceMs)
  return { isDrive: true, fromMs, from: isDirect || isNear ? inside : outside, departedMs: ownMs, middle }
}

/** From this far away it may have come unseen since it stood. */
export function nearM(cadenceMs: number | undefined): number {
  return Math.max(LEAD_M, (cadenceMs ?? 0) * 2 * TOWN_M_PER_MS)
}

/** decisions.md: 100 m and more, faster than 5 km/h, not faster than 250. */
export function isDrive(metres: number, durationMs: number): boolean {
  const mPerMs = metres / durationMs
  return metres >= MOTION_DISPLACEMENT_M && mPerMs > MOTION_KMH / 3600 && mPerMs <= FASTEST_M_PER_MS
}

/**
 * When the car must have left to be that far away when it was first seen elsewhere; not long before, if the dongle usually
 * reports more often.
 */
export function departureMs(leadM: number, insideMs: number, outsideMs: number, cadenceMs: number | undefined): number {
  const leadMs = Math.min((leadM * TOWN_DETOUR) / TOWN_M_PER_MS, cadenceMs ?? Number.POSITIVE_INFINITY)
  if (leadMs <= SAME_MOMENT_MS || outsideMs - insideMs <= SAME_MOMENT_MS) return outsideMs
  return Math.max(insideMs, Math.round(outsideMs - leadMs))
}

/** When the car arrived at its position, coming from the fix before. */
export function arrivalMs(
  before: { readonly position: Position; readonly lastMs: number },
  position: Position,
  timeMs: number,
): number {
  if (timeMs - before.lastMs <= SAME_MOMENT_MS) return timeMs
  const wayMs = (distanceM(before.position, position) * TOWN_DETOUR) / TOWN_M_PER_MS
  return Math.min(timeMs, Math.round(before.lastMs + wayMs))
}

/** Remembers where the car came from, because it may only be passing and drive on at once. */
export function rememberLeaving(stay: Stay, { from, departedMs }: Departure): void {
  stay.leftFrom = from
  stay.leftMs = departedMs
}
