import { type EndedTrip, measuredBefore, settle, turnAt } from './boundaries.ts'
import { measure } from './measured.ts'
import { motionOf } from './motion.ts'
import { fixOf, placeAfter } from './place.ts'
import { powerAfter } from './power.ts'
import type { Progress } from './progress.ts'
import type { Reading } from './reading.ts'
import { DATA_GAP_MS } from './rules.ts'
import type { VinRun } from './trip.ts'
import { vinRunAfter, vinRunAfterEnd } from './vin-runs.ts'

/** What a reading brought to light. */
export interface Facts {
  readonly ended: EndedTrip | undefined
  /** A run that began or was confirmed, or whose boundary became known. */
  readonly vinRun: VinRun | undefined
}

const NO_FACTS: Facts = { ended: undefined, vinRun: undefined }

/**
 * Everything that the order of samples matters for, step by step: each builds on the ones before it.
 * @param progress goes on by the reading, in place
 */
export function derive(progress: Progress, reading: Reading): Facts {
  const { timeMs, vin } = reading
  const { lastMs, power: powerBefore, place: placeBefore, vinRun: vinRunBefore } = progress
  const hasGap = lastMs !== undefined && timeMs - lastMs >= DATA_GAP_MS

  // 1. Whose word counts: ignition, engine, motion.
  const power = powerAfter(powerBefore, reading)
  const heldIsMoving = progress.isMoving && !hasGap && !power.isUnplugged
  const motion = motionOf(reading, heldIsMoving)

  // 2. Whether a trip began or had ended.
  const now = { timeMs, lastMs, power, motion, isAwake: reading.meanSpeedKmh !== undefined, place: placeBefore }
  const turn = turnAt(progress.trip, now)
  const { trip, outcome } = turn
  let { ended } = turn

  // 3. Where the dongle is, and length, meters and route of the trip.
  if (trip) {
    const isByWord = power.ignition !== undefined || power.engine !== undefined
    const before = measuredBefore(trip, outcome)
    progress.place = measure(trip.measured, reading, placeBefore, isByWord)
    ended = settle(trip, outcome, before, now) ?? ended
  } else {
    progress.place = placeAfter(placeBefore, reading, fixOf(placeBefore, reading, 0))
  }
  progress.trip = outcome === 'unplugged' ? undefined : trip
  if (ended && !ended.measured.isTrip) ended = undefined

  // 4. Which car it is in.
  const isUnplug = power.isUnplugged && !powerBefore.isUnplugged
  let { boundaryMs, vinRun } = progress
  if (vinRun && ended) vinRun = vinRunAfterEnd(vinRun, ended.measured.endMs)
  if (ended && ended.measured.endMs < timeMs) boundaryMs = Math.max(boundaryMs, ended.measured.endMs)
  if (vin !== undefined) vinRun = vinRunAfter(vinRun, vin, timeMs, boundaryMs)
  if (isUnplug || ended?.measured.endMs === timeMs) boundaryMs = timeMs

  progress.lastMs = timeMs
  progress.power = power
  progress.isMoving = reading.isMoving ?? heldIsMoving
  progress.boundaryMs = boundaryMs
  progress.vinRun = vinRun
  const changedRun = vinRun === vinRunBefore ? undefined : vinRun
  return ended || changedRun ? { ended, vinRun: changedRun } : NO_FACTS
}
