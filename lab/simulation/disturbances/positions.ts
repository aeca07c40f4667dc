import type { Position } from '../../../src/model/sample.ts'
import { chance, diceOf } from '../chance.ts'
import { moved, type Way, wayTowards } from '../ground.ts'
import {
  beginsOfDrives,
  change,
  changePositions,
  changePositionsWithin,
  type Disturbance,
  isWithin,
  type Occurrence,
  positionOf,
  replaced,
  SATELLITE_TYPES,
  stretchesOfDrives,
  without,
} from './disturbance.ts'

const FASTEST_KMH = 4

export function driftWhileParked({ metres }: { readonly metres: number }): Disturbance {
  return (recording, seed) =>
    changePositions(
      recording,
      ({ drive }) => drive === undefined,
      (position, { timeMs }) => ({
        POSITION: moved(position, wanderingError(metres, timeMs, seed)),
        GPS_SPEED: Math.round(chance(seed, timeMs) * FASTEST_KMH * 10) / 10,
      }),
    )
}

/** A receiver without a fix that says 0,0. The share is of the positions. */
export function zeroFixes({ share }: Pick<Occurrence, 'share'>): Disturbance {
  return (recording, seed) =>
    changePositions(
      recording,
      ({ timeMs }) => chance(seed, timeMs, 51) < share,
      () => ({ POSITION: { lon: 0, lat: 0 } }),
    )
}

/** For a while one of the two numbers of a position is 0 and the other one right: sometimes latitude, sometimes longitude. */
export function halfZeroFixes(occurrence: Occurrence): Disturbance {
  return (recording, seed) =>
    changePositionsWithin(recording, stretchesOfDrives(recording, occurrence, seed), (position, { fromMs }) => {
      const isLat = chance(seed, fromMs, 56) < 0.5
      return { POSITION: isLat ? { ...position, lat: 0 } : { ...position, lon: 0 } }
    })
}

const TELEPORT_LEAST_M = 3000
const TELEPORT_MOST_M = 400_000

/** Single positions that are kilometres off. The share is of the positions. */
export function teleports({ share }: Pick<Occurrence, 'share'>): Disturbance {
  return (recording, seed) =>
    changePositions(
      recording,
      ({ timeMs }) => chance(seed, timeMs, 52) < share,
      (position, { timeMs }) => {
        const courseDeg = chance(seed, timeMs, 53) * 360
        const lengthM = TELEPORT_LEAST_M + (TELEPORT_MOST_M - TELEPORT_LEAST_M) * chance(seed, timeMs, 54) ** 2
        return { POSITION: moved(position, wayTowards(courseDeg, lengthM)) }
      },
    )
}

function falseFirstFixes(occurrence: Occurrence, placeFor: (start: Position, seed: number) => Position): Disturbance {
  return (recording, seed) => {
    const { trips } = recording.truth
    const begins = beginsOfDrives(recording, occurrence, seed, 43).map(begin => ({
      ...begin,
      place: placeFor(begin.trip.startPosition, seed * 100 + trips.indexOf(begin.trip)),
    }))
    return changePositionsWithin(recording, begins, (_, { place }) => ({ POSITION: place, GPS_SPEED: 0 }))
  }
}

const CARRIED_LEAST_M = 20_000
const CARRIED_MOST_M = 80_000

/** The car was carried, by a ferry or a train: at first its receiver repeats the fix from before. */
export function oldFirstFixes(occurrence: Occurrence): Disturbance {
  return falseFirstFixes(occurrence, (start, seed) => {
    const dice = diceOf(seed, 44)
    return moved(start, wayTowards(dice.between(0, 360), dice.between(CARRIED_LEAST_M, CARRIED_MOST_M)))
  })
}

const FACTORY: Position = { lon: 114.057865, lat: 22.543096 }

/** Until its first fix the receiver reports the position with which it left the factory. */
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

export function gpsNoise({ metres }: { readonly metres: number }): Disturbance {
  return (recording, seed) =>
    changePositions(
      recording,
      () => true,
      (position, { timeMs }) => ({ POSITION: moved(position, wanderingError(metres, timeMs, seed)) }),
    )
}

/** The receiver repeats a position for a while, though it goes on reporting how fast the car is. */
export function heldFixes(occurrence: Occurrence): Disturbance {
  return (recording, seed) => {
    const repeated = stretchesOfDrives(recording, occurrence, seed).map(stretch => {
      const last = recording.readings.findLast(reading => reading.timeMs < stretch.fromMs && positionOf(reading))
      return { ...stretch, position: last && positionOf(last) }
    })
    return changePositionsWithin(recording, repeated, (_, { position }) => position && { POSITION: position })
  }
}

const SPOOFED_LEAST_M = 15_000
const SPOOFED_MOST_M = 40_000

/** Somebody spoofs the satellites: for a while all fixes are elsewhere, and move there as the car does here. */
export function spoofing(occurrence: Occurrence): Disturbance {
  return (recording, seed) => {
    const stretches = stretchesOfDrives(recording, occurrence, seed).map((stretch, i) => {
      const dice = diceOf(seed, i, 55)
      return { ...stretch, way: wayTowards(dice.between(0, 360), dice.between(SPOOFED_LEAST_M, SPOOFED_MOST_M)) }
    })
    return changePositionsWithin(recording, stretches, (position, { way }) => ({ POSITION: moved(position, way) }))
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
