import type { Sample } from './sample.ts'
import { DAY_MS } from './time-range.ts'

/** Clocks of dongles may run ahead this far (decisions.md, *Vehicles and devices*). */
export const MAX_AHEAD_MS = 5 * 60_000
/** No dongle measured anything earlier; such a time comes from a clock that was never set. */
export const EARLIEST_MS = Date.UTC(2000, 0, 1)

/** GPS time rolls over after 1024 weeks: without a fix, or with old firmware, receivers are one or two epochs
 * behind. */
const ROUND_MS = 1024 * 7 * DAY_MS
const MOST_ROUNDS = 2
/** The tolerance around whole epochs. Dongles keep unsent records for weeks, and real data does not happen to be 20
 * years old within two months. */
const ROUND_TOLERANCE_MS = 60 * DAY_MS

/** Samples of a dongle, by whether their times can be right. */
interface SamplesByClock {
  readonly samples: readonly Sample[]
  /** Stored separately, so that one wrong clock does not spoil the rest. */
  readonly misdated: readonly Sample[]
}

const NONE: readonly Sample[] = []

/** @param nowMs when the samples were received */
export function byClock(samples: readonly Sample[], nowMs: number): SamplesByClock {
  const latestMs = nowMs + MAX_AHEAD_MS
  const isPlausible = ({ timeMs }: Sample) =>
    timeMs >= EARLIEST_MS && timeMs <= latestMs && !isRoundsBehind(nowMs - timeMs)
  if (samples.every(isPlausible)) return { samples, misdated: NONE }
  return { samples: samples.filter(isPlausible), misdated: samples.filter(sample => !isPlausible(sample)) }
}

/** A time so long ago comes from a clock of an earlier epoch. */
function isRoundsBehind(agoMs: number): boolean {
  if (agoMs < ROUND_MS - ROUND_TOLERANCE_MS) return false
  const rounds = Math.round(agoMs / ROUND_MS)
  return rounds <= MOST_ROUNDS && Math.abs(agoMs - rounds * ROUND_MS) <= ROUND_TOLERANCE_MS
}
