import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from './attack.ts'
import { openStreams } from './attacker-streams.ts'

const STREAMS = { small: 40, full: 400 }
const EVENTS = { small: 500, full: 2_000 }
const EVENTS_A_BODY = 100
/** It is not the sending that attacks. */
const PAUSE_MS = 100
/** A text as long as it may be: some megabytes in all. */
const TEXT = 'x'.repeat(3_900)

/** Live streams that have everything to catch up with, for clients that take nothing. */
export const slowStreams: Attack = {
  name: 'slow-streams',
  clause: 'memory of streams by account',
  what: 'One tenant opens hundreds of live streams that resume from long ago, and reads nothing of them.',
  async run(doors, size, signal) {
    const { api, attacker } = doors
    for (let sent = 0; sent < EVENTS[size] && !signal.aborted; sent += EVENTS_A_BODY) {
      const events = Array.from({ length: EVENTS_A_BODY }, (_, index) => ({
        deviceId: Number(attacker.imeis[0]),
        recordedTimestamp: new Date(Date.now() - (sent + index + 1) * 1000).toISOString(),
        eventType: 'NETWORK_CELL_INFO',
        value: TEXT,
      }))
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify(events)
      const { status } = await api.send({ path: '/ingest/events', method: 'POST', token: attacker.key, headers, body })
      if (![200, 429, 503].includes(status)) throw new Error(`its events were answered ${status}`)
      await sleep(PAUSE_MS)
    }
    const queryOf = (index: number) => `eventTypes=NETWORK_CELL_INFO,TYPE_${index}&lastEventId=2000-01-01`
    const opened = await openStreams(doors, { count: STREAMS[size], queryOf, takes: false }, signal)
    while (!signal.aborted) await sleep(50)
    const open = opened.open()
    opened.close()
    return `answered ${[...opened.statuses].map(([status, count]) => `${status} ${count} times`).join(', ')}; ${open} open at the end`
  },
}
