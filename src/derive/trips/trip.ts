import type { Position } from '../../model/sample.ts'
import { isHybrid, type Motion, type Word } from './evidence.ts'
import { type Departure, outsetOf } from './fix-cluster.ts'
import { lengthM, measuredForSure, measuredSoFar, positionsM } from './measured.ts'
import { type OdometerProgress, odometerM } from './odometer.ts'
import { arrivalMs } from './path.ts'
import { canShowMotion, type Fix, isNext, isWordAlone, METER_TYPES, type Reading } from './reading.ts'
import { routeText } from './route.ts'
import {
  DATA_GAP_MS,
  DISPLACEMENT_HOLDS_MS,
  LONGEST_SILENCE_MS,
  MOTION_PAUSE_MS,
  SAME_MOMENT_MS,
  STANDSTILL_READING_MS,
  TOWN_M_PER_MS,
} from './rules.ts'
import {
  type Cause,
  type ClosingRule,
  copyOfMeasured,
  type Measured,
  type OpeningRule,
  type OpenTrip,
  type Pause,
  type Power,
  type Progress,
} from './state.ts'

// The trip as it is reported.

/** Readings of one meter at both ends of a trip, by the id of its event type. */
type Meters = Readonly<Record<string, { readonly start: number; readonly end: number }>>

/** A trip as the samples show it. Lengths are whole metres and seconds, so that sums add up. */
export interface DerivedTrip {
  readonly startMs: number
  readonly endMs: number
  readonly distanceM: number
  readonly durationS: number
  /** undefined when there was no usable position. */
  readonly startPosition: Position | undefined
  readonly endPosition: Position | undefined
  readonly meters: Meters
  /** Encoded polyline (precision 5): `text` follows the first `kept` characters, which were handed out before. */
  readonly route: { readonly kept: number; readonly text: string }
  /** Positions that counted. */
  readonly fixCount: number
  /** Being driven as far as the samples show: neither ended nor with ignition or engine off. */
  readonly isRunning: boolean
  /** Without anything new until then, it has ended (decisions.md, *Trips*, silence). */
  readonly silentFromMs: number
  readonly opened: Cause<OpeningRule>
  /** undefined while it may still go on. */
  readonly closed: Cause<ClosingRule> | undefined
  /** The two measures of its length, in metres; undefined where there are no readings. */
  readonly odometerM: number | undefined
  readonly positionsM: number | undefined
}

/** A trip that is over. */
export interface EndedTrip {
  readonly opened: Cause<OpeningRule>
  readonly measured: Readonly<Measured>
  readonly closed: Cause<ClosingRule>
}

export function endedTripOf({ opened, closed, measured }: EndedTrip): DerivedTrip {
  return derivedTripOf(measured, { isRunning: false, silentFromMs: measured.endMs, opened, closed })
}

/**
 * A trip that may go on; undefined while it is too short to be one. With ignition off it is not running; a car that
 * only stands still is, because every traffic light would stop it otherwise.
 * @param silenceMs so long without data is a silence for this dongle
 */
export function openTripOf(trip: OpenTrip, silenceMs: number): DerivedTrip | undefined {
  if (!measuredForSure(trip).isTrip) return undefined
  const isRunning = trip.pause === undefined || trip.pause.rule === 'no motion'
  const measured = measuredSoFar(trip)
  const silentFromMs = measured.endMs + silenceMs
  return derivedTripOf(measured, { isRunning, silentFromMs, opened: trip.opened, closed: undefined })
}

function derivedTripOf(
  measured: Readonly<Measured>,
  state: Pick<DerivedTrip, 'isRunning' | 'silentFromMs' | 'opened' | 'closed'>,
): DerivedTrip {
  const { startMs, endMs, endPosition, odometer } = measured
  const { startPosition, path, route, fixCount } = measured.track
  return {
    startMs,
    endMs,
    distanceM: Math.round(lengthM(measured)),
    durationS: Math.round((endMs - startMs) / 1000),
    startPosition,
    endPosition,
    meters: metersOf(measured.meters),
    route: { kept: route.kept, text: routeText(route) },
    fixCount,
    ...state,
    odometerM: odometer && Math.round(odometerM(odometer)),
    positionsM: path.hasFix ? Math.round(positionsM(measured)) : undefined,
  }
}

/** Without the meters that were never read. */
function metersOf(readings: Measured['meters']): Meters {
  const meters: Record<string, { start: number; end: number }> = {}
  METER_TYPES.forEach(({ id }, meter) => {
    const ends = readings[meter]
    if (ends) meters[id] = { start: ends[0], end: ends[1] }
  })
  return meters
}

// A sample in its context, to decide about the trip.

export interface SampleContext {
  /** Before the sample, but for the cluster of its fixes and how often it reports. */
  readonly known: Progress
  readonly reading: Reading
  readonly fix: Fix
  /** How long the sample before is ago; and from how long on it is a silence of this dongle. */
  readonly intervalMs: number
  readonly silenceMs: number
  readonly power: Power
  /** Ignition or engine; undefined if neither decides. */
  readonly word: Word | undefined
  readonly motion: Motion
  /** How the car left its place, if the fix of this reading shows it; and how it crept away, without evidence of driving. */
  readonly departure: Departure | undefined
  readonly creeping: Departure | undefined
  /** Driving shown by the odometer of this reading. */
  readonly counted: OdometerProgress | undefined
  /** Fixes show standstill; and the odometer does. */
  readonly isStill: boolean
  readonly isOdometerStill: boolean
  /** When the car arrived at the fix of the reading before, if fixes alone showed its motion and no more than that fix shows its place. */
  readonly cameMs: number | undefined
  /** The middle of the fixes before, and how far from it the car has certainly left. */
  readonly middle: Position | undefined
  readonly leftAtM: number
  /** The car's own speed or its odometer shows driving, which towing cannot cause. */
  readonly isByCar: boolean
  /** Its position is not believed, or not yet, and nothing else shows where the car is. */
  readonly isVague: boolean
  /** The car reports its speed for the first time after a silence. */
  readonly hasWoken: boolean
}

/** The car has moved since the reading before. */
export function hasLeft({ departure, creeping, counted }: SampleContext): boolean {
  return departure !== undefined || creeping !== undefined || counted !== undefined
}

/** How the car left its place, without proof yet that it drives. */
export function outsetIn({ known: { cluster, cadenceMs } }: SampleContext): Departure | undefined {
  return cluster && outsetOf(cluster, cadenceMs)
}

/** When the car arrived at the place of its fixes; undefined without fixes. */
export function arrivedMsIn(now: SampleContext): number | undefined {
  const { known, reading, departure, creeping, counted } = now
  const { cluster, place } = known
  const { timeMs, position } = reading
  if (departure || creeping) return cluster?.arrivedMs
  // The receiver may repeat a fix while the car drives on. A motion sensor reports standstill at once.
  if (counted) return now.motion === 'standing' && reading.speedKmh === undefined ? timeMs : counted.arrivedMs
  if (now.isStill) return cluster?.arrivedMs
  return position && place && isNext(now.fix) ? arrivalMs(place, position, timeMs) : undefined
}

/** The meaning of a reading for the trip that it belongs to. */
export type Outcome = 'drives' | 'pauses' | 'unplugged'

// The pauses of a trip.

/** The first record after a silence does not show where the car went meanwhile. The engine of a hybrid shows nothing of that. */
export function isLeftOpen({ pause, measured }: OpenTrip, now: SampleContext): boolean {
  const { word, intervalMs } = now
  if (!now.isVague || pause || now.known.lastMs === undefined || !measured.isTrip) return false
  if (word && !isHybrid(now.power) && !(isWordAlone(now.reading) && (word.isOn || word.of === 'engine'))) return false
  return intervalMs >= now.silenceMs && intervalMs <= LONGEST_SILENCE_MS
}

/** The measurements of a trip before a reading; a copy if a pause may begin with the reading. */
export function measuredBefore({ measured, pause }: OpenTrip, outcome: Outcome): Measured {
  return outcome === 'pauses' && !pause ? copyOfMeasured(measured) : measured
}

/**
 * Another track is believed now: what was kept of the trip before is corrected to that track.
 * @param before from `measuredBefore`
 * @returns the same with that track
 */
export function believeOtherTrack(trip: OpenTrip, before: Measured): Measured {
  const { pause, measured } = trip
  trip.idle = undefined
  if (pause) trip.pause = { ...pause, measured: copyEndedAt(measured, pause.measured.endMs) }
  return before === measured ? measured : copyEndedAt(measured, before.endMs)
}

/**
 * Updates the trip after the reading was measured.
 * @param before from `measuredBefore`
 * @returns the trip when it ended with the reading: the dongle was unplugged.
 */
export function applyOutcome(
  trip: OpenTrip,
  outcome: Outcome,
  before: Measured,
  now: SampleContext,
): EndedTrip | undefined {
  const { opened, measured } = trip
  const { word } = now
  const { timeMs, meanSpeedKmh } = now.reading
  if (outcome === 'unplugged') return { opened, measured, closed: { rule: 'unplugged', timeMs } }
  noteMotion(trip, now)
  if (outcome === 'drives') {
    trip.pause = undefined
    if (!word?.isOn) trip.idle = undefined
    else if (!trip.idle && timeMs - trip.movedMs >= MOTION_PAUSE_MS) trip.idle = idleFrom(measured, trip.movedMs)
  } else if (isLeftOpen(trip, now))
    trip.pause = { rule: 'no motion', sinceMs: before.endMs, measured: before, isSettled: true }
  else if (word?.of === 'ignition') trip.pause ??= pauseAt(measured, 'ignition off', timeMs)
  else if (word && !trip.pause && meanSpeedKmh === undefined && !isHybrid(now.power) && !hasLeftUnseen(now))
    trip.pause = pauseAt(measured, 'engine off', timeMs)
  else if (trip.pause?.rule !== 'engine off' || hasLeft(now)) trip.pause = standstill(trip, before, now)
  return undefined
}

/** The car has moved since the reading before, in an interval in which it may also have stood for a while. */
function hasLeftUnseen(now: SampleContext): boolean {
  return hasLeft(now) && now.intervalMs > SAME_MOMENT_MS
}

/** If motion could not be observed for minutes, its absence is no evidence. */
function noteMotion(trip: OpenTrip, now: SampleContext): void {
  const { reading, departure, counted } = now
  const { timeMs } = reading
  if (canShowMotion(reading)) trip.observedMs = timeMs
  if (now.motion === 'moving' || hasLeft(now) || timeMs - trip.observedMs >= DATA_GAP_MS) {
    const hasArrived = now.motion !== 'moving' && hasLeft(now)
    trip.movedMs = hasArrived ? Math.max(trip.movedMs, arrivedMsIn(now) ?? timeMs) : timeMs
    trip.idle = undefined
  }
  if ((departure || counted) && reading.speedKmh === undefined) trip.holdsUntilMs = timeMs + DISPLACEMENT_HOLDS_MS
}

/** A pause without motion: from the last motion to the first reading of standstill. */
function standstill({ pause, measured, movedMs }: OpenTrip, before: Measured, now: SampleContext): Pause {
  const { motion, reading, known } = now
  const { timeMs } = reading
  const { cluster, place } = known
  const hasSpeed = reading.speedKmh !== undefined
  // An odometer that is reported rarely may have counted on long before the last motion.
  // The car did not arrive before a reading whose speed showed motion, however close the fix before was.
  const wasReportedMoving = measured.speed.kmh !== undefined && movedMs < timeMs
  const leastMs = now.counted || wasReportedMoving ? movedMs : 0
  if (hasLeft(now)) {
    const arrivedMs = arrivedMsIn(now) ?? timeMs
    return pauseSince(measured, arrivedMs >= leastMs ? arrivedMs : stoppedMs(now, movedMs), timeMs)
  }
  if (pause?.isSettled) return isConfirmed(now) ? pause : lastedUntil(pause, measured, now)
  // The engine of a hybrid that runs while the car stands is no drive.
  const droveMs =
    isHybrid(now.power) && canShowMotion(reading)
      ? Math.min(before.endMs, Math.max(movedMs, measured.startMs))
      : before.endMs
  const sinceMs = pause?.sinceMs ?? droveMs
  if (motion === 'standing') {
    const arrivedMs = arrivedMsIn(now)
    const seenMs = now.isStill && cluster ? Math.max(sinceMs, cluster.sinceMs) : timeMs
    // Fixes show best when the car arrived, unless a speed is reported all the time.
    if (arrivedMs !== undefined && (!hasSpeed || timeMs - sinceMs > SAME_MOMENT_MS))
      return pauseSince(measured, hasSpeed ? Math.max(sinceMs, arrivedMs) : arrivedMs, pause?.sinceMs ?? seenMs)
    const sinceMotionMs = timeMs - sinceMs
    if (sinceMotionMs <= SAME_MOMENT_MS)
      return { rule: 'no motion', sinceMs, measured: copyOfMeasured(measured), isSettled: true }
    // It stopped somewhere between the two readings.
    if (sinceMotionMs <= Math.min(STANDSTILL_READING_MS, 2 * Math.max(known.cadenceMs ?? Infinity, SAME_MOMENT_MS)))
      return pauseSince(measured, sinceMs + sinceMotionMs / 2, pause?.sinceMs ?? timeMs)
  }
  if (pause) return pause
  // Only fixes showed motion, and they show when the car arrived.
  const showsArrival =
    cluster && place?.lastMs === before.endMs && movedMs <= cluster.sinceMs && cluster.arrivedMs < before.endMs
  if (before.speed.kmh === undefined && showsArrival) return pauseSince(before, cluster.arrivedMs, cluster.sinceMs)
  return { rule: 'no motion', sinceMs, measured: before, isSettled: false }
}

/** A car that moved at one reading and stands at the next one arrived somewhere between the two, if its way shows no more. */
function stoppedMs({ known, reading, motion }: SampleContext, movedMs: number): number {
  if (motion !== 'standing' || known.lastMs !== movedMs) return movedMs
  return movedMs + Math.min(reading.timeMs - movedMs, known.cadenceMs ?? 0) / 2
}

/** The place where the car seemed to stop is reported again, or anything else shows where the car is. */
function isConfirmed({ known: { cluster, place }, reading, fix, counted }: SampleContext): boolean {
  if ((reading.position && isNext(fix)) || counted || !cluster) return true
  return (
    cluster.count > 1 || (cluster.outside !== undefined && place !== undefined && place.lastMs > cluster.outside.timeMs)
  )
}

/** A single fix does not show for how long the car stood there: it may wait at the last traffic lights before a garage. */
function lastedUntil(pause: Pause, measured: Measured, { known: { place } }: SampleContext): Pause {
  if (!place || place.lastMs <= pause.measured.endMs || pause.rule !== 'no motion') return pause
  return { ...pause, measured: copyEndedAt(measured, place.lastMs) }
}

function pauseAt(measured: Measured, rule: Pause['rule'], timeMs: number): Pause {
  return { rule, sinceMs: timeMs, measured: copyOfMeasured(measured), isSettled: true }
}

/**
 * A pause that is known to have begun with a reading.
 * @param arrivedMs the estimated end of the trip if the car does not drive on
 */
function pauseSince(measured: Measured, arrivedMs: number, sinceMs: number): Pause {
  const { startMs } = measured
  // Start and end of a way between two records are estimated separately and must not be reversed.
  const endMs = arrivedMs > startMs ? arrivedMs : startMs + lengthM(measured) / TOWN_M_PER_MS
  return { rule: 'no motion', sinceMs, measured: copyEndedAt(measured, Math.round(endMs)), isSettled: true }
}

/** A car that never moved after the ignition was switched on did not drive, whatever indicated motion at that instant. */
function idleFrom(measured: Measured, movedMs: number): Measured {
  const copy = copyEndedAt(measured, movedMs)
  if (copy.endMs === copy.startMs) copy.isTrip = false
  return copy
}

/** The same if the car stood from then on. */
export function copyEndedAt(measured: Measured, endMs: number): Measured {
  const copy = copyOfMeasured(measured)
  copy.endMs = Math.min(copy.endMs, Math.max(copy.startMs, endMs))
  return copy
}
