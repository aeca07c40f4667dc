import { setTimeout as sleep } from 'node:timers/promises'
import type { VedRow } from './row.ts'

/** How often rows that have become due are sent. */
const TICK_MS = 500

/** How fast a recording is replayed: its own time times this; undefined as fast as it goes. */
export type SpeedFactor = number | undefined

/**
 * By how much a recording has to move so that it ends when its replay ends, and no sample lies in the future meanwhile
 * (given a factor of at least 1). As fast as it goes, that is: so that it ends now.
 */
export function shiftToNowMs(firstMs: number, lastMs: number, nowMs: number, speed: SpeedFactor): number {
  const replayLastsMs = speed === undefined ? 0 : (lastMs - firstMs) / speed
  return Math.round(nowMs + replayLastsMs) - lastMs
}

/** The rows by their time, whichever car they belong to, in the lots in which they become due. */
export async function* rowsAsDue(
  rows: AsyncIterable<VedRow>,
  speed: number,
  signal: AbortSignal,
): AsyncGenerator<readonly VedRow[]> {
  // A recording tells one car after the other; to see them drive at the same time it has to be in memory.
  const ordered: VedRow[] = []
  for await (const row of rows) ordered.push(row)
  ordered.sort((a, b) => a.timeMs - b.timeMs)
  const firstMs = ordered[0]?.timeMs ?? 0
  const startMs = performance.now()
  let next = 0
  while (next < ordered.length) {
    const reachedMs = firstMs + (performance.now() - startMs) * speed
    let end = next
    while ((ordered[end]?.timeMs ?? Number.POSITIVE_INFINITY) <= reachedMs) end++
    if (end > next) yield ordered.slice(next, end)
    next = end
    if (next < ordered.length) await sleep(TICK_MS, undefined, { signal })
  }
}
