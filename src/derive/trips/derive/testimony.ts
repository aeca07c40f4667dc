import { motionByCar, motionOf, type WEIGHTS, wordOf } from './evidence.ts'
import { judge } from './fix-judgement.ts'
import { isOdometerStillAt, progressOf } from './odometer-progress.ts'
import type { Progress } from './progress.ts'
import type { Reading } from './reading.ts'
import { MOTION_KMH } from './rules.ts'
import { isUnmoved } from './stay.ts'

/** The witnesses of driving (evidence.ts). 'droveOn': fixes or odometer show that it has driven since they were last reported. */
export type Witness = 'ignition' | 'engine' | keyof typeof WEIGHTS | 'droveOn'

/** What each witness states at one instant: true that the car drives, false that it stands. A missing one states nothing. */
export type Testimony = ReadonlyMap<Witness, boolean>

/**
 * What each witness said with a reading.
 * @param before what was known before the reading
 * @param after what is known after it
 * @param hasMoved the fold found that the car moved
 */
export function testimonyOf(reading: Reading, before: Progress, after: Progress, hasMoved: boolean): Testimony {
  const { gpsSpeedKmh, timeMs } = reading
  const { stay, blindMs, isMoving } = after
  const said = new Map<Witness, boolean>()
  const word = wordOf(after.power)
  if (word) said.set(word.of, word.isOn)
  const intervalMs = before.lastMs === undefined ? 0 : timeMs - before.lastMs
  const byCar = motionByCar(reading, { blindMs, intervalMs })
  if (byCar !== undefined) said.set('carSpeed', byCar)
  if (gpsSpeedKmh !== undefined) said.set('receiverSpeed', gpsSpeedKmh > MOTION_KMH)
  const isStill = stay !== undefined && isUnmoved(stay, timeMs) && progressOf(before, reading) === undefined
  if (isStill) said.set('unmovedFix', false)
  const isOdometerStill = isOdometerStillAt(after, reading)
  if (isOdometerStill) said.set('stillOdometer', false)
  if (reading.isMoving !== undefined || isMoving) said.set('isMoving', isMoving)
  const { fix } = judge(before, reading)
  const signs = {
    heldIsMoving: isMoving,
    isUnmoved: isStill,
    isOdometerStill,
    blindMs,
    intervalMs,
    fix,
    droveOn: false,
  }
  const motion = motionOf(reading, signs)
  if (hasMoved && motion !== 'moving') said.set('droveOn', true)
  return said
}
