import { setTimeout as sleep } from 'node:timers/promises'
import { Answers } from './answers.ts'
import type { Attack, AttackSize, Tenant } from './attack.ts'
import { openStreams } from './attacker-streams.ts'
import { type AttackEvent, uploadEvents } from './upload-events.ts'

/** How often its own cars report something, so that every stream has work. */
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
      opened.answers.expectOnly([200, 429, 503])
      const reports = new Answers()
      while (!signal.aborted) {
        reports.add(await uploadEvents(doors, speedsNow(doors.attacker), signal), [200, 429, 503])
        await sleep(EVERY_MS)
      }
      const open = opened.open()
      opened.close()
      return `${opened.answers.text}; ${open} open at the end`
    },
  }
}

function speedsNow({ imeis }: Tenant): AttackEvent[] {
  const recordedTimestamp = new Date().toISOString()
  return imeis.map(imei => ({ deviceId: Number(imei), recordedTimestamp, eventType: 'GPS_SPEED', value: 50 }))
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
