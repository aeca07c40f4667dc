import type { Sample } from '../../model/sample.ts'
import type { SampleContext } from './boundaries.ts'
import { derive } from './derive.ts'
import { isDoubtful, releasedBy } from './doubtful-fixes.ts'
import { odometerM } from './odometer.ts'
import { speedCheck } from './path.ts'
import { motionByCar, type Reading, readingOf, silenceOf, type WEIGHTS } from './reading.ts'
import { LONGEST_SILENCE_MS, MOTION_KMH, SAME_MOMENT_MS } from './rules.ts'
import {
  type ClosingRule,
  copyOfProgress,
  type EndedTrip,
  type FoldState,
  type Measured,
  nothingKnown,
  type OpeningRule,
  type OpenTrip,
  type Pause,
  type Progress,
} from './state.ts'
import { type DerivedTrip, endedTripOf, lengthOf, likelier, measuredSoFar, openTripOf } from './trip.ts'

/** Where the samples of one trip are followed again, to keep what the fold forgets. Plain data of a fixed size. */
export interface Retrace {
  readonly startMs: number
  readonly progress: Progress
  /** Samples that wait for the next fix (doubtful-fixes.ts). */
  readonly pending: readonly Sample[]
  /** The trip as far as it was followed; undefined before it begins, and when it turned out to be none. */
  readonly trip: OpenTrip | EndedTrip | undefined
  /** The evidence at the sample that opened it. */
  readonly evidence: StatedEvidence
  /** Up to the last sample followed, up to where the trip ends as it is so far, and up to the last motion. */
  readonly seen: Tally
  readonly counted: Tally
  readonly moved: Tally
  /** Nothing that comes later belongs to the trip. */
  readonly isOver: boolean
}

/** A trip with all that its row does not hold. */
export interface TripAccount extends LengthAccount {
  readonly trip: DerivedTrip
  readonly evidence: StatedEvidence
  readonly tally: Tally
}

/** @param state at or before the start of the trip; undefined where the first sample comes next */
export function retraceFrom(state: FoldState | undefined, startMs: number): Retrace {
  const tally = tallyFrom(startMs)
  const progress = state?.progress ?? nothingKnown()
  const tallies = { seen: tally, counted: tally, moved: tally }
  return { startMs, progress, pending: [], trip: undefined, evidence: new Map(), ...tallies, isOver: false }
}

/** Follows the next sample. Pure.
 * @param step takes what is known after each followed sample, this one or those that waited for it */
export function retraced(before: Retrace, sample: Sample, step: (after: Retrace) => void = () => {}): Retrace {
  const reading = readingOf(sample)
  const released = releasedBy(before.progress, before.pending, reading)
  if (!released) return { ...before, pending: [...before.pending, sample] }
  const after = followed({ ...before, pending: [] }, released, step)
  return !after.isOver && isDoubtful(after.progress, reading)
    ? { ...after, pending: [sample] }
    : followed(after, [reading], step)
}

/** Nothing follows: what waited is believed. @param step as for `retraced` */
export function retracedToEnd(before: Retrace, step: (after: Retrace) => void = () => {}): Retrace {
  return followed({ ...before, pending: [] }, before.pending.map(readingOf), step)
}

function followed(before: Retrace, readings: readonly Reading[], step: (after: Retrace) => void): Retrace {
  let after = before
  for (const reading of readings) {
    if (after.isOver) break
    after = follow(after, reading)
    step(after)
  }
  return after
}

function follow(before: Retrace, reading: Reading): Retrace {
  const { startMs, pending } = before
  const { timeMs } = reading
  const progress = copyOfProgress(before.progress)
  const { ended: over, now } = derive(progress, reading)
  const open = progress.trip?.measured.startMs === startMs ? progress.trip : undefined
  const isIt = ({ measured }: EndedTrip) => measured.startMs === startMs
  const decided = over.find(isIt)
  const ended = decided ?? progress.undecided.find(isIt)
  // Where the start lies between two samples, the trip is known with a later one.
  const isGivenUp = before.trip !== undefined || timeMs >= startMs + LONGEST_SILENCE_MS
  const isOver = decided !== undefined || (!open && !ended && timeMs >= startMs && isGivenUp)
  const isPartOf = open !== undefined || ended?.measured.endMs === timeMs
  const trip = open ?? ended
  if (!trip || !isPartOf) return { ...before, progress, trip, isOver }
  const seen = tallyAfter(before.seen, before.progress, now, progress.place, open)
  const isEnd = measuredOf(trip).endMs === timeMs
  const hasMoved = open?.movedMs === timeMs
  const evidence = before.trip ? before.evidence : statedEvidenceOf(now)
  return {
    startMs,
    progress,
    pending,
    trip,
    evidence,
    seen,
    counted: isEnd ? seen : before.counted,
    moved: hasMoved ? seen : before.moved,
    isOver,
  }
}

/** @returns undefined when no trip began there. */
export function accountOf(retrace: Retrace): TripAccount | undefined {
  const { trip, progress, evidence, counted, moved } = retrace
  if (!trip) return undefined
  const measured = measuredOf(trip)
  const derived = 'closed' in trip ? endedTripOf(trip) : openTripOf(trip, silenceOf(progress))
  if (!derived) return undefined
  const { opened, closed, endMs } = derived
  const { cadenceMs, power } = progress
  // It turned out later that the car stood: after an hour with the ignition on, or once its fixes showed when it came.
  const isShortened = counted.lastMs > endMs
  const tally = tallyUntil(isShortened ? moved : counted, endMs)
  return {
    trip: derived,
    evidence,
    ...lengthAccountOf(measured, { opened: opened.rule, closed: closed?.rule, cadenceMs }),
    tally: isShortened && power.isIgnitionDoubted ? { ...tally, isIgnitionDoubted: true } : tally,
  }
}

function measuredOf(trip: OpenTrip | EndedTrip) {
  return likelier('closed' in trip ? trip.measured : measuredSoFar(trip))
}

// Evidence at one instant.

/** The sources of evidence of driving (reading.ts). 'droveOn': fixes or odometer show that
 * it drove since their last report. */
export type EvidenceSource = 'ignition' | 'engine' | keyof typeof WEIGHTS | 'droveOn'

/** The statement of each source at one instant: true that the car drives, false that it stands. A missing one shows nothing. */
export type StatedEvidence = ReadonlyMap<EvidenceSource, boolean>

function statedEvidenceOf(now: SampleContext): StatedEvidence {
  const { reading, word, isStill, isOdometerStill, heldIsMoving, departure, counted } = now
  const stated = new Map<EvidenceSource, boolean>()
  if (word) stated.set(word.of, word.isOn)
  const byCar = motionByCar(reading, now)
  if (byCar !== undefined) stated.set('carSpeed', byCar)
  if (reading.gpsSpeedKmh !== undefined) stated.set('receiverSpeed', reading.gpsSpeedKmh > MOTION_KMH)
  if (isStill && !counted) stated.set('unmovedFix', false)
  if (isOdometerStill) stated.set('stillOdometer', false)
  if (reading.isMoving !== undefined || heldIsMoving) stated.set('isMoving', reading.isMoving ?? true)
  if (departure || counted) stated.set('droveOn', true)
  return stated
}

// A tally of the trip.

/** Why a position did not count for the length of a trip. */
export type DropReason = 'impossible place' | 'impossible jump' | 'elsewhere' | 'drift while standing'

/** A time within a trip that somebody may ask about. */
export interface Interruption {
  /** 'silence bridged': so long that it would have ended the trip, had not the car driven on meanwhile. */
  readonly kind: Pause['rule'] | 'idle' | 'no data' | 'silence bridged' | 'no position'
  readonly fromMs: number
  readonly toMs: number
}

/** Counts of a trip up to one of its samples. */
interface Tally {
  readonly samples: number
  /** The last of them; at first the start of the trip. */
  readonly lastMs: number
  readonly positions: number
  readonly dropped: Readonly<Record<DropReason, number>>
  /** How many positions in a row are of another place: they count once that place is believed. */
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

/** Of a trip that begins then, without a sample. */
function tallyFrom(startMs: number): Tally {
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

/** The tally with one more sample. @param place where the dongle is then @param trip undefined when it ended with it */
function tallyAfter(
  tally: Tally,
  before: Progress,
  { reading, fix }: SampleContext,
  place: Progress['place'],
  trip: OpenTrip | undefined,
): Tally {
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
  if (!reading.position) return after
  if (fix === 'none') return withDropped(after, 'impossible place', 1)
  if (fix === 'refused') return withDropped(after, 'impossible jump', 1)
  if (fix === 'elsewhere') {
    const sofar = place?.rival?.count === 1 ? withoutApart(after) : after
    return { ...sofar, apart: sofar.apart + 1 }
  }
  after = { ...withGap(after, 'no position', after.lastFixMs, timeMs), lastFixMs: timeMs }
  const isCounted = trip?.measured.track.fixCount !== known?.measured.track.fixCount
  if (known && trip && fix === 'moved' && !isCounted) return withDropped(after, 'drift while standing', 1)
  const isThere = fix === 'jumped' || fix === 'confirmed'
  // The car is where the fixes are that were kept apart.
  if (isThere || fix === 'agreed') after = { ...after, positions: after.positions + after.apart, apart: 0 }
  else if (!place?.rival) after = withoutApart(after)
  return {
    ...after,
    positions: after.positions + 1,
    relocations: after.relocations + Number(isThere),
    returns: after.returns + Number(fix === 'returned'),
  }
}

/** Those kept apart do not count: a single fix from elsewhere is a jump, several that agree are another place. */
function withoutApart(tally: Tally): Tally {
  const { apart } = tally
  return { ...withDropped(tally, apart === 1 ? 'impossible jump' : 'elsewhere', apart), apart: 0 }
}

function withDropped(tally: Tally, reason: DropReason, count: number): Tally {
  return { ...tally, dropped: { ...tally.dropped, [reason]: tally.dropped[reason] + count } }
}

/** The tally of a trip that ended then: the last position may be long ago. */
function tallyUntil(tally: Tally, endMs: number): Tally {
  return withoutApart(withGap(tally, 'no position', tally.lastFixMs, endMs))
}

function withGap(tally: Tally, kind: Interruption['kind'], fromMs: number, toMs: number): Tally {
  return toMs - fromMs < MENTIONED_GAP_MS ? tally : withInterruption(tally, { kind, fromMs, toMs })
}

function withInterruption(tally: Tally, interruption: Interruption): Tally {
  const { interruptions, moreInterruptions } = tally
  if (interruptions.length >= MOST_INTERRUPTIONS) return { ...tally, moreInterruptions: moreInterruptions + 1 }
  return { ...tally, interruptions: [...interruptions, interruption] }
}

// The measures of the length, and how far off it may be.

/** The measure that the length of a trip is based on (decisions.md, *Trips*, distance). */
export type LengthBasis =
  | 'odometer'
  | 'odometer completed by positions'
  | 'positions, no odometer'
  | 'positions, odometer unchanged'
  | 'positions, odometer doubted'
  | 'speed over time'
  | 'nothing measured'

/** Smaller differences are ignored: reports round to metres. */
const SAME_M = 1

/** Measures of a length that cannot all be right, and which of them is believed less. */
export type Contradiction = 'speed against positions' | 'speed of another unit' | 'odometer against positions'

interface LengthMeasure {
  readonly metres: number
  /** The random error: one standard error. */
  readonly standardErrorM: number
  /** The share by which the instrument may be wrong systematically. */
  readonly systematicM: number
}

/** 'jumped': it went backwards or leapt in the trip. 'doubted': it counts too much or too little, so it does not count. */
export type OdometerState = 'kilometres' | 'miles' | 'doubted' | 'jumped'

/** All measures of the length of a trip; undefined if there is no data for one. */
export interface LengthMeasures {
  readonly odometer:
    | (LengthMeasure & {
        readonly state: OdometerState
        /** In thousandths of the unit of its instrument. */
        readonly shownM: number
      })
    | undefined
  /** Positions, with the speed between them. */
  readonly positions: LengthMeasure | undefined
  /** Speed over time alone, for the time in which it was reported. */
  readonly speed: LengthMeasure | undefined
}

/** Tyres of another size, worn, or soft: odometer and speed of a car count turns of the wheel. */
const WHEEL_SHARE = 0.02

/** The error of the bend model where all roads are straighter, or more winding, than those it was fitted to (`DETOUR` in path.ts). */
const PATH_SHARE = 0.02

function measureOf(metres: number, varianceM2: number, share: number): LengthMeasure {
  return { metres, standardErrorM: Math.sqrt(varianceM2), systematicM: share * metres }
}

/** Of a normal distribution, 95 % lie within so many standard errors. */
const STANDARD_ERRORS = 2

/** How far the truth may be from a measure: chance averages out, so its variances add up; what is wrong all the time adds in full. */
export function errorM({ standardErrorM, systematicM }: LengthMeasure): number {
  return STANDARD_ERRORS * standardErrorM + systematicM
}

/** The length that counts, and the range in which the truth lies, in metres. */
interface LengthRange {
  readonly leastM: number
  readonly countedM: number
  readonly mostM: number
}

interface Ends {
  readonly opened: OpeningRule
  /** undefined while it may still go on. */
  readonly closed: ClosingRule | undefined
  /** The usual interval of the dongle. */
  readonly cadenceMs: number | undefined
}

/** The length of a trip as the API tells it. */
interface LengthAccount {
  readonly basis: LengthBasis
  readonly measures: LengthMeasures
  readonly contradictions: readonly Contradiction[]
  readonly range: LengthRange
}

/**
 * The range contains the true length 19 times of 20: what counts ± two standard errors and the systematic share (`errorM`).
 * The variance by positions is the sum over the pieces of the path; by the odometer, that of its resolution, or of the path
 * that completes it if that is less, and of the path where it does not cover. Without ignition or engine, slow driving
 * before and after motion is missed: more by that speed for an interval.
 */
export function lengthAccountOf(measured: Measured, ends: Ends): LengthAccount {
  const { odometer, track, speed, speedScale } = measured
  const { hasFix } = track.path
  const { path, unitKm, metres } = lengthOf(measured)
  const shownM = odometer ? odometerM(odometer) : 0
  const byOdometerM = shownM * (unitKm ?? 1)
  // A reading without fractions of the resolution is off by up to one at each end: the difference of two even distributions.
  const resolutionM2 = odometer ? (odometer.resolutionM * (unitKm ?? 1)) ** 2 / 6 : 0
  const positions = measureOf(path.metres, path.varianceM2, hasFix ? PATH_SHARE : WHEEL_SHARE)
  const isByOdometer = odometer !== undefined && unitKm !== undefined
  const coveredM = isByOdometer ? odometer.lastPathM - odometer.besideM : 0
  const uncovered = 1 - Math.min(1, coveredM / Math.max(path.metres, 1))
  const completedM2 = Math.min(resolutionM2, hasFix ? path.varianceM2 : Infinity) + uncovered * path.varianceM2
  const offM = errorM(isByOdometer ? measureOf(metres, completedM2, WHEEL_SHARE) : positions)
  const unseen = isByOdometer || !hasFix ? unseenM(ends) : 0
  const basis = (): LengthBasis => {
    if (isByOdometer && Math.abs(metres - byOdometerM) < SAME_M) return 'odometer'
    if (isByOdometer && byOdometerM > 0) return 'odometer completed by positions'
    if (!hasFix) return path.metres > 0 ? 'speed over time' : 'nothing measured'
    if (!odometer) return 'positions, no odometer'
    return isByOdometer ? 'positions, odometer unchanged' : 'positions, odometer doubted'
  }
  const contradictions: Contradiction[] = []
  const { reportedM, foundM } = speedCheck(track.path)
  if (reportedM !== foundM) contradictions.push('speed against positions')
  if (speedScale !== 1) contradictions.push('speed of another unit')
  if (odometer && !isByOdometer) contradictions.push('odometer against positions')
  const unit = unitKm === undefined ? 'doubted' : unitKm === 1 ? 'kilometres' : 'miles'
  return {
    basis: basis(),
    measures: {
      odometer: odometer && {
        ...measureOf(byOdometerM, resolutionM2, WHEEL_SHARE),
        state: odometer.jumps > 0 ? 'jumped' : unit,
        shownM,
      },
      positions: hasFix ? positions : undefined,
      speed: speed.reportedMs > 0 ? measureOf(speed.drivenM, speed.varianceM2, WHEEL_SHARE) : undefined,
    },
    contradictions,
    range: { leastM: Math.max(0, metres - offM), countedM: metres, mostM: metres + offM + unseen },
  }
}

function unseenM({ opened, closed, cadenceMs = 0 }: Ends): number {
  const isBeginReported = opened === 'ignition on' || opened === 'engine on'
  const isEndReported = closed === 'ignition off' || closed === 'engine off' || closed === undefined
  const unseenEnds = (isBeginReported ? 0 : 1) + (isEndReported ? 0 : 1)
  return (unseenEnds * MOTION_KMH * Math.max(cadenceMs, SAME_MOMENT_MS)) / 3600
}
