import type { Fix } from './place.ts'
import type { Power } from './power.ts'
import type { Reading } from './reading.ts'
import { BLIND_LIMIT_MS, MOTION_KMH, SAME_MOMENT_MS, STANDSTILL_KMH } from './rules.ts'

/** What is known about motion at the instant of a reading; 'unknown' without evidence. */
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

/** What is known at a reading, besides its own values. */
interface Signs {
  /** The last IS_MOVING; undefined if it no longer holds. */
  readonly heldIsMoving: boolean
  /** Fixes show standstill. */
  readonly isUnmoved: boolean
  /** The odometer of this reading shows standstill. */
  readonly isOdometerStill: boolean
  /** How long the car's speed has shown driving since the last new fix. */
  readonly blindMs: number
  /** How long the reading before it is ago. */
  readonly intervalMs: number
  /** The judgement of this reading's fix (place.ts). */
  readonly fix: Fix
  /** Fixes or odometer show that the car drove on since the reading before. */
  readonly droveOn: boolean
}

/** Whether the car moves at the instant of a reading. Having driven on since the one before counts if there is no other evidence. */
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

/** The weight of a speed of the receiver that jitter between houses makes as well: a sensor of motion may say the opposite. */
export const SLOW_RECEIVER_WEIGHT = 1
export const INVENTED_KMH = 15

/** Whether the values of a reading show only standstill. */
export function saysStanding({ speedKmh, isMoving }: Reading): boolean {
  return speedKmh !== undefined && speedKmh <= MOTION_KMH && isMoving !== true
}

/** Whether motion could be observed in a reading at all. */
export function canTell(reading: Reading): boolean {
  return reading.position !== undefined || !tellsPlaceAtMost(reading)
}

/** Whether only a fix could show motion. */
export function tellsPlaceAtMost({ speedKmh, odometerKm, isMoving }: Reading): boolean {
  return speedKmh === undefined && odometerKm === undefined && isMoving === undefined
}

/** Whether a speed is that of a car that drives. */
export function isSpeedOfDriving(speedKmh: number | undefined): boolean {
  return speedKmh !== undefined && speedKmh > MOTION_KMH
}

/** Whether a speed is that of a car that stands. */
export function isStandstill(speedKmh: number | undefined): boolean {
  return speedKmh !== undefined && speedKmh <= STANDSTILL_KMH
}

/** The state of ignition or engine: which of them decides, and how far. */
export type Word =
  /** On begins a trip, off ends it. */
  | { readonly of: 'ignition'; readonly isOn: boolean }
  /** On begins a trip; off does not end it while the car moves (hybrids). */
  | { readonly of: 'engine'; readonly isOn: boolean }

const IGNITION_ON: Word = { of: 'ignition', isOn: true }
const IGNITION_OFF: Word = { of: 'ignition', isOn: false }
const ENGINE_ON: Word = { of: 'engine', isOn: true }
const ENGINE_OFF: Word = { of: 'engine', isOn: false }

/** What decides (decisions.md, *Trips*): the ignition unless it is wired on, else the engine, else neither. */
export function wordOf({ ignition, engine, isIgnitionDoubted }: Power): Word | undefined {
  if (ignition) return isIgnitionDoubted ? undefined : ignition.isOn ? IGNITION_ON : IGNITION_OFF
  return engine && (engine.isOn ? ENGINE_ON : ENGINE_OFF)
}
