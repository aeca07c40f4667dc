import type { Position } from '../../../src/model/sample.ts'
import { chance, diceOf } from '../chance.ts'
import { moved, type Way, wayTowards } from '../ground.ts'
import type { Reading } from '../readings.ts'
import type { Recording } from '../recording.ts'
import {
  change,
  changePositionsWithin,
  type Disturbance,
  isWithin,
  type Occurrence,
  replaced,
  SATELLITE_TYPES,
  stretchesOfDrives,
  without,
} from './disturbance.ts'

/** A receiver in a standing car reports creeping. */
const FASTEST_KMH = 4

/** While the car is parked, between walls, its position wanders by up to `metres`. */
export function driftWhileParked({ metres }: { readonly metres: number }): Disturbance {
  return (recording, seed) =>
    change(
      recording,
      reading => reading.drive === undefined && reading.events.has('POSITION'),
      reading => {
        const position = positionOf(reading)
        if (!position) return reading
        return replaced(reading, {
          POSITION: moved(position, wanderingError(metres, reading.timeMs, seed)),
          GPS_SPEED: Math.round(chance(seed, reading.timeMs) * FASTEST_KMH * 10) / 10,
        })
      },
    )
}

interface FalsePositions {
  /** Of all positions. */
  readonly share: number
}

/** A receiver without a fix that says 0,0. */
export function zeroFixes({ share }: FalsePositions): Disturbance {
  return (recording, seed) =>
    change(
      recording,
      ({ timeMs, events }) => events.has('POSITION') && chance(seed, timeMs, 51) < share,
      reading => replaced(reading, { POSITION: { lon: 0, lat: 0 } }),
    )
}

/** For a while one of the two numbers of a position is 0 and the other one right: sometimes latitude, sometimes longitude. */
export function halfZeroFixes(occurrence: Occurrence): Disturbance {
  return (recording, seed) => {
    const stretches = stretchesOfDrives(recording, occurrence, seed)
    return changePositionsWithin(recording, stretches, (reading, { fromMs }) => {
      const position = positionOf(reading)
      if (!position) return reading
      const isLat = chance(seed, fromMs, 56) < 0.5
      return replaced(reading, { POSITION: isLat ? { ...position, lat: 0 } : { ...position, lon: 0 } })
    })
  }
}

const NEAREST_M = 3000
const FARTHEST_M = 400_000

/** Single positions that are kilometres off. */
export function teleports({ share }: FalsePositions): Disturbance {
  return (recording, seed) =>
    change(
      recording,
      ({ timeMs, events }) => events.has('POSITION') && chance(seed, timeMs, 52) < share,
      reading => {
        const position = positionOf(reading)
        if (!position) return reading
        const courseDeg = chance(seed, reading.timeMs, 53) * 360
        const lengthM = NEAREST_M + (FARTHEST_M - NEAREST_M) * chance(seed, reading.timeMs, 54) ** 2
        return replaced(reading, { POSITION: moved(position, wayTowards(courseDeg, lengthM)) })
      },
    )
}

/** At the start of a drive, the receiver still has a wrong fix. The share is of all drives. */
function falseFirstFixes(
  { share, leastMs, mostMs }: Occurrence,
  placeFor: (start: Position, seed: number) => Position,
): Disturbance {
  return (recording: Recording, seed) => {
    const begins = recording.truth.trips.flatMap(({ drive, startPosition }, i) => {
      const dice = diceOf(seed, i, 43)
      if (!dice.happens(share)) return []
      const toMs = drive.startMs + dice.between(leastMs, mostMs)
      return [{ fromMs: drive.startMs, toMs, place: placeFor(startPosition, seed * 100 + i) }]
    })
    return changePositionsWithin(recording, begins, (reading, { place }) =>
      replaced(reading, { POSITION: place, GPS_SPEED: 0 }),
    )
  }
}

const FIRST_FIXES_NEAREST_M = 20_000
const FIRST_FIXES_FARTHEST_M = 80_000

/** The car was carried, by a ferry or a train: at first its receiver repeats the fix from before. */
export function oldFirstFixes(occurrence: Occurrence): Disturbance {
  return falseFirstFixes(occurrence, (start, seed) => {
    const dice = diceOf(seed, 44)
    return moved(start, wayTowards(dice.between(0, 360), dice.between(FIRST_FIXES_NEAREST_M, FIRST_FIXES_FARTHEST_M)))
  })
}

/** Where the receivers are made; some say that they are there until they know better. */
const FACTORY: Position = { lon: 114.057865, lat: 22.543096 }

/** Until its first fix the receiver tells the position with which it left the factory. */
export function factoryFixes(occurrence: Occurrence): Disturbance {
  return falseFirstFixes(occurrence, () => FACTORY)
}

/** Errors of satellite positions change slowly, because the signals go through the same air for a while. */
const CHANGES_EVERY_MS = 60_000

/** An error of up to about `metres` that wanders with time; the same seed and time give the same one. */
function wanderingError(metres: number, timeMs: number, seed: number): Way {
  const step = Math.floor(timeMs / CHANGES_EVERY_MS)
  const share = timeMs / CHANGES_EVERY_MS - step
  const along = (axis: number) => {
    const [from, to] = [chance(seed, step, axis), chance(seed, step + 1, axis)]
    return (from + (to - from) * share - 0.5) * 2 * metres
  }
  return { eastM: along(1), northM: along(2) }
}

/** Where the receiver believes to be; undefined when the reading does not say. */
export function positionOf({ events }: Reading): Position | undefined {
  const position = events.get('POSITION')
  return typeof position === 'object' ? position : undefined
}

/** Every position is off by up to `metres`. */
export function gpsNoise({ metres }: { readonly metres: number }): Disturbance {
  return (recording, seed) =>
    change(
      recording,
      ({ events }) => events.has('POSITION'),
      reading => {
        const position = positionOf(reading)
        if (!position) return reading
        return replaced(reading, { POSITION: moved(position, wanderingError(metres, reading.timeMs, seed)) })
      },
    )
}

/** The receiver holds a position for a while, though it goes on telling how fast the car is. */
export function heldFixes(occurrence: Occurrence): Disturbance {
  return (recording, seed) => {
    const held = stretchesOfDrives(recording, occurrence, seed).map(stretch => ({
      ...stretch,
      position: recording.readings
        .findLast(reading => reading.timeMs < stretch.fromMs && positionOf(reading))
        ?.events.get('POSITION'),
    }))
    return changePositionsWithin(recording, held, (reading, { position }) =>
      position === undefined ? reading : replaced(reading, { POSITION: position }),
    )
  }
}

const SPOOFING_NEAREST_M = 15_000
const SPOOFING_FARTHEST_M = 40_000

/** Somebody spoofs the satellites: for a while all fixes are elsewhere, and move there as the car does here. */
export function spoofing(occurrence: Occurrence): Disturbance {
  return (recording, seed) => {
    const stretches = stretchesOfDrives(recording, occurrence, seed).map((stretch, i) => {
      const dice = diceOf(seed, i, 55)
      return {
        ...stretch,
        way: wayTowards(dice.between(0, 360), dice.between(SPOOFING_NEAREST_M, SPOOFING_FARTHEST_M)),
      }
    })
    return changePositionsWithin(recording, stretches, (reading, { way }) => {
      const position = positionOf(reading)
      return position ? replaced(reading, { POSITION: moved(position, way) }) : reading
    })
  }
}

/** In a tunnel some receivers tell no position, others the last one again and again. */
export function tunnels(occurrence: Occurrence & { readonly shows: 'nothing' | 'the last fix' }): Disturbance {
  return (recording, seed) => {
    const stretches = stretchesOfDrives(recording, occurrence, seed)
    const lastFixes = stretches.map(({ fromMs }) =>
      recording.readings.findLast(reading => reading.timeMs < fromMs && positionOf(reading)),
    )
    return change(
      recording,
      ({ timeMs }) => isWithin(stretches, timeMs),
      reading => {
        const fix = lastFixes[stretches.findIndex(stretch => isWithin([stretch], reading.timeMs))]
        if (occurrence.shows === 'nothing' || !fix) return without(reading, SATELLITE_TYPES)
        return replaced(reading, Object.fromEntries([...fix.events].filter(([type]) => SATELLITE_TYPES.includes(type))))
      },
    )
  }
}
