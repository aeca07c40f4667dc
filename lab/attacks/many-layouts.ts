import { EVENT_TYPES } from '../../src/catalogue/event-types.ts'
import { Answers } from './answers.ts'
import type { Attack } from './attack.ts'
import { type AttackEvent, uploadEvents } from './upload-events.ts'

const NUMBERS = EVENT_TYPES.filter(({ dataType, name }) => dataType === 'NUMBER' && name !== 'MILEAGE').map(
  ({ name }) => name,
)
const SAMPLES = { small: 800, full: 20_000 }
const REQUESTS = { small: 2, full: 6 }
const TYPES_OF_SAMPLE = 5

/** Samples of which no two measure the same things. */
export const manyLayouts: Attack = {
  name: 'many-layouts',
  clause: 'number of layouts of samples',
  what: 'One account sends samples of which each measures other things, 20,000 in a request.',
  async run(doors, size, signal) {
    const answers = new Answers()
    const deviceId = Number(doors.attacker.imeis[0])
    const beginMs = Date.now() - 3_600_000 * 24
    let sample = 0
    for (let request = 0; request < REQUESTS[size] && !signal.aborted; request++) {
      const events: AttackEvent[] = []
      for (let count = 0; count < SAMPLES[size]; count++) {
        const recordedTimestamp = new Date(beginMs + sample * 100).toISOString()
        for (const eventType of typesOf(sample++)) events.push({ deviceId, recordedTimestamp, eventType, value: 1 })
      }
      answers.add(await uploadEvents(doors, events, signal), [200])
    }
    return `${sample} samples, ${answers.text}`
  },
}

/** Others for each number. */
function typesOf(number: number): ReadonlySet<string> {
  const types = new Set<string>()
  for (let left = number, index = 0; index < TYPES_OF_SAMPLE; index++) {
    types.add(NUMBERS[(left + index * 7) % NUMBERS.length] ?? '')
    left = Math.floor(left / NUMBERS.length) + index
  }
  return types
}
