import type { OpenTrip, Pause } from './boundaries.ts'
import { fixContext } from './derive.ts'
import { isStandstill } from './evidence.ts'
import { isStandstillDrift } from './path.ts'
import { judge } from './place.ts'
import type { Progress } from './progress.ts'
import type { Reading } from './reading.ts'

/** Why a position did not count for the length of a trip. */
export type DropReason = 'impossible place' | 'impossible jump' | 'drift while standing'

/** A time within a trip that somebody may ask about. */
export interface Interruption {
  readonly kind: Pause['rule'] | 'no data' | 'no position'
  readonly fromMs: number
  readonly toMs: number
}

/** What happened in a trip up to one of its samples. */
export interface Tally {
  readonly samples: number
  readonly positions: number
  readonly dropped: Readonly<Record<DropReason, number>>
  /** How often the car appeared elsewhere, so that the way there is not counted. */
  readonly relocations: number
  readonly odometerJumps: number
  /** The first ones; `moreInterruptions` is how many there were besides. */
  readonly interruptions: readonly Interruption[]
  readonly moreInterruptions: number
  /** The last position believed; at first the begin of the trip. */
  readonly lastFixMs: number
}

/** Dongles report at least this often while driving: what is longer deserves a mention. */
const MENTIONED_GAP_MS = 30_000
/** So that a trip with a loose contact is still a short answer. */
const MOST_INTERRUPTIONS = 200

/** Nothing happened yet in a trip that begins then. */
export function tallyFrom(startMs: number): Tally {
  return {
    samples: 0,
    positions: 0,
    dropped: { 'impossible place': 0, 'impossible jump': 0, 'drift while standing': 0 },
    relocations: 0,
    odometerJumps: 0,
    interruptions: [],
    moreInterruptions: 0,
    lastFixMs: startMs,
  }
}

/**
 * The tally with one more sample of the trip.
 * @param before what was known before the sample
 * @param trip the trip after it; undefined when it ended with the sample
 */
export function tallyAfter(tally: Tally, before: Progress, reading: Reading, trip: OpenTrip | undefined): Tally {
  const { timeMs } = reading
  const known = before.trip?.measured.startMs === trip?.measured.startMs ? before.trip : undefined
  let after: Tally = { ...tally, samples: tally.samples + 1 }
  if (known?.pause && trip && !trip.pause)
    after = withInterruption(after, { kind: known.pause.rule, fromMs: known.pause.sinceMs, toMs: timeMs })
  if (known && before.lastMs !== undefined) after = withGap(after, 'no data', before.lastMs, timeMs)
  const odometer = trip?.measured.odometer
  if (known?.measured.odometer && odometer && odometer.firstKm !== known.measured.odometer.firstKm)
    after = { ...after, odometerJumps: after.odometerJumps + 1 }
  return withPosition(after, before, reading, known, trip)
}

function withPosition(
  tally: Tally,
  before: Progress,
  reading: Reading,
  known: OpenTrip | undefined,
  trip: OpenTrip | undefined,
): Tally {
  const { position, timeMs, speedKmh } = reading
  if (!position) return tally
  const { fix } = judge(before.place, reading, fixContext(before, reading))
  if (fix === 'none') return withDropped(tally, 'impossible place')
  if (fix === 'refused' || fix === 'elsewhere') return withDropped(tally, 'impossible jump')
  const after = { ...withGap(tally, 'no position', tally.lastFixMs, timeMs), lastFixMs: timeMs }
  const path = known?.measured.track.path
  if (trip && path?.hasFix && fix === 'moved' && isStandstillDrift(path, position, isStandstill(speedKmh)))
    return withDropped(after, 'drift while standing')
  return {
    ...after,
    positions: after.positions + 1,
    relocations: after.relocations + (fix === 'jumped' || fix === 'confirmed' || fix === 'returned' ? 1 : 0),
  }
}

function withDropped(tally: Tally, reason: DropReason): Tally {
  return { ...tally, dropped: { ...tally.dropped, [reason]: tally.dropped[reason] + 1 } }
}

/** The tally of a trip that ended then: the last position may be long ago. */
export function tallyUntil(tally: Tally, endMs: number): Tally {
  return withGap(tally, 'no position', tally.lastFixMs, endMs)
}

function withGap(tally: Tally, kind: Interruption['kind'], fromMs: number, toMs: number): Tally {
  return toMs - fromMs < MENTIONED_GAP_MS ? tally : withInterruption(tally, { kind, fromMs, toMs })
}

function withInterruption(tally: Tally, interruption: Interruption): Tally {
  const { interruptions, moreInterruptions } = tally
  if (interruptions.length >= MOST_INTERRUPTIONS) return { ...tally, moreInterruptions: moreInterruptions + 1 }
  return { ...tally, interruptions: [...interruptions, interruption] }
}
