import { type EndedTrip, type OpenTrip, settledAt, turnAt } from './boundaries.ts'
import { measuredAfter } from './measured.ts'
import { motionOf } from './motion.ts'
import { placeAfter } from './place.ts'
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

/** Everything that the order of samples matters for, step by step: each builds on the ones before it. Pure. */
export function derive(before: Progress, reading: Reading): { readonly progress: Progress; readonly facts: Facts } {
  const { timeMs, vin } = reading
  const { lastMs } = before
  const hasGap = lastMs !== undefined && timeMs - lastMs >= DATA_GAP_MS

  // 1. Whose word counts: ignition, engine, motion.
  const power = powerAfter(before.power, reading)
  const heldIsMoving = before.isMoving && !hasGap && !power.isUnplugged
  const motion = motionOf(reading, heldIsMoving)
  const isMoving = reading.isMoving ?? heldIsMoving

  // 2. Whether a trip began or had ended.
  const now = { timeMs, lastMs, power, motion, isAwake: reading.meanSpeedKmh !== undefined, place: before.place }
  const turn = turnAt(before.trip, now)
  let { ended } = turn
  let trip: OpenTrip | undefined
  let place = before.place

  // 3. Where the dongle is, and length, meters and route of the trip.
  if (turn.trip) {
    const isByWord = power.ignition !== undefined || power.engine !== undefined
    const after = measuredAfter(turn.trip.measured, reading, before.place, isByWord)
    place = after.place
    const settled = settledAt({ ...turn, trip: turn.trip }, after.measured, now)
    if ('closed' in settled) ended = settled
    else trip = settled
  } else {
    place = placeAfter(before.place, reading, 0).place
  }
  if (ended && !ended.measured.isTrip) ended = undefined

  // 4. Which car it is in.
  const isUnplug = power.isUnplugged && !before.power.isUnplugged
  let { boundaryMs, vinRun } = before
  if (vinRun && ended) vinRun = vinRunAfterEnd(vinRun, ended.measured.endMs)
  if (ended && ended.measured.endMs < timeMs) boundaryMs = Math.max(boundaryMs, ended.measured.endMs)
  if (vin !== undefined) vinRun = vinRunAfter(vinRun, vin, timeMs, boundaryMs)
  if (isUnplug || ended?.measured.endMs === timeMs) boundaryMs = timeMs

  const changedRun = vinRun === before.vinRun ? undefined : vinRun
  return {
    progress: { lastMs: timeMs, power, isMoving, place, trip, boundaryMs, vinRun },
    facts: ended || changedRun ? { ended, vinRun: changedRun } : NO_FACTS,
  }
}
