import { diceOf } from '../chance.ts'
import type { Reading } from '../dongle.ts'
import type { Recording } from '../recording.ts'
import { change, type Disturbance, isWithin, type Occurrence, replaced } from './disturbance.ts'

interface FaultyOdometers {
  /** Of the recordings. */
  readonly share: number
}

const hasOdometer = ({ events }: Reading) => events.has('MILEAGE')
const kmOf = ({ events }: Reading) => Number(events.get('MILEAGE'))
const withKm = (reading: Reading, km: number) => replaced(reading, { MILEAGE: Math.round(km * 1000) / 1000 })

/** The odometer shows something else than it should, from an instant on. */
export function showing(
  recording: Recording,
  shownKm: (km: number, timeMs: number) => number,
  fromMs = Number.NEGATIVE_INFINITY,
): Recording {
  return change(
    recording,
    reading => hasOdometer(reading) && reading.timeMs >= fromMs,
    reading => withKm(reading, shownKm(kmOf(reading), reading.timeMs)),
  )
}

const YOUNGEST_KM = 10
const OLDEST_KM = 250_000

/** In the middle of a drive the instrument cluster is another one, with another count. */
export function clusterSwaps({ share }: FaultyOdometers): Disturbance {
  return (recording, seed) => {
    const swapMs = middleOfSomeDrive(recording, share, seed)
    const before = recording.readings.find(reading => hasOdometer(reading) && reading.timeMs >= swapMs)
    if (!before) return recording
    const byKm = diceOf(seed, 57).whole(YOUNGEST_KM, OLDEST_KM) - kmOf(before)
    return showing(recording, km => km + byKm, swapMs)
  }
}

export const KM_PER_MILE = 1.609344

/** From the middle of a drive on, the cluster counts miles: somebody has set it so. */
export function milesFromNowOn({ share }: FaultyOdometers): Disturbance {
  return (recording, seed) => {
    const switchMs = middleOfSomeDrive(recording, share, seed)
    return showing(recording, km => km / KM_PER_MILE, switchMs)
  }
}

interface FastOdometers extends FaultyOdometers {
  /** The share by which it counts too much. */
  readonly by: number
}

/** The odometer counts too much, as with tyres that are too small. */
export function fastOdometers({ share, by }: FastOdometers): Disturbance {
  return (recording, seed) => {
    const first = recording.readings.find(hasOdometer)
    if (!first || !diceOf(seed, 59).happens(share)) return recording
    return showing(recording, km => kmOf(first) + (km - kmOf(first)) * (1 + by))
  }
}

/** At the start of a drive the odometer is 0 until the car has answered. The share is of the drives. */
export function zeroOdometers({ share, leastMs, mostMs }: Occurrence): Disturbance {
  return (recording, seed) => {
    const begins = recording.truth.trips.flatMap(({ drive }, i) => {
      const dice = diceOf(seed, i, 60)
      return dice.happens(share) ? [{ fromMs: drive.startMs, toMs: drive.startMs + dice.between(leastMs, mostMs) }] : []
    })
    return change(
      recording,
      reading => hasOdometer(reading) && isWithin(begins, reading.timeMs),
      reading => withKm(reading, 0),
    )
  }
}

/** Infinity where it does not happen. */
function middleOfSomeDrive({ truth }: Recording, share: number, seed: number): number {
  const dice = diceOf(seed, 58)
  const trip = truth.trips[dice.whole(0, Math.max(0, truth.trips.length - 1))]
  if (!trip || !dice.happens(share)) return Number.POSITIVE_INFINITY
  return Math.round(trip.startMs + (trip.endMs - trip.startMs) * dice.between(0.3, 0.7))
}
