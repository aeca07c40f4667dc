import { setTimeout as sleep } from 'node:timers/promises'
import { Answers } from './answers.ts'
import type { Attack } from './attack.ts'
import { type AttackEvent, uploadEvents } from './upload-events.ts'

const WEEK_MS = 7 * 24 * 3_600_000
/** Of a week, in the small attack: every so many are sent. */
const STEP = { small: 10, full: 1 }
const READS = { small: 5, full: Number.POSITIVE_INFINITY }
/** Below the limit of requests. */
const PAUSE_MS = 140

/** A table for each week since 2000, if it were for the attacker; first for dongles that are not its own. */
export const anEventAWeek: Attack = {
  name: 'an-event-a-week',
  clause: 'number of tables',
  what: 'One account sends an event of each week since 2000, also for a dongle of another one, and goes on reading.',
  async run(doors, size, signal) {
    const { api, attacker, imeiOfSecondTenant } = doors
    const answers = new Answers()
    const eventsOf = (imei: string) => {
      const events: AttackEvent[] = []
      for (let timeMs = Date.UTC(2000, 0, 2); timeMs < Date.now(); timeMs += WEEK_MS * STEP[size])
        events.push({
          deviceId: Number(imei),
          recordedTimestamp: new Date(timeMs).toISOString(),
          eventType: 'GPS_SPEED',
          value: 50,
        })
      return events
    }
    answers.add(await uploadEvents(doors, eventsOf(imeiOfSecondTenant), signal), [400])
    answers.add(await uploadEvents(doors, eventsOf(attacker.imeis[0] ?? ''), signal), [200])
    for (let count = 0; count < READS[size] && !signal.aborted; count++) {
      const reply = await api.send({ path: `/cc/v2.0/events?deviceId=${attacker.imeis[0]}`, token: attacker.key })
      answers.add(reply, [200, 429])
      await sleep(PAUSE_MS)
    }
    return answers.text
  },
}
