import { silenceOf } from './cadence.ts'
import { judge } from './fix-judgement.ts'
import { type OpenTrip, type Pause } from './open-trip.ts'
import type { Progress } from './progress.ts'
import type { Reading } from './reading.ts'

/** Why a position did not count for the length of a trip. */
export type DropReason = 'impossible place' | 'impossible jump' | 'elsewhere' | 'drift while standing'

/** A time within a trip that somebody may ask about. */
export interface Interruption {
  /** 'silence bridged': so long that it would have ended the trip, had not the car driven on meanwhile. */
  readonly kind: Pause['rule'] | 'idle' | 'no data' | 'silence bridged' | 'no position'
  readonly fromMs: number
  readonly toMs: number
}

/** What happened in a trip up to one of its samples. */
export interface Tally {
  readonly samples: number
  /** The last of them; at first the start of the trip. */
  readonly lastMs: number
  readonly positions: number
  readonly dropped: Readonly<Record<DropReason, number>>
  /** How many of the positions dropped last agree with each other: they count after all once that place is believed. */
  readonly apart: number
  /** How often the car appeared elsewhere, so that the way there is not counted. */
  readonly relocations: number
  /** How often it turned out never to have left, so that what was elsewhere is not counted. */
  readonly returns: number
  /** The ignition was on for so long without motion that its word did not count. */
  readonly isIgnitionDoubted: boolean
  readonly odometerJumps: number
  /** The first ones; `moreInterruptions` is how many there were besides. */
  readonly interruptions: readonly Interruption[]
  readonly moreInterruptions: number
  /** The last position believed; at first the start of the trip. */
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
    lastMs: startMs,
    positions: 0,
    dropped: { 'impossible place': 0, 'impossible jump': 0, elsewhere: 0, 'drift while standing': 0 },
    apart: 0,
    relocations: 0,
    returns: 0,
    isIgnitionDoubted: false,
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
  const isIgnitionDoubted = tally.isIgnitionDoubted || before.power.isIgnitionDoubted
  let after: Tally = { ...tally, samples: tally.samples + 1, lastMs: timeMs, isIgnitionDoubted }
  if (known?.pause && trip && !trip.pause) {
    const { rule, sinceMs, measured } = known.pause
    after = withInterruption(after, { kind: rule, fromMs: Math.min(sinceMs, measured.endMs), toMs: timeMs })
  }
  if (known?.idle && trip && !trip.idle)
    after = withInterruption(after, { kind: 'idle', fromMs: known.idle.endMs, toMs: timeMs })
  if (known && before.lastMs !== undefined) {
    const isBridged = timeMs - before.lastMs >= silenceOf(before)
    after = withGap(after, isBridged ? 'silence bridged' : 'no data', before.lastMs, timeMs)
  }
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
  const { position, timeMs } = reading
  if (!position) return tally
  const { fix, place } = judge(before, reading)
  if (fix === 'none') return withDropped(tally, 'impossible place', 1)
  if (fix === 'refused') return withDropped(tally, 'impossible jump', 1)
  if (fix === 'elsewhere') return withElsewhere(tally, place?.rival?.count === 1 ? 0 : tally.apart)
  const after = { ...withGap(tally, 'no position', tally.lastFixMs, timeMs), lastFixMs: timeMs }
  const isCounted = trip?.measured.track.fixCount !== known?.measured.track.fixCount
  if (known && trip && fix === 'moved' && !isCounted) return withDropped(after, 'drift while standing', 1)
  if (fix === 'jumped' || fix === 'confirmed') return relocated(after)
  if (fix === 'agreed') return { ...relocated(after), relocations: after.relocations }
  const returns = after.returns + (fix === 'returned' ? 1 : 0)
  return { ...after, apart: place?.rival ? after.apart : 0, positions: after.positions + 1, returns }
}

/** A single fix from elsewhere is a jump; several that agree are another place. */
function withElsewhere(tally: Tally, apart: number): Tally {
  const after = { ...tally, apart: apart + 1 }
  if (apart === 0) return withDropped(after, 'impossible jump', 1)
  return withDropped(apart === 1 ? withDropped(after, 'impossible jump', -1) : after, 'elsewhere', apart === 1 ? 2 : 1)
}

/** What was kept apart is where the car is. */
function relocated(tally: Tally): Tally {
  const { apart, positions, relocations } = tally
  const after = withDropped(tally, apart === 1 ? 'impossible jump' : 'elsewhere', -apart)
  return { ...after, apart: 0, positions: positions + apart + 1, relocations: relocations + 1 }
}

function withDropped(tally: Tally, reason: DropReason, count: number): Tally {
  return { ...tally, dropped: { ...tally.dropped, [reason]: tally.dropped[reason] + count } }
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
