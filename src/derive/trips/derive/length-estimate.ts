import { MISSED_INTERVALS, TOWN_DETOUR, TOWN_M_PER_MS } from './rules.ts'

/**
 * How much longer a road is than the straight line between two fixes: 1 + A (T / 60 s)^P (8 m/s / u)^Q for bends that
 * nobody sees, and B (8 m/s / u)^R more where the direction changed by TURN or more since the line before; T is the time
 * between the fixes, u the length of the line by T. Fitted, line by line, to both the week of 133 real cars of VED (Ann Arbor,
 * 2,300 km, thinned to one fix every 15 to 300 s; Oh, Leblanc, Peng 2019) and the roads of the virtual fleet. Its roads are
 * straighter: the sum over all lines is 1.1 % too long there and 1.2 % too short in VED at 60 s (ADR 0019).
 */
const DETOUR = { a: 0.0115, p: 1.6, q: 1.1, b: 0.16, r: 1.5, mostB: 0.12, most: 2.5 } as const
const DETOUR_SPEED_MPS = 8
const DETOUR_FROM_MS = 10_000
/** Beyond twice the time to which it was fitted, a road is not taken to wind more and more: across a silence it is like others. */
const DETOUR_MOST_MS = 600_000
/** A shorter line hardly cuts a corner. */
const DETOUR_SEEN_MS = 30_000
const DETOUR_TURN_RAD = (50 / 180) * Math.PI
/** Used if nothing is known about the line before. */
const DETOUR_USUAL_TURN_RAD = (20 / 180) * Math.PI

/** The integral of a car's speed since some instant. */
export interface Driven {
  readonly metres: number
  /** For how much of that time the speed was reported. */
  readonly toldMs: number
  /** Squared standard error by the time between two readings of speed. */
  readonly varianceM2: number
}

/** A length with its squared standard error. */
interface Length {
  readonly metres: number
  readonly varianceM2: number
}

/**
 * How much longer a road is than the straight line between two fixes (`DETOUR` has formula and source).
 * @param turnRad how much the direction changed since the line before; undefined when there was none
 */
function detourOf(chordM: number, durationMs: number, turnRad: number | undefined): number {
  if (durationMs <= DETOUR_FROM_MS || chordM === 0) return 1
  const { a, p, q, b, r, mostB, most } = DETOUR
  const slowness = (DETOUR_SPEED_MPS * durationMs) / (chordM * 1000)
  const turn = Math.min(1, (turnRad ?? DETOUR_USUAL_TURN_RAD) / DETOUR_TURN_RAD)
  const unseen = a * (Math.min(durationMs, DETOUR_MOST_MS) / 60_000) ** p * slowness ** q
  const seen = Math.min(mostB, b * slowness ** r) * Math.min(1, (durationMs / DETOUR_SEEN_MS) ** 2) * turn
  return Math.min(most, 1 + unseen + seen)
}

/**
 * For how long of the time between two fixes the car drove: a dongle reports more rarely while it is parked, so in an unusual interval no longer
 * than the way takes in town. Nor in any, as long as it is unknown which are usual.
 */
function drivenMs(chordM: number, durationMs: number, cadenceMs: number | undefined): number {
  if (cadenceMs !== undefined && durationMs <= MISSED_INTERVALS * cadenceMs) return durationMs
  return Math.min(durationMs, Math.max(cadenceMs ?? 0, (chordM * TOWN_DETOUR) / TOWN_M_PER_MS))
}

/** Two fixes of a receiver between houses. */
const CHORD_ERROR_M = 8
const CHORD_ERROR = 0.02
/** A speedometer, or a wheel. */
const SPEED_ERROR = 0.02
/** How much reported and elapsed time may differ for the speed to cover the way between two fixes. */
const LEAST_COVER = 0.9
const MOST_COVER = 1.1
/** Two measures that differ by so many of their errors can not both be right. */
const CONTRADICTION = 3

/**
 * The length of the way between two fixes: by the straight line with its detour and by the speed over time, each counting by
 * its uncertainty (inverse variance). If they contradict each other, the car took a detour if the speed gives more; otherwise the
 * fixes are noisy, or some speed was not reported.
 * @param cadenceMs the usual interval of the dongle while the car drives
 */
export function lengthBetween(
  chordM: number,
  durationMs: number,
  turnRad: number | undefined,
  driven: Driven,
  cadenceMs: number | undefined,
): Length {
  const detour = detourOf(chordM, drivenMs(chordM, durationMs, cadenceMs), turnRad)
  const byChordM = chordM * detour
  const chordErrorM = CHORD_ERROR_M + chordM * (CHORD_ERROR + detour - 1)
  const chordVarianceM2 = chordErrorM * chordErrorM
  const cover = driven.toldMs / Math.max(durationMs, 1)
  if (cover < LEAST_COVER || cover > MOST_COVER) return { metres: byChordM, varianceM2: chordVarianceM2 }
  const speedErrorM = SPEED_ERROR * driven.metres
  const speedVarianceM2 = driven.varianceM2 + speedErrorM * speedErrorM + 1
  const differenceM = driven.metres - byChordM
  const isContradiction = Math.abs(differenceM) > CONTRADICTION * (Math.sqrt(speedVarianceM2) + chordErrorM)
  // Farther than the wheels turned: noise of the fixes if they are close, a missing speed if they are not.
  if (isContradiction && differenceM < 0)
    return durationMs <= DETOUR_FROM_MS
      ? { metres: driven.metres, varianceM2: speedVarianceM2 }
      : { metres: byChordM, varianceM2: chordVarianceM2 }
  // The car took a detour without fixes.
  if (isContradiction) return { metres: driven.metres, varianceM2: speedVarianceM2 }
  const weight = chordVarianceM2 / (chordVarianceM2 + speedVarianceM2)
  // If they differ by more than their errors allow, one of the errors was too small.
  const spreadM2 = weight * (1 - weight) * differenceM * differenceM
  return {
    metres: weight * driven.metres + (1 - weight) * byChordM,
    varianceM2: Math.max((chordVarianceM2 * speedVarianceM2) / (chordVarianceM2 + speedVarianceM2), spreadM2),
  }
}
