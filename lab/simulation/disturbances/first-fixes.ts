import type { Position } from '../../../src/model/sample.ts'
import { diceOf } from '../dice.ts'
import { moved, wayTowards } from '../ground.ts'
import type { Recording } from '../recording.ts'
import { changePositionsWithin, type Disturbance, type Occurrence, replaced } from './disturbance.ts'

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

const NEAREST_M = 20_000
const FARTHEST_M = 80_000

/** The car was carried, by a ferry or a train: at first its receiver repeats the fix from before. */
export function oldFirstFixes(occurrence: Occurrence): Disturbance {
  return falseFirstFixes(occurrence, (start, seed) => {
    const dice = diceOf(seed, 44)
    return moved(start, wayTowards(dice.between(0, 360), dice.between(NEAREST_M, FARTHEST_M)))
  })
}

/** Where the receivers are made; some say that they are there until they know better. */
const FACTORY: Position = { lon: 114.057865, lat: 22.543096 }

/** Until its first fix the receiver tells the position with which it left the factory. */
export function factoryFixes(occurrence: Occurrence): Disturbance {
  return falseFirstFixes(occurrence, () => FACTORY)
}
