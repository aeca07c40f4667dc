import type { Position } from '../../../src/model/sample.ts'
import { chance } from '../chance.ts'
import { moved, type Way } from '../ground.ts'
import type { Reading } from '../readings.ts'
import { change, type Disturbance, replaced } from './disturbance.ts'

/** Errors of satellite positions change slowly, because the signals go through the same air for a while. */
const CHANGES_EVERY_MS = 60_000

/** An error of up to about `metres` that wanders with time; the same seed and time give the same one. */
export function wanderingError(metres: number, timeMs: number, seed: number): Way {
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
