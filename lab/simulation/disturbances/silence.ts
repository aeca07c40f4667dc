import { diceOf } from '../chance.ts'
import type { Reading } from '../dongle.ts'
import { pluggedIn, type Recording, type TrueTrip, trueTripOf } from '../recording.ts'
import { change, type Disturbance, isWithin, type Occurrence, type Stretch, stretchesOfDrives } from './disturbance.ts'

interface Silences {
  /** Of the drives. */
  readonly share: number
}

/** In the middle of a drive the dongle dies; it is there again when the car has been parked for a while. */
export function deaths({ share }: Silences): Disturbance {
  return (recording, seed) => silenced(recording, silencesFrom(recording, share, seed), () => [])
}

/** For a while in the middle of a drive the dongle records nothing, as in a tunnel in which it has no power; then it goes on. */
export function silentWhileDriving(occurrence: Occurrence): Disturbance {
  return (recording, seed) => {
    const stretches = stretchesOfDrives(recording, occurrence, seed)
    return change(
      recording,
      ({ timeMs }) => isWithin(stretches, timeMs),
      reading => ({ ...reading, events: new Map() }),
    )
  }
}

/** In the middle of a drive the dongle is pulled out, and plugged in again when the car has been parked for a while. */
export function unpluggedWhileDriving({ share }: Silences): Disturbance {
  return (recording, seed) =>
    silenced(recording, silencesFrom(recording, share, seed), ({ fromMs, toMs }) => [
      ...pluggedIn(recording.dongle, fromMs, false),
      ...pluggedIn(recording.dongle, toMs, true),
    ])
}

function silencesFrom(recording: Recording, share: number, seed: number): Stretch[] {
  return stretchesOfDrives(recording, { share, leastMs: 60_000, mostMs: 600_000 }, seed).map(({ trip, fromMs }, i) => {
    const next = recording.truth.trips[recording.truth.trips.indexOf(trip) + 1]
    const parkedUntilMs = next?.startMs ?? trip.drive.endMs + 600_000
    const parkedShare = diceOf(seed, i, 71).between(0.3, 0.7)
    return { trip, fromMs, toMs: Math.round(trip.drive.endMs + (parkedUntilMs - trip.drive.endMs) * parkedShare) }
  })
}

/** The truth of a drive ends with the last thing that the dongle said of it. */
function silenced(
  { dongle, readings, truth }: Recording,
  silences: readonly Stretch[],
  lastWords: (silence: Stretch) => readonly Reading[],
): Recording {
  const heard = readings.filter(
    ({ timeMs }) => !silences.some(({ fromMs, toMs }) => fromMs <= timeMs && timeMs <= toMs),
  )
  const all = [...heard, ...silences.flatMap(lastWords)].sort((a, b) => a.timeMs - b.timeMs)
  const cut = (trip: TrueTrip): TrueTrip => {
    const silence = silences.find(item => item.trip === trip)
    if (!silence) return trip
    const last = all.findLast(({ timeMs }) => timeMs <= silence.fromMs)
    // A dongle that reports rarely may have sent nothing of the drive at all.
    return trueTripOf(trip.drive, trip.startMs, Math.max(trip.startMs, last?.timeMs ?? silence.fromMs))
  }
  return { dongle, readings: all, truth: { ...truth, trips: truth.trips.map(cut) } }
}
