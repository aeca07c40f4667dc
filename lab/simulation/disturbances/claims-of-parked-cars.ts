import type { EventValue } from '../../../src/model/sample.ts'
import { chance } from '../chance.ts'
import { diceOf } from '../dice.ts'
import { moved, wayTowards } from '../ground.ts'
import type { Recording } from '../recording.ts'
import type { Disturbance, Occurrence } from './disturbance.ts'
import { positionOf } from './gps-noise.ts'
import { awakeWhileParked, parkedReading, stretchesOfStays, withReadings } from './while-parked.ts'

/** The last place that the receiver told before an instant, as a value that it repeats. */
function lastFix({ readings }: Recording, timeMs: number): Readonly<Record<string, EventValue>> {
  const position = readings.findLast(reading => reading.timeMs < timeMs && positionOf(reading))?.events.get('POSITION')
  return position === undefined ? {} : { POSITION: position, GPS_SPEED: 0 }
}

const LOWEST_KMH = 8
const HIGHEST_KMH = 90

/** A control unit repeats its last speed while the car is parked, ignition on; the receiver repeats its fix. */
export function stuckSpeed(occurrence: Occurrence): Disturbance {
  return awakeWhileParked(
    occurrence,
    // Without fix and odometer, it can not be told from a drive.
    silent => !silent.has('VEHICLE_SPEED_AVERAGE') && !(silent.has('POSITION') && silent.has('MILEAGE')),
    (recording, { fromMs }, seed) => {
      const speedKmh = diceOf(seed, fromMs / 1000).whole(LOWEST_KMH, HIGHEST_KMH)
      const claims = {
        ...lastFix(recording, fromMs),
        IS_IGNITION_ON: true,
        VEHICLE_SPEED_AVERAGE: speedKmh,
        VEHICLE_SPEED_MAX: speedKmh,
        VEHICLE_SPEED_MIN: speedKmh,
      }
      return () => claims
    },
  )
}

/** The ignition is on for hours: the car is charged, or somebody waits in it. */
export function ignitionWhileCharging(occurrence: Occurrence): Disturbance {
  return awakeWhileParked(
    occurrence,
    silent => !silent.has('IS_IGNITION_ON'),
    () => () => ({ IS_IGNITION_ON: true, VEHICLE_SPEED_AVERAGE: 0, VEHICLE_SPEED_MAX: 0, VEHICLE_SPEED_MIN: 0 }),
  )
}

/** Traffic shakes the parked car: the dongle detects motion for hours, although neither speed nor fix change. */
export function vibration(occurrence: Occurrence): Disturbance {
  return awakeWhileParked(
    occurrence,
    silent => !silent.has('IS_MOVING'),
    (recording, { fromMs }) => {
      const claims = { ...lastFix(recording, fromMs), IS_MOVING: true }
      return () => claims
    },
  )
}

/** A receiver with a bad antenna: fixes anywhere within `metres` of the car, with matching speeds. */
export function jitterWhileParked(
  occurrence: Occurrence & { readonly metres: number; readonly fastestKmh: number },
): Disturbance {
  return awakeWhileParked(
    occurrence,
    silent => !silent.has('POSITION'),
    (recording, { fromMs }, seed) => {
      const place = positionOf(parkedReading(recording, fromMs, false, {}))
      return timeMs => {
        const away = chance(seed, timeMs / 1000, 1) * occurrence.metres
        return {
          ...(place && { POSITION: moved(place, wayTowards(chance(seed, timeMs / 1000, 2) * 360, away)) }),
          GPS_SPEED: Math.round(chance(seed, timeMs / 1000, 3) * occurrence.fastestKmh * 10) / 10,
        }
      }
    },
  )
}

/** The ignition, or the engine, is on for less than a minute, and nobody drives. */
export function ignitionTries(occurrence: Occurrence): Disturbance {
  return (recording, seed) => {
    const { silentAbout } = recording.dongle
    if (silentAbout.has('IS_IGNITION_ON') && silentAbout.has('ENGINE_STATE')) return recording
    const tries = stretchesOfStays(recording, occurrence, seed)
    return withReadings(
      recording,
      tries,
      tries.flatMap(({ fromMs, toMs }) => [
        parkedReading(recording, fromMs, true, { IS_IGNITION_ON: true, ENGINE_STATE: true }),
        parkedReading(recording, toMs, true, {}),
      ]),
    )
  }
}
