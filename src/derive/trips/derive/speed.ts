import type { Driven } from './length-estimate.ts'
import type { Reading } from './reading.ts'

/** The speed that car or receiver report, summed up over a trip. Changed in place by each reading. */
export interface Speed {
  kmh: number | undefined
  timeMs: number
  /** The last speed that the car itself told on average: only while it is awake. */
  awakeMs: number
  /** The last mean that is one indeed. */
  meanMs: number
  /** Metres since the trip began, for how long the speed was told, and the squared standard error. */
  drivenM: number
  toldMs: number
  varianceM2: number
  /** Of these, metres that the car itself told. */
  wheelM: number
}

/** Where the sums stood at some instant. */
export interface SpeedMark {
  readonly timeMs: number
  readonly drivenM: number
  readonly toldMs: number
  readonly varianceM2: number
}

export function noSpeed(): Speed {
  return { kmh: undefined, timeMs: 0, awakeMs: 0, meanMs: 0, drivenM: 0, toldMs: 0, varianceM2: 0, wheelM: 0 }
}

/** Speeds change meanwhile: of a second between two readings little is unknown, of five minutes most. */
const UNKNOWN_SHARE_PER_MS = 5e-6
const MOST_UNKNOWN_SHARE = 0.6
/** A car that stood at both readings may have moved between them. */
const UNSEEN_M_PER_MS = 0.003
/** The mean of an interval may be one of a slightly different interval. */
const MEAN_ERROR = 0.03
/** It is unknown when between two readings the speed changed: evenly distributed, 1/sqrt(12) of the time, either way. */
const WHEN_IT_CHANGED = 0.29

/**
 * Adds what was driven since the reading of speed before: its mean, or by the trapezoidal rule.
 * @param silenceMs what lies farther apart says nothing of what was between
 * @param isBelieved the speed still counts (see `blindMs` in progress.ts)
 */
export function addSpeed(speed: Speed, reading: Reading, silenceMs: number, isBelieved: boolean): void {
  const { timeMs, addingSpeedKmh: kmh, meanSpeedKmh, isTrueMean } = reading
  if (meanSpeedKmh !== undefined) speed.awakeMs = timeMs
  if (kmh === undefined) return
  const { kmh: kmhBefore } = speed
  const durationMs = timeMs - speed.timeMs
  // A mean is one of the time since the mean before, whatever else told of speed meanwhile.
  const isMean = isTrueMean && speed.meanMs === speed.timeMs
  if (isTrueMean) speed.meanMs = timeMs
  speed.kmh = kmh
  speed.timeMs = timeMs
  if (kmhBefore === undefined || durationMs > silenceMs || !isBelieved) return
  const metres = ((isMean ? kmh : (kmhBefore + kmh) / 2) / 3600) * durationMs
  const errorM = isMean ? MEAN_ERROR * metres : unseenM(metres, Math.abs(kmh - kmhBefore), durationMs)
  speed.drivenM += metres
  speed.toldMs += durationMs
  speed.varianceM2 += errorM * errorM
  if (meanSpeedKmh !== undefined) speed.wheelM += metres
}

/** By how much the length may be wrong when the speed is known at both ends only. */
function unseenM(metres: number, changeKmh: number, durationMs: number): number {
  const share = Math.min(MOST_UNKNOWN_SHARE, UNKNOWN_SHARE_PER_MS * durationMs)
  return share * (metres + UNSEEN_M_PER_MS * durationMs) + (WHEN_IT_CHANGED * changeKmh * durationMs) / 3600
}

/** Where the sums stand now. */
export function markOf({ drivenM, toldMs, varianceM2 }: Speed, timeMs: number): SpeedMark {
  return { timeMs, drivenM, toldMs, varianceM2 }
}

/** What was driven since then. */
export function drivenSince(speed: Speed, mark: SpeedMark): Driven {
  return {
    metres: speed.drivenM - mark.drivenM,
    toldMs: speed.toldMs - mark.toldMs,
    varianceM2: speed.varianceM2 - mark.varianceM2,
  }
}
