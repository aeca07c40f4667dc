import { setTimeout as sleep } from 'node:timers/promises'
import { Answers } from './answers.ts'
import type { Attack } from './attack.ts'
import { uploadEvents } from './upload-events.ts'

const EVENTS = 6000
const REQUESTS = { small: 10, full: 100 }
const PAUSE_MS = { small: 10, full: 100 }

/** Sends more than an account may, and continues when it is told to wait. */
export const overQuota: Attack = {
  name: 'over-quota',
  clause: 'events a minute of an account',
  what: 'One account sends on although it is over its quota of events a minute.',
  environment: { ACCOUNT_EVENTS_PER_MINUTE: '5000' },
  async run(doors, size, signal) {
    const answers = new Answers()
    const beginMs = Date.now() - 3_600_000 * 24
    for (let request = 0; request < REQUESTS[size] && !signal.aborted; request++) {
      const events = Array.from({ length: EVENTS }, (_, index) => ({
        deviceId: Number(doors.attacker.imeis[0]),
        recordedTimestamp: new Date(beginMs + (request * EVENTS + index) * 10).toISOString(),
        eventType: 'GPS_SPEED',
        value: 50,
      }))
      const reply = await uploadEvents(doors, events, signal)
      answers.add(reply, [200, 429])
      if (reply?.status === 429 && !(Number(reply.headers['retry-after']) > 0))
        throw new Error('a refusal does not say when to come back')
      await sleep(PAUSE_MS[size])
    }
    // One of them fits into what is allowed, and what runs off meanwhile lets hardly another one through.
    if (answers.countOf(200) > 3) throw new Error(`the quota held nobody up: ${answers.text}`)
    return answers.text
  },
}
