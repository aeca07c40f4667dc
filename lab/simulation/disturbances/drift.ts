import { chance } from '../chance.ts'
import { moved } from '../ground.ts'
import { change, type Disturbance, replaced } from './disturbance.ts'
import { positionOf, wanderingError } from './gps-noise.ts'

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
