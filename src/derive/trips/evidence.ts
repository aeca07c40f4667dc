import type { Fix, Reading } from './reading.ts'
import {
  BLIND_LIMIT_MS,
  DATA_GAP_MS,
  HYBRID_MS,
  LONGEST_SILENCE_MS,
  MOTION_KMH,
  SAME_MOMENT_MS,
  SILENT_INTERVALS,
  STANDSTILL_KMH,
  UNSEEN_INTERVALS,
  WORD_FORGOTTEN_AFTER_DAYS,
} from './rules.ts'
import { type LastWord, POWER_UNKNOWN, type Power } from './state.ts'

// Motion at the instant of a reading.

/** 'unknown' without evidence. */
export type Motion = 'moving' | 'standing' | 'unknown'

/**
 * The evidence of motion, with its weights. The sum decides: above zero the car moves, below zero it stands. Sources without a value
 * in a reading do not count, except those named here.
 */
export const WEIGHTS = {
  /**
   * The car's own speed, from the wheels. It no longer counts after showing driving for half an hour without a new fix, with a
   * receiver present (decisions.md, *Trips*, distance).
   */
  carSpeed: 3,
  /** The receiver's speed, measured apart from its positions; a standing receiver invents a few km/h at times. */
  receiverSpeed: 2,
  /** Fixes that stayed within 50 m for a minute, the last of them at most that old. They are never evidence of motion. */
  unmovedFix: 1.5,
  /** An odometer with a resolution below one kilometre that has not changed for five minutes: stronger than one speed. */
  stillOdometer: 3.5,
  /** A vibration or acceleration sensor in the dongle. Its last value holds until the next one, or a gap. */
  isMoving: 1,
} as const

/** The weight of the receiver's speed while its fix is not believed: if the position is wrong, the speed may be wrong, too. */
export const DOUBTFUL_RECEIVER_WEIGHT = 0.5
/** The weight of a speed of the receiver that jitter between houses makes as well: a sensor of motion may say the opposite. */
export const SLOW_RECEIVER_WEIGHT = 1
export const INVENTED_KMH = 15

/** Evidence at a reading besides its own values. */
interface Signs {
  /** The last IS_MOVING still holds, and was true. */
  readonly heldIsMoving: boolean
  /** Fixes show standstill. */
  readonly isUnmoved: boolean
  /** The odometer of this reading shows standstill. */
  readonly isOdometerStill: boolean
  /** How long the car's speed has shown driving since the last new fix. */
  readonly blindMs: number
  /** How long the reading before it is ago. */
  readonly intervalMs: number
  readonly fix: Fix
  /** Fixes or odometer show that the car drove on since the reading before. */
  readonly droveOn: boolean
}

/** Having driven on since the reading before counts if there is no other evidence. */
export function motionOf(reading: Reading, signs: Signs): Motion {
  const { gpsSpeedKmh } = reading
  const isMoving = reading.isMoving ?? (signs.heldIsMoving ? true : undefined)
  const byCar = motionByCar(reading, signs)
  let sum = 0
  if (byCar !== undefined) sum += byCar ? WEIGHTS.carSpeed : -WEIGHTS.carSpeed
  if (gpsSpeedKmh !== undefined) sum += (gpsSpeedKmh > MOTION_KMH ? 1 : -1) * receiverWeight(gpsSpeedKmh, signs)
  if (signs.isUnmoved) sum -= WEIGHTS.unmovedFix
  if (signs.isOdometerStill) sum -= WEIGHTS.stillOdometer
  if (isMoving !== undefined) sum += (isMoving ? 1 : -1) * WEIGHTS.isMoving
  if (sum !== 0) return sum > 0 ? 'moving' : 'standing'
  // A mean speed of driving and a receiver that shows standstill now are both right, unless the fix is unchanged.
  const hasJustStopped = byCar && isOfInterval(reading, signs) && signs.fix !== 'repeated'
  return signs.droveOn || hasJustStopped ? 'moving' : 'unknown'
}

/**
 * The evidence of the car's own speed; undefined without one. A mean covers the time since the reading before: over a minute, a
 * short drive is enough for the car to have moved.
 */
export function motionByCar(reading: Reading, signs: Pick<Signs, 'blindMs' | 'intervalMs'>): boolean | undefined {
  if (reading.vehicleSpeedKmh === undefined || signs.blindMs > BLIND_LIMIT_MS) return undefined
  return reading.vehicleSpeedKmh > (isOfInterval(reading, signs) ? STANDSTILL_KMH : MOTION_KMH)
}

function isOfInterval({ isTrueMean }: Reading, { intervalMs }: Pick<Signs, 'intervalMs'>): boolean {
  return isTrueMean && intervalMs > SAME_MOMENT_MS
}

function receiverWeight(speedKmh: number, { fix }: Signs): number {
  if (fix === 'elsewhere' || fix === 'refused') return DOUBTFUL_RECEIVER_WEIGHT
  return speedKmh > MOTION_KMH && speedKmh <= INVENTED_KMH ? SLOW_RECEIVER_WEIGHT : WEIGHTS.receiverSpeed
}

// Ignition and engine.

/**
 * The state of ignition or engine. On begins a trip. Ignition off ends it; engine off does not end it while the car moves
 * (hybrids).
 */
export interface Word {
  readonly of: 'ignition' | 'engine'
  readonly isOn: boolean
}

/** The one that decides (decisions.md, *Trips*): the ignition unless it is wired on, else the engine, else neither. */
export function wordOf({ ignition, engine, isIgnitionDoubted }: Power): Word | undefined {
  if (ignition) return isIgnitionDoubted ? undefined : { of: 'ignition', isOn: ignition.isOn }
  return engine && { of: 'engine', isOn: engine.isOn }
}

/**
 * After a reading. An unplug makes everything forgotten, because the next car may have other words; out of
 * the socket, only what comes from a car shows that the dongle is back in one.
 */
export function powerAfter(before: Power, reading: Reading): Power {
  if (reading.isPluggedIn === false) return { ...POWER_UNKNOWN, isUnplugged: true }
  const ignition = wordAfter(before.ignition, reading.isIgnitionOn, reading.timeMs)
  const engine = wordAfter(before.engine, reading.isEngineOn, reading.timeMs)
  const isUnplugged =
    before.isUnplugged &&
    reading.isPluggedIn === undefined &&
    !ignition &&
    !engine &&
    reading.vehicleSpeedKmh === undefined
  const isIgnitionDoubted = before.isIgnitionDoubted && reading.isIgnitionOn !== false && ignition !== undefined
  return { ignition, engine, isIgnitionDoubted, electricMs: before.electricMs, isUnplugged }
}

const DAY_MS = 86_400_000

function wordAfter(word: LastWord | undefined, isOn: boolean | undefined, timeMs: number): LastWord | undefined {
  const lastDay = Math.floor(timeMs / DAY_MS)
  if (isOn !== undefined) return { isOn, silentDays: 0, lastDay }
  if (!word || word.lastDay === lastDay) return word
  const silentDays = word.silentDays + 1
  return silentDays > WORD_FORGOTTEN_AFTER_DAYS ? undefined : { isOn: word.isOn, silentDays, lastDay }
}

/** After the ignition was on for an hour without motion. */
export function withDoubt(power: Power): Power {
  return power.ignition?.isOn ? { ...power, isIgnitionDoubted: true } : power
}

/** After the car moved for so long with its engine off. */
export function withElectric(power: Power, durationMs: number): Power {
  return { ...power, electricMs: Math.min(HYBRID_MS, power.electricMs + durationMs) }
}

/** The car drives on a battery as well, so that its engine shows nothing when it is off. */
export function isHybrid({ electricMs }: Power): boolean {
  return electricMs >= HYBRID_MS
}

// How often the dongle reports.

/** A longer interval is a silence. */
const LONGEST_INTERVAL_MS = LONGEST_SILENCE_MS / SILENT_INTERVALS
/** Steps up and down that balance where three of four intervals are shorter. */
const UP = 1.26
const DOWN = 1.08
/** The step towards intervals less than half as long: the estimate came from a silence. */
const FAR_DOWN = 1.26

/**
 * The usual interval of a dongle while the car drives, after one more interval: three of four intervals are shorter. It depends only
 * on the intervals in the order of time, needs one number, and hardly changes after a single long silence.
 * @param cadenceMs undefined before the first interval
 */
export function cadenceAfter(cadenceMs: number | undefined, intervalMs: number): number {
  const interval = Math.min(intervalMs, LONGEST_INTERVAL_MS)
  if (cadenceMs === undefined) return interval
  if (interval > cadenceMs) return Math.min(interval, cadenceMs * UP)
  return Math.max(interval, cadenceMs / (interval < cadenceMs / 2 ? FAR_DOWN : DOWN))
}

/**
 * The usual interval of a dongle while the car is parked, after one more interval. It serves as long as no interval of driving is
 * known, because no dongle reports more rarely while driving. Intervals longer than any of driving are ignored.
 */
export function parkedAfter(parkedMs = 0, intervalMs: number): number {
  return Math.max(intervalMs <= LONGEST_INTERVAL_MS ? intervalMs : 0, parkedMs / DOWN)
}

/** How long without data until it is unknown whether the car was still driving (decisions.md, *Trips*, silence). */
export function silenceOf(dongle: {
  readonly cadenceMs: number | undefined
  readonly parkedMs: number | undefined
}): number {
  const usualMs = dongle.cadenceMs ?? dongle.parkedMs ?? 0
  return Math.max(DATA_GAP_MS, Math.min(LONGEST_SILENCE_MS, Math.round(SILENT_INTERVALS * usualMs)))
}

/** A dongle that drives would have reported within such a time; unknown as long as the cadence is. */
export function isSeldom(durationMs: number, cadenceMs: number | undefined): boolean {
  return cadenceMs !== undefined && durationMs > unusualMs(cadenceMs)
}

/** A dongle that drives would have reported within this time. */
export function unusualMs(cadenceMs: number): number {
  return UNSEEN_INTERVALS * cadenceMs + SAME_MOMENT_MS
}

/** Before its last sample, the dongle reported as often as while the car drives. */
export function wasBusy(dongle: {
  readonly lastMs: number | undefined
  readonly busySinceMs: number | undefined
}): boolean {
  const { lastMs, busySinceMs } = dongle
  return lastMs !== undefined && busySinceMs !== undefined && busySinceMs < lastMs
}
