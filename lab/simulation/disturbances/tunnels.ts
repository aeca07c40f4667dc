import {
  change,
  type Disturbance,
  isWithin,
  type Occurrence,
  replaced,
  SATELLITE_TYPES,
  stretchesOfDrives,
  without,
} from './disturbance.ts'
import { positionOf } from './gps-noise.ts'

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
