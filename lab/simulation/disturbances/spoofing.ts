import { diceOf } from '../dice.ts'
import { moved, wayTowards } from '../ground.ts'
import { changePositionsWithin, type Disturbance, type Occurrence, replaced, stretchesOfDrives } from './disturbance.ts'
import { positionOf } from './gps-noise.ts'

const NEAREST_M = 15_000
const FARTHEST_M = 40_000

/** Somebody spoofs the satellites: for a while all fixes are elsewhere, and move there as the car does here. */
export function spoofing(occurrence: Occurrence): Disturbance {
  return (recording, seed) => {
    const stretches = stretchesOfDrives(recording, occurrence, seed).map((stretch, i) => {
      const dice = diceOf(seed, i, 55)
      return { ...stretch, way: wayTowards(dice.between(0, 360), dice.between(NEAREST_M, FARTHEST_M)) }
    })
    return changePositionsWithin(recording, stretches, (reading, { way }) => {
      const position = positionOf(reading)
      return position ? replaced(reading, { POSITION: moved(position, way) }) : reading
    })
  }
}
