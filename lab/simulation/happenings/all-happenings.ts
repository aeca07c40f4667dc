import { type Disturbance, isWithin, type Occurrence, stretchesOfDrives } from '../disturbances/disturbance.ts'
import { towing } from '../disturbances/towing.ts'
import { awakeWhileParked, stretchesOfStays } from '../disturbances/while-parked.ts'
import { sensesIgnition } from '../dongle.ts'
import { withHappened, withValue } from './happening.ts'

/*
 * What fleets want to be told, and what does not follow from how cars are driven. Each changes the readings as the event would, and
 * tells the truth about it.
 */

const MINUTE_MS = 60_000

/** Somebody waits in a parked car with its engine running. */
function engineLeftRunning(occurrence: Occurrence): Disturbance {
  const running = {
    IS_IGNITION_ON: true,
    ENGINE_STATE: true,
    ENGINE_RPM_AVERAGE: 820,
    VEHICLE_SPEED_AVERAGE: 0,
    VEHICLE_SPEED_MAX: 0,
    VEHICLE_SPEED_MIN: 0,
    BATTERY_VOLTAGE: 14.1,
  }
  const awake = awakeWhileParked(
    occurrence,
    () => true,
    () => () => running,
  )
  return (recording, seed) =>
    recording.truth.stints.every(({ schedule }) => sensesIgnition(recording.dongle, schedule.car))
      ? withHappened(awake(recording, seed), 'IDLING', stretchesOfStays(recording, occurrence, seed))
      : recording
}

const BOILING_C = 123

/** The engine gets too hot on the way. */
function overheating(occurrence: Occurrence): Disturbance {
  return (recording, seed) => {
    const spans = stretchesOfDrives(recording, occurrence, seed)
    const readings = recording.readings.map(reading =>
      isWithin(spans, reading.timeMs) && reading.events.has('ENGINE_COOLANT_TEMPERATURE')
        ? withValue(recording, reading, 'ENGINE_COOLANT_TEMPERATURE', BOILING_C)
        : reading,
    )
    return withHappened({ ...recording, readings }, 'ENGINE_HOT', spans)
  }
}

/** The dongle feels something in one record of a drive. */
function felt(
  kind: 'CRASH' | 'HARSH_BRAKING',
  type: 'SEVERE_CRASH' | 'HARSH_BRAKING',
  mps2: number,
  share: number,
): Disturbance {
  return (recording, seed) => {
    const spans = stretchesOfDrives(recording, { share, leastMs: MINUTE_MS, mostMs: MINUTE_MS }, seed)
    const hit = spans.flatMap(span => recording.readings.find(({ timeMs }) => isWithin([span], timeMs)) ?? [])
    const readings = recording.readings.map(reading =>
      hit.includes(reading) ? withValue(recording, reading, type, mps2) : reading,
    )
    const moments = hit.map(({ timeMs }) => ({ fromMs: timeMs, toMs: timeMs }))
    return withHappened({ ...recording, readings }, kind, moments)
  }
}

/** Everything. @param rate 1: far more often than in reality; 0.1: a tenth of that */
export function happenings(rate: number): readonly Disturbance[] {
  return [
    engineLeftRunning({ share: 0.25 * rate, leastMs: 8 * MINUTE_MS, mostMs: 40 * MINUTE_MS }),
    overheating({ share: 0.25 * rate, leastMs: 3 * MINUTE_MS, mostMs: 8 * MINUTE_MS }),
    felt('CRASH', 'SEVERE_CRASH', 47.5, 0.1 * rate),
    felt('HARSH_BRAKING', 'HARSH_BRAKING', 5.2, 0.3 * rate),
    towing({ share: 0.25 * rate }),
  ]
}
