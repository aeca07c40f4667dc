import { type Dongle, tellsOdometerOnly } from '../dongle.ts'
import { LONGEST_BRIDGE_MS, type Witness } from './witness.ts'

/** Where the motion of a drive may be found to begin and to end. */
export interface Edges {
  readonly earliestStartMs: number
  readonly startMs: number
  readonly endMs: number
  readonly latestEndMs: number
}

interface Motion {
  readonly fromMs: number
  readonly toMs: number
}

/** The motion of the drives before and after it; undefined: there is none. */
interface Around {
  readonly fromMs: number | undefined
  readonly toMs: number | undefined
}

/**
 * A dongle tells within one interval that the motion began, and that it ended: so much the comparison allows anyway. When
 * all that it told in that interval was false or missing, the begin may be anywhere between the last word of the parked
 * car and the first true one under way, less one interval; and the end accordingly. Records of the drive that a wrong
 * clock puts right before it look like its begin.
 */
export function edgesOf(motion: Motion, around: Around, dongle: Dongle, witness: Witness): Edges {
  const { stepMs } = dongle.intervals
  const progress = witness.words(motion.fromMs, motion.toMs).filter(({ showsProgress }) => showsProgress)
  const firstMs = (progress[0]?.timeMs ?? motion.toMs) - stepMs
  const lastMs = (progress.at(-1)?.timeMs ?? motion.fromMs) + stepMs
  const parked = witness.words(around.fromMs ?? Number.NEGATIVE_INFINITY, motion.fromMs)
  const parkedAgain = witness.words(motion.toMs + 1, around.toMs ?? Number.POSITIVE_INFINITY)
  const lastParkedMs = parked.at(-1)?.timeMs ?? around.fromMs ?? motion.fromMs
  const misdatedMs = witness.misdatedBefore(motion.fromMs, motion.toMs) ?? motion.fromMs
  // The last hundred metres may complete a step of the odometer that only a parked car tells.
  const shown = tellsOdometerOnly(dongle) ? parkedAgain.find(({ showsProgress }) => showsProgress) : undefined
  const isEndHidden = lastMs < motion.toMs
  const heardAgainMs = (shown ?? (isEndHidden ? parkedAgain[0] : undefined))?.timeMs ?? motion.toMs
  return {
    earliestStartMs: Math.min(firstMs > motion.fromMs ? lastParkedMs : motion.fromMs, misdatedMs),
    startMs: Math.max(motion.fromMs, firstMs),
    endMs: Math.min(motion.toMs, lastMs),
    // A longer silence is no part of a drive.
    latestEndMs: heardAgainMs - motion.toMs <= LONGEST_BRIDGE_MS ? heardAgainMs : motion.toMs,
  }
}
