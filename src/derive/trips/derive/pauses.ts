import { arrivedMsIn, type Circumstances, hasLeft } from './circumstances.ts'
import { copyOfMeasured } from './copies.ts'
import { lengthM, type Measured } from './measured.ts'
import type { EndedTrip, OpenTrip, Outcome, Pause } from './open-trip.ts'
import {
  DATA_GAP_MS,
  DISPLACEMENT_HOLDS_MS,
  LONGEST_SILENCE_MS,
  MOTION_PAUSE_MS,
  SAME_MOMENT_MS,
  STANDSTILL_READING_MS,
  TOWN_M_PER_MS,
} from './rules.ts'

/** The first record after a silence does not show where the car went meanwhile. The engine of a hybrid shows nothing of that. */
export function isLeftOpen(
  { pause, measured }: OpenTrip,
  { isVague, isWordAlone, word, isHybrid, timeMs, lastMs, silenceMs }: Circumstances,
): boolean {
  if (
    !isVague ||
    pause ||
    (word && !isHybrid && !(isWordAlone && (word.isOn || word.of === 'engine'))) ||
    lastMs === undefined ||
    !measured.isTrip
  )
    return false
  return timeMs - lastMs >= silenceMs && timeMs - lastMs <= LONGEST_SILENCE_MS
}

/** The measurements of a trip before a reading; a copy if a pause may begin with the reading. */
export function measuredBefore({ measured, pause }: OpenTrip, outcome: Outcome): Measured {
  return outcome === 'pauses' && !pause ? copyOfMeasured(measured) : measured
}

/**
 * Another track is believed now: what was kept of the trip before is corrected to that track.
 * @param before what `measuredBefore` said
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
 * @param before what `measuredBefore` said
 * @returns the trip when it ended with the reading: the dongle was unplugged.
 */
export function applyOutcome(
  trip: OpenTrip,
  outcome: Outcome,
  before: Measured,
  now: Circumstances,
): EndedTrip | undefined {
  const { opened, measured } = trip
  const { word, timeMs } = now
  if (outcome === 'unplugged') return { opened, measured, closed: { rule: 'unplugged', timeMs } }
  noteMotion(trip, now)
  if (outcome === 'drives') {
    trip.pause = undefined
    if (!word?.isOn) trip.idle = undefined
    else if (!trip.idle && timeMs - trip.movedMs >= MOTION_PAUSE_MS) trip.idle = idleFrom(measured, trip.movedMs)
  } else if (isLeftOpen(trip, now))
    trip.pause = { rule: 'no motion', sinceMs: before.endMs, measured: before, isSettled: true }
  else if (word?.of === 'ignition') trip.pause ??= pauseAt(measured, 'ignition off', timeMs)
  else if (word && !trip.pause && !now.isAwake && !now.isHybrid && !hasLeftUnseen(now))
    trip.pause = pauseAt(measured, 'engine off', timeMs)
  else if (trip.pause?.rule !== 'engine off' || hasLeft(now)) trip.pause = standstill(trip, before, now)
  return undefined
}

/** The same, after an interval in which it may also have stood for a while. */
function hasLeftUnseen(now: Circumstances): boolean {
  return hasLeft(now) && now.lastMs !== undefined && now.timeMs - now.lastMs > SAME_MOMENT_MS
}

/** If motion could not be observed for minutes, its absence is no evidence. */
function noteMotion(trip: OpenTrip, now: Circumstances): void {
  const { timeMs, departure, progress } = now
  if (now.canTell) trip.toldMs = timeMs
  if (now.motion === 'moving' || hasLeft(now) || timeMs - trip.toldMs >= DATA_GAP_MS) {
    const hasArrived = now.motion !== 'moving' && hasLeft(now)
    trip.movedMs = hasArrived ? Math.max(trip.movedMs, arrivedMsIn(now) ?? timeMs) : timeMs
    trip.idle = undefined
  }
  if ((departure || progress) && !now.tellsSpeed) trip.holdsUntilMs = timeMs + DISPLACEMENT_HOLDS_MS
}

/** A pause without motion: from the last motion to the first reading of standstill. */
function standstill({ pause, measured, movedMs }: OpenTrip, before: Measured, now: Circumstances): Pause {
  const { timeMs, motion } = now
  // An odometer that is reported rarely may have counted on long before the last motion.
  // The car did not arrive before a reading whose speed showed motion, however close the fix before was.
  const wasToldMoving = measured.speed.kmh !== undefined && movedMs < timeMs
  const leastMs = now.progress || wasToldMoving ? movedMs : 0
  if (hasLeft(now)) {
    const arrivedMs = arrivedMsIn(now) ?? timeMs
    return pauseSince(measured, arrivedMs >= leastMs ? arrivedMs : lastStretchMs(now, movedMs), timeMs)
  }
  if (pause?.isSettled) return isConfirmed(now) ? pause : lastedUntil(pause, measured, now)
  // The engine of a hybrid that runs while the car stands is no drive.
  const droveMs =
    now.isHybrid && now.canTell ? Math.min(before.endMs, Math.max(movedMs, measured.startMs)) : before.endMs
  const sinceMs = pause?.sinceMs ?? droveMs
  if (motion === 'standing') {
    const arrivedMs = arrivedMsIn(now)
    const seenMs = now.isStill && now.stay ? Math.max(sinceMs, now.stay.sinceMs) : timeMs
    // Fixes show best when the car arrived, unless a speed is reported all the time.
    if (arrivedMs !== undefined && (!now.tellsSpeed || timeMs - sinceMs > SAME_MOMENT_MS))
      return pauseSince(measured, now.tellsSpeed ? Math.max(sinceMs, arrivedMs) : arrivedMs, pause?.sinceMs ?? seenMs)
    const sinceMotionMs = timeMs - sinceMs
    if (sinceMotionMs <= SAME_MOMENT_MS)
      return { rule: 'no motion', sinceMs, measured: copyOfMeasured(measured), isSettled: true }
    // It stopped somewhere between the two readings.
    if (sinceMotionMs <= Math.min(STANDSTILL_READING_MS, 2 * Math.max(now.cadenceMs ?? Infinity, SAME_MOMENT_MS)))
      return pauseSince(measured, sinceMs + sinceMotionMs / 2, pause?.sinceMs ?? timeMs)
  }
  if (pause) return pause
  // Only fixes showed motion, and they show when the car arrived.
  const { stay, place } = now
  const tellsArrival =
    stay && place?.lastMs === before.endMs && movedMs <= stay.sinceMs && stay.arrivedMs < before.endMs
  if (before.speed.kmh === undefined && tellsArrival) return pauseSince(before, stay.arrivedMs, stay.sinceMs)
  return { rule: 'no motion', sinceMs, measured: before, isSettled: false }
}

/** A car that moved at one reading and stands at the next one arrived somewhere between the two, if its way shows no more. */
function lastStretchMs({ timeMs, lastMs, motion, cadenceMs = 0 }: Circumstances, movedMs: number): number {
  if (motion !== 'standing' || lastMs !== movedMs) return movedMs
  return movedMs + Math.min(timeMs - movedMs, cadenceMs) / 2
}

/** Whether the place where the car seemed to stop is reported again, or anything else shows where the car is. */
function isConfirmed({ stay, place, position, progress }: Circumstances): boolean {
  if (position !== undefined || progress !== undefined || stay === undefined) return true
  return stay.count > 1 || (stay.outside !== undefined && place !== undefined && place.lastMs > stay.outsideMs)
}

/** A single fix does not show for how long the car stood there: it may wait at the last traffic lights before a garage. */
function lastedUntil(pause: Pause, measured: Measured, { place }: Circumstances): Pause {
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

/** A car that never moved after the ignition was switched on did not drive, whatever indicated motion at that moment. */
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
