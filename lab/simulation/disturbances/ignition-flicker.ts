import type { Reading } from '../dongle.ts'
import { type Disturbance, type Occurrence, stretchesOfDrives } from './disturbance.ts'

/** The ignition seems to go off and on again in the middle of a drive: a bad contact, or the engine was stalled. */
export function ignitionFlicker(occurrence: Occurrence): Disturbance {
  return (recording, seed) => {
    const told = (['IS_IGNITION_ON', 'ENGINE_STATE'] as const).filter(type => !recording.dongle.silentAbout.has(type))
    if (told.length === 0) return recording
    const flickers = stretchesOfDrives(recording, occurrence, seed).flatMap(({ trip, fromMs, toMs }): Reading[] => {
      const at = (timeMs: number, isOn: boolean) => ({
        timeMs,
        takenMs: timeMs,
        drive: trip.drive,
        events: new Map(told.map(type => [type, isOn])),
      })
      return [at(fromMs, false), at(toMs, true)]
    })
    return { ...recording, readings: [...recording.readings, ...flickers].sort((a, b) => a.timeMs - b.timeMs) }
  }
}
