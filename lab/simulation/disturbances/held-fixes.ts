import { changePositionsWithin, type Disturbance, type Occurrence, replaced, stretchesOfDrives } from './disturbance.ts'
import { positionOf } from './gps-noise.ts'

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
