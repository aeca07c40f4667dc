import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack, AttackSize, Doors } from './attack.ts'
import { openStreams } from './attacker-streams.ts'

/** So often its own cars tell something new, so that every stream has to be looked after. */
const EVERY_MS = 200

/** Live streams that each ask for something else, so that none is read for another one. */
function manyStreams(name: string, what: string, streams: Readonly<Record<AttackSize, number>>): Attack {
  return {
    name,
    clause: 'streams by account',
    what,
    async run(doors, size, signal) {
      const queryOf = (index: number) => `eventTypes=GPS_SPEED&lastEventTypes=GPS_SPEED,MILEAGE&deviceId=${index + 1}`
      const opened = await openStreams(doors, { count: streams[size], queryOf, takes: true }, signal)
      const wrong = [...opened.statuses.keys()].filter(status => ![200, 429, 503].includes(status))
      if (wrong.length > 0) throw new Error(`answered ${wrong.join(', ')}`)
      while (!signal.aborted) {
        await reportOnce(doors)
        await sleep(EVERY_MS)
      }
      const open = opened.open()
      opened.close()
      return `answered ${[...opened.statuses].map(([status, count]) => `${status} ${count} times`).join(', ')}; ${open} open at the end`
    },
  }
}

async function reportOnce({ api, attacker }: Doors): Promise<void> {
  const recordedTimestamp = new Date().toISOString()
  const events = attacker.imeis.map(imei => ({
    deviceId: Number(imei),
    recordedTimestamp,
    eventType: 'GPS_SPEED',
    value: 50,
  }))
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify(events)
  await api.send({ path: '/ingest/events', method: 'POST', token: attacker.key, headers, body })
}

export const fourHundredStreams = manyStreams(
  'four-hundred-streams',
  'One tenant follows the live stream 400 times, each time something else, while its cars report.',
  { small: 60, full: 400 },
)

export const twoThousandStreams = manyStreams(
  'two-thousand-streams',
  'One tenant makes 40 keys and asks for 2,000 live streams, as many as a node has.',
  { small: 150, full: 2_000 },
)
