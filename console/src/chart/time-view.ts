/** The part of time that a chart shows, in milliseconds since 1970. */
export interface TimeView {
  readonly fromMs: number
  readonly toMs: number
}

/** Samples are not closer than this, and a fleet's past is not longer than that. */
const SHORTEST_MS = 10_000
const LONGEST_MS = 5 * 366 * 86_400_000

/** Nothing was measured before dongles can be right about the time (decisions.md, *Vehicles and devices*). */
const EARLIEST_MS = Date.UTC(2000, 0, 1)

/** How much of the view may lie behind the latest instant, so that the newest values do not stick to the edge. */
const BEYOND_SHARE = 0.05

/** The view with `factor` times its length; the instant `aroundMs` stays where it is. Below 1 it shows more detail. */
export function zoomed({ fromMs, toMs }: TimeView, factor: number, aroundMs: number): TimeView {
  const lengthMs = Math.min(Math.max((toMs - fromMs) * factor, SHORTEST_MS), LONGEST_MS)
  const share = (aroundMs - fromMs) / (toMs - fromMs)
  const beginMs = aroundMs - share * lengthMs
  return { fromMs: beginMs, toMs: beginMs + lengthMs }
}

export function moved({ fromMs, toMs }: TimeView, byMs: number): TimeView {
  return { fromMs: fromMs + byMs, toMs: toMs + byMs }
}

/** The view as close as possible to where something can have been measured, in whole milliseconds, as long as it was. */
export function within({ fromMs, toMs }: TimeView, latestMs: number): TimeView {
  const lengthMs = Math.round(Math.min(Math.max(toMs - fromMs, SHORTEST_MS), LONGEST_MS))
  const lastFromMs = latestMs + lengthMs * BEYOND_SHARE - lengthMs
  const beginMs = Math.round(Math.max(Math.min(fromMs, lastFromMs), EARLIEST_MS))
  return { fromMs: beginMs, toMs: beginMs + lengthMs }
}
