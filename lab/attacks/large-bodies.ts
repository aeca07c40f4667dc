import { setTimeout as sleep } from 'node:timers/promises'
import { Answers } from './answers.ts'
import type { Attack } from './attack.ts'
import { uploadEvents } from './upload-events.ts'

const EVENTS = { small: 10_000, full: 100_000 }
const BODIES = { small: 2, full: Number.POSITIVE_INFINITY }
const CONNECTIONS = 3
const PAUSE_MS = 200

/** As much as one account can upload at once, one body after the other, all new. */
export const largeBodies: Attack = {
  name: 'large-bodies',
  clause: 'turns of accounts in the intake',
  what: 'One account uploads bodies of 100,000 events over three connections.',
  async run(doors, size, signal) {
    const answers = new Answers()
    let secondMs = Date.now() - 20 * 24 * 3_600_000
    const client = async (imei: string) => {
      for (let sent = 0; sent < BODIES[size] && !signal.aborted; sent++) {
        const events: string[] = []
        for (let count = 0; count < EVENTS[size]; count++)
          events.push(
            `{"deviceId":${imei},"recordedTimestamp":"${new Date((secondMs += 1)).toISOString()}","eventType":"GPS_SPEED","value":50}`,
          )
        const reply = await uploadEvents(doors, `[${events.join()}]`, signal)
        answers.add(reply, [200, 429, 503])
        if (reply && reply.status !== 200) await sleep(PAUSE_MS)
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => client(doors.attacker.imeis[index] ?? '')))
    return answers.text
  },
}
