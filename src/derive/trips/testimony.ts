import { isOdometerStillAt } from './derive.ts'
import { motionOf, type WEIGHTS, wordOf } from './evidence.ts'
import type { Progress } from './progress.ts'
import type { Reading } from './reading.ts'
import { BLIND_LIMIT_MS, MOTION_KMH } from './rules.ts'
import { isUnmoved } from './stay.ts'

/** All who tell whether the car is driven (evidence.ts). 'droveOn': fixes or odometer show that it drove since they last told. */
export type Witness = 'ignition' | 'engine' | keyof typeof WEIGHTS | 'droveOn'

/** What each witness says at one instant: true that the car drives, false that it stands. Who is not in it says nothing. */
export type Testimony = ReadonlyMap<Witness, boolean>

/**
 * What each witness said with a reading.
 * @param after what is known after the reading
 * @param hasMoved the fold found that the car moved
 */
export function testimonyOf(reading: Reading, after: Progress, hasMoved: boolean): Testimony {
  const { vehicleSpeedKmh, gpsSpeedKmh, timeMs } = reading
  const { stay, blindMs, isMoving } = after
  const said = new Map<Witness, boolean>()
  const word = wordOf(after.power)
  if (word) said.set(word.of, word.isOn)
  if (vehicleSpeedKmh !== undefined && blindMs <= BLIND_LIMIT_MS) said.set('carSpeed', vehicleSpeedKmh > MOTION_KMH)
  if (gpsSpeedKmh !== undefined) said.set('receiverSpeed', gpsSpeedKmh > MOTION_KMH)
  const isStill = stay !== undefined && isUnmoved(stay, timeMs)
  if (isStill) said.set('unmovedFix', false)
  const isOdometerStill = isOdometerStillAt(after, reading)
  if (isOdometerStill) said.set('stillOdometer', false)
  if (reading.isMoving !== undefined || isMoving) said.set('isMoving', isMoving)
  const signs = { heldIsMoving: isMoving, isUnmoved: isStill, isOdometerStill, blindMs, droveOn: false }
  const motion = motionOf(reading, signs)
  if (hasMoved && motion !== 'moving') said.set('droveOn', true)
  return said
}
