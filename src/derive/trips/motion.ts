import type { Reading } from './reading.ts'
import { MOTION_KMH, STANDSTILL_KMH } from './rules.ts'

/** What a reading says of motion; 'unknown' when it says nothing. */
export type Motion = 'moving' | 'standing' | 'unknown'

/**
 * Above 5 km/h or IS_MOVING (decisions.md, *Trips*). A dongle may send IS_MOVING only when it changes, so its last word
 * holds for readings that have neither word nor speed.
 * @param heldIsMoving the last word on IS_MOVING.
 */
export function motionOf(reading: Reading, heldIsMoving: boolean): Motion {
  if (reading.isMoving === true) return 'moving'
  if (reading.speedKmh !== undefined) return reading.speedKmh > MOTION_KMH ? 'moving' : 'standing'
  if (reading.isMoving === false) return 'standing'
  return heldIsMoving ? 'moving' : 'unknown'
}

/** Whether a speed is that of a car that stands. */
export function isStandstill(speedKmh: number | undefined): boolean {
  return speedKmh !== undefined && speedKmh <= STANDSTILL_KMH
}
