import type { Sample } from './sample.ts'

/** Clocks of dongles may run ahead this far (decisions.md, *Vehicles and devices*). */
export const MAX_AHEAD_MS = 5 * 60_000
/** No dongle measured anything before; a clock that was never set says so. */
export const EARLIEST_MS = Date.UTC(2000, 0, 1)

/** What a dongle sent, by whether the times it gave can be right. */
export interface SamplesByClock {
  readonly samples: readonly Sample[]
  /** To be kept apart, so that one wrong clock does not spoil the rest. */
  readonly misdated: readonly Sample[]
}

/** @param nowMs when the samples were received */
export function byClock(samples: readonly Sample[], nowMs: number): SamplesByClock {
  const latestMs = nowMs + MAX_AHEAD_MS
  const isPlausible = ({ timeMs }: Sample) => timeMs >= EARLIEST_MS && timeMs <= latestMs
  if (samples.every(isPlausible)) return { samples, misdated: [] }
  return { samples: samples.filter(isPlausible), misdated: samples.filter(sample => !isPlausible(sample)) }
}
