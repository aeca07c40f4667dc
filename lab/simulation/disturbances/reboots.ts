import type { EventTypeName } from '../../../src/catalogue/event-types.ts'
import type { EventValue } from '../../../src/model/sample.ts'
import type { Reading } from '../dongle.ts'
import { type Disturbance, isWithin, type Occurrence, stretchesOfDrives } from './disturbance.ts'
import { withoutFixes } from './hidden-ends.ts'

/** What a dongle tells again after it has started, whether it has changed or not. */
const TOLD_AGAIN = ['IS_IGNITION_ON', 'ENGINE_STATE', 'IS_DONGLE_PLUGGED_IN', 'VIN', 'FIRMWARE_VERSION']

interface Reboots extends Occurrence {
  /** How long the receiver has no fix afterwards; 0 by default. */
  readonly fixAfterMs?: number
}

/** The dongle starts again in the middle of a drive: it records nothing for a while, and then repeats its states. */
export function reboots(occurrence: Reboots): Disturbance {
  return (recording, seed) => {
    const gaps = stretchesOfDrives(recording, occurrence, seed)
    const blind = gaps.map(({ toMs }) => ({ fromMs: toMs, toMs: toMs + (occurrence.fixAfterMs ?? 0) }))
    const states = new Map<EventTypeName, EventValue>()
    const readings: Reading[] = []
    let wasInGap = false
    for (const reading of recording.readings) {
      const isInGap = isWithin(gaps, reading.timeMs)
      for (const [type, value] of reading.events) if (TOLD_AGAIN.includes(type)) states.set(type, value)
      if (!isInGap) readings.push(wasInGap ? { ...reading, events: new Map([...states, ...reading.events]) } : reading)
      wasInGap = isInGap
    }
    return withoutFixes({ ...recording, readings }, blind)
  }
}
