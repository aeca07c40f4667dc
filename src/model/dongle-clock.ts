import type { Sample } from './sample.ts'

/** Clocks of dongles may run ahead this far (decisions.md, *Vehicles and devices*). */
export const MAX_AHEAD_MS = 5 * 60_000
/** No dongle measured anything before; a clock that was never set says so. */
export const EARLIEST_MS = Date.UTC(2000, 0, 1)

const DAY_MS = 86_400_000
/**
 * Satellite time counts 1024 weeks and begins again: a receiver that has no fix yet, or that was built for an earlier round
 * and never learned of the next one, is one or two rounds behind.
 */
const ROUND_MS = 1024 * 7 * DAY_MS
const MOST_ROUNDS = 2
/**
 * By how much a time may be off a whole number of rounds. Dongles keep records that they could not send for weeks, and
 * nobody means a time that is 20 years old to these two months.
 */
const ROUND_TOLERANCE_MS = 60 * DAY_MS

/** What a dongle sent, by whether the times it gave can be right. */
export interface SamplesByClock {
  readonly samples: readonly Sample[]
  /** To be kept apart, so that one wrong clock does not spoil the rest. */
  readonly misdated: readonly Sample[]
}

/** @param nowMs when the samples were received */
export function byClock(samples: readonly Sample[], nowMs: number): SamplesByClock {
  const latestMs = nowMs + MAX_AHEAD_MS
  const isPlausible = ({ timeMs }: Sample) =>
    timeMs >= EARLIEST_MS && timeMs <= latestMs && !isRoundsBehind(nowMs - timeMs)
  if (samples.every(isPlausible)) return { samples, misdated: [] }
  return { samples: samples.filter(isPlausible), misdated: samples.filter(sample => !isPlausible(sample)) }
}

/** Whether a time so long ago is that of a clock in a round before. */
function isRoundsBehind(agoMs: number): boolean {
  if (agoMs < ROUND_MS - ROUND_TOLERANCE_MS) return false
  const rounds = Math.round(agoMs / ROUND_MS)
  return rounds <= MOST_ROUNDS && Math.abs(agoMs - rounds * ROUND_MS) <= ROUND_TOLERANCE_MS
}
