import { setTimeout as sleep } from 'node:timers/promises'
import { Answers } from './answers.ts'
import type { Attack } from './attack.ts'
import { openStreams } from './attacker-streams.ts'
import { uploadEvents } from './upload-events.ts'

const STREAMS = { small: 40, full: 400 }
const EVENTS = { small: 200, full: 2_000 }
const EVENTS_A_BODY = 100
/** Sending is not the attack. */
const PAUSE_MS = { small: 0, full: 100 }
/** A text as long as it may be: some megabytes in all. */
const TEXT = 'x'.repeat(3_900)

/** Live streams that have everything to catch up with, for clients that take nothing. */
export const slowStreams: Attack = {
  name: 'slow-streams',
  clause: 'memory of streams by account',
  what: 'One tenant opens hundreds of live streams that resume from long ago, and reads nothing of them.',
  async run(doors, size, signal) {
    const uploads = new Answers()
    for (let sent = 0; sent < EVENTS[size] && !signal.aborted; sent += EVENTS_A_BODY) {
      const events = Array.from({ length: EVENTS_A_BODY }, (_, index) => ({
        deviceId: Number(doors.attacker.imeis[0]),
        recordedTimestamp: new Date(Date.now() - (sent + index + 1) * 1000).toISOString(),
        eventType: 'NETWORK_CELL_INFO',
        value: TEXT,
      }))
      uploads.add(await uploadEvents(doors, events, signal), [200, 429, 503])
      await sleep(PAUSE_MS[size])
    }
    const queryOf = (index: number) => `eventTypes=NETWORK_CELL_INFO,TYPE_${index}&lastEventId=2000-01-01`
    const opened = await openStreams(doors, { count: STREAMS[size], queryOf, takes: false }, signal)
    while (!signal.aborted) await sleep(50)
    const open = opened.open()
    opened.close()
    return `${opened.answers.text}; ${open} open at the end`
  },
}
