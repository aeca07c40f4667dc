import type { EventValue } from '../../intake/sample.ts'
import type { Reading } from '../readings.ts'
import { type Disturbance, isWithin, type Occurrence, stretchesOfDrives } from './disturbance.ts'

/** What a dongle tells again after it has started, whether it has changed or not. */
const TOLD_AGAIN = ['IS_IGNITION_ON', 'ENGINE_STATE', 'IS_DONGLE_PLUGGED_IN', 'VIN', 'FIRMWARE_VERSION']

/** The dongle starts anew in the middle of a drive: it records nothing for a while, and then repeats its states. */
export function reboots(occurrence: Occurrence): Disturbance {
  return (recording, seed) => {
    const gaps = stretchesOfDrives(recording, occurrence, seed)
    const states = new Map<string, EventValue>()
    const readings: Reading[] = []
    let wasInGap = false
    for (const reading of recording.readings) {
      const isInGap = isWithin(gaps, reading.timeMs)
      for (const [type, value] of reading.events) if (TOLD_AGAIN.includes(type)) states.set(type, value)
      if (!isInGap) readings.push(wasInGap ? { ...reading, events: new Map([...states, ...reading.events]) } : reading)
      wasInGap = isInGap
    }
    return { ...recording, readings }
  }
}
