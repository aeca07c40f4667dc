import type { EventItem } from '../api/types.ts'
import type { SpeedCurve } from './recording.ts'

/** Positions of a standing car wander, and so do the speeds that follow from them. */
const STANDS_BELOW_KMH = 3

/** A reading says nothing of what was longer after it. */
const HOLDS_MS = 90_000

/** Traffic lights are no stops. */
const LEAST_STOP_MS = 2 * 60_000

/** When a car stood on its way. */
export interface Standstill {
  readonly fromMs: number
  readonly toMs: number
}

/**
 * When the car stood, in order of time.
 *
 * @param isAtOnePlace whether it was at the same place before and after a time in which nothing was measured: many dongles rest
 *   while the car does
 */
export function standstills(
  { timesMs, valuesKmh }: SpeedCurve,
  isAtOnePlace: (fromMs: number, toMs: number) => boolean,
): readonly Standstill[] {
  const found: { fromMs: number; toMs: number }[] = []
  for (const [index, fromMs] of timesMs.entries()) {
    const nextMs = timesMs[index + 1]
    if (nextMs === undefined || (valuesKmh[index] ?? 0) >= STANDS_BELOW_KMH) continue
    const isHeld = nextMs - fromMs <= HOLDS_MS || isAtOnePlace(fromMs, nextMs)
    const toMs = isHeld ? nextMs : fromMs + HOLDS_MS
    const last = found.at(-1)
    if (last && last.toMs === fromMs) last.toMs = toMs
    else found.push({ fromMs, toMs })
  }
  return found
}

/** Those that are long enough to be a stop, and neither before the way nor after it. */
export function stopsOf(standing: readonly Standstill[], beginMs: number, endMs: number): readonly Standstill[] {
  return standing.filter(
    ({ fromMs, toMs }) =>
      toMs - fromMs >= LEAST_STOP_MS && fromMs > beginMs + STANDS_BEFORE_MS && toMs < endMs - STANDS_BEFORE_MS,
  )
}

/** Letting somebody in or out is not a stop. */
const STANDS_BEFORE_MS = 30_000

/**
 * How long the car stood with its engine on, in milliseconds.
 *
 * @param ignition the events of IS_IGNITION_ON in order of time; without any, it was on
 */
export function idlingMs(standing: readonly Standstill[], ignition: readonly EventItem[]): number {
  const off = ignition.flatMap((event, index) => {
    if (event.value !== false) return []
    const next = ignition[index + 1]
    return {
      fromMs: Date.parse(event.recorded_timestamp),
      toMs: next ? Date.parse(next.recorded_timestamp) : Number.POSITIVE_INFINITY,
    }
  })
  const commonMs = (one: Standstill, other: Standstill) =>
    Math.max(0, Math.min(one.toMs, other.toMs) - Math.max(one.fromMs, other.fromMs))
  return standing.reduce(
    (sum, stood) => sum + stood.toMs - stood.fromMs - off.reduce((lost, each) => lost + commonMs(stood, each), 0),
    0,
  )
}
