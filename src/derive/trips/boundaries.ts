import { type Measured, measuredFrom } from './measured.ts'
import type { Motion } from './motion.ts'
import type { Place } from './place.ts'
import type { Power } from './power.ts'
import {
  DATA_GAP_MS,
  IGNITION_PAUSE_MS,
  MOTION_PAUSE_MS,
  SPEED_READING_MS,
  STANDSTILL_DRIFT_M,
  STANDSTILL_READING_MS,
  UNPROVEN_MS,
  UNPROVEN_PAUSE_MS,
} from './rules.ts'
import { copyOfMeasured } from './serialise.ts'
import type { Cause, ClosingRule, OpeningRule } from './trip.ts'

/** The car stands, and the trip may be over: then it ended as it was `measured`. */
export interface Pause {
  readonly rule: 'ignition off' | 'engine off' | 'no motion'
  readonly sinceMs: number
  readonly measured: Measured
  /** A reading of standstill is in `measured`, so no later one belongs there. */
  readonly isSettled: boolean
}

/** The trip, or what may become one, that the dongle is in. Changed in place by each reading. */
export interface OpenTrip {
  readonly opened: Cause<OpeningRule>
  /** Up to the last sample, pauses included: what counts if it goes on. */
  readonly measured: Measured
  /** Shares nothing with `measured` that changes. */
  pause: Pause | undefined
}

/** A trip that is over. */
export interface EndedTrip {
  readonly opened: Cause<OpeningRule>
  readonly measured: Measured
  readonly closed: Cause<ClosingRule>
}

/** What a reading means for the trip it finds, before anything of it is measured. */
export interface Turn {
  /** The trip that was over before the reading. */
  readonly ended: EndedTrip | undefined
  /** The trip that the reading belongs to. */
  readonly trip: OpenTrip | undefined
  readonly outcome: 'drives' | 'pauses' | 'unplugged'
}

export interface Circumstances {
  readonly timeMs: number
  /** The sample before. */
  readonly lastMs: number | undefined
  readonly power: Power
  readonly motion: Motion
  /** The car itself tells its speed. */
  readonly isAwake: boolean
  readonly place: Place | undefined
}

/** What is measured of a trip whatever comes. */
export function measuredForSure(trip: OpenTrip): Measured {
  return trip.pause?.measured ?? trip.measured
}

/** What is measured of a trip if nothing more comes. */
export function measuredSoFar(trip: OpenTrip): Measured {
  return isAwake(trip) ? trip.measured : measuredForSure(trip)
}

/**
 * A car tells its speed only while it is awake, so a driver sits in it: one that stood in the end was still on its trip.
 */
function isAwake({ pause, measured: { endMs, speed } }: OpenTrip): boolean {
  if (pause?.rule !== 'no motion') return pause === undefined
  return speed.kmh !== undefined && endMs - speed.timeMs <= SPEED_READING_MS
}

/** Begin and end of trips (decisions.md, *Trips*). */
export function turnAt(before: OpenTrip | undefined, now: Circumstances): Turn {
  const { power, timeMs, lastMs } = now
  const word = power.ignition ?? power.engine
  const isDriving = !power.isUnplugged && (word ? word.isOn : now.motion === 'moving')
  const ended = before && endBefore(before, now)
  const hasSlept = lastMs === undefined || timeMs - lastMs >= DATA_GAP_MS
  const isOver = ended !== undefined || (before !== undefined && !word && isForgotten(before, timeMs))
  if (before && !isOver) {
    const outcome = power.isUnplugged ? 'unplugged' : isDriving ? 'drives' : 'pauses'
    return { ended: undefined, trip: before, outcome }
  }
  // The driver sits in the car and will drive off, or nothing comes of it.
  const isWaking = hasSlept && now.isAwake && !word && !power.isUnplugged
  if (!isDriving && !isWaking) return { ended, trip: undefined, outcome: 'pauses' }
  const isAfterGap = isWaking || ended?.closed.rule === 'gap without data'
  return { ended, trip: openedAt(now, isAfterGap), outcome: isDriving ? 'drives' : 'pauses' }
}

/** A trip that was over before this instant, whatever is read now. */
function endBefore(trip: OpenTrip, { timeMs, lastMs, power }: Circumstances): EndedTrip | undefined {
  const { opened, pause, measured } = trip
  if (pause) {
    const longestMs = pause.rule === 'no motion' ? MOTION_PAUSE_MS : IGNITION_PAUSE_MS
    if (timeMs - pause.sinceMs < longestMs && !power.isUnplugged) return undefined
    if (lastMs !== undefined && timeMs - lastMs >= DATA_GAP_MS && pause.rule === 'no motion' && isAwake(trip))
      return { opened, measured, closed: { rule: 'gap without data', timeMs: lastMs } }
    return { opened, measured: pause.measured, closed: { rule: pause.rule, timeMs: pause.measured.endMs } }
  }
  if (lastMs === undefined || timeMs - lastMs < DATA_GAP_MS) return undefined
  return { opened, measured, closed: { rule: 'gap without data', timeMs: lastMs } }
}

/** Motion that proved to be none: a spike of speed, or drift around one place. Who got farther than drift waits at a light. */
function isForgotten(trip: OpenTrip, timeMs: number): boolean {
  if (measuredForSure(trip).isTrip) return false
  const { opened, pause, measured } = trip
  const isSpike = opened.rule === 'motion' && pause !== undefined && measured.path.reachM < STANDSTILL_DRIFT_M
  return (isSpike && timeMs - pause.sinceMs >= UNPROVEN_PAUSE_MS) || timeMs - opened.timeMs >= UNPROVEN_MS
}

function openedAt({ timeMs, power, place }: Circumstances, isAfterGap: boolean): OpenTrip {
  const byWord = power.ignition ? 'ignition on' : power.engine ? 'engine on' : undefined
  const rule = isAfterGap ? 'data after a gap' : (byWord ?? 'motion')
  const stoodThere = rule === 'ignition on' || rule === 'engine on'
  return {
    opened: { rule, timeMs },
    measured: measuredFrom(timeMs, place?.position, stoodThere),
    pause: undefined,
  }
}

/** What is measured of a trip before a reading; where a pause may begin with it, a copy that the reading does not change. */
export function measuredBefore({ measured, pause }: OpenTrip, outcome: Turn['outcome']): Measured {
  return outcome === 'pauses' && !pause ? copyOfMeasured(measured) : measured
}

/**
 * What becomes of the trip now that the reading is measured.
 * @param before what `measuredBefore` said
 * @returns the trip when it ended with the reading: the dongle was unplugged.
 */
export function settle(
  trip: OpenTrip,
  outcome: Turn['outcome'],
  before: Measured,
  { power, motion, timeMs }: Circumstances,
): EndedTrip | undefined {
  const { opened, measured } = trip
  if (outcome === 'unplugged') return { opened, measured, closed: { rule: 'unplugged', timeMs } }
  if (outcome === 'drives') trip.pause = undefined
  else if (power.ignition ?? power.engine) {
    const rule = power.ignition ? 'ignition off' : 'engine off'
    trip.pause ??= { rule, sinceMs: timeMs, measured: copyOfMeasured(measured), isSettled: true }
  } else trip.pause = standstill(trip, before, motion, timeMs)
  return undefined
}

/** Without motion: since the last motion, up to the first reading of standstill. */
function standstill({ pause, measured }: OpenTrip, before: Measured, motion: Motion, timeMs: number): Pause {
  if (pause?.isSettled) return pause
  const sinceMs = pause?.sinceMs ?? before.endMs
  if (motion === 'standing' && timeMs - sinceMs <= STANDSTILL_READING_MS)
    return { rule: 'no motion', sinceMs, measured: copyOfMeasured(measured), isSettled: true }
  return pause ?? { rule: 'no motion', sinceMs, measured: before, isSettled: false }
}
