import { chance } from '../chance.ts'
import { moved, wayTowards } from '../ground.ts'
import {
  change,
  changePositionsWithin,
  type Disturbance,
  type Occurrence,
  replaced,
  stretchesOfDrives,
} from './disturbance.ts'
import { positionOf } from './gps-noise.ts'

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
