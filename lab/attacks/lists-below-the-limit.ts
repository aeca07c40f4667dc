import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Answers } from './answers.ts'
import type { Attack } from './attack.ts'
import { uploadEvents } from './upload-events.ts'

const WEEKS = { small: 100, full: 1_403 }
const WEEK_MS = 7 * 24 * 3_600_000
/** Of the attacker's own samples, so that lists have something to do. */
const EVENTS = { small: 5_000, full: 100_000 }
const EVENTS_A_BODY = 5_000
/** 7 in a second: well below what a key may ask for in a minute. In a moment there is room for one of each only if they come sooner. */
const EVERY_MS = { small: 25, full: 143 }

/** What costs the most and may be asked for. */
const LISTS = [
  'events?filterTimestamp=2000-01-01&maxResults=10000',
  'events?maxResults=10000',
  'events?fromTimestamp=2000-01-01&eventType=VIN&maxResults=10000',
  'trips?filterTimestamp=2000-01-01&maxResults=10000',
  'vehicles?filterTimestamp=2000-01-01',
  'aggregations?bin=VEHICLE&binSize=DAY&timeZone=Asia/Kathmandu',
]

/** Few requests, each of which reads as much as it can. */
export const listsBelowTheLimit: Attack = {
  name: 'lists-below-the-limit',
  clause: 'share of the database',
  what: 'One key has a sample in each week since 2000, asks for the longest lists seven times a second, and waits for no answer.',
  async run(doors, size, signal) {
    const { api, attacker } = doors
    const send = async (timesMs: readonly number[]) => {
      const events = timesMs.map((timeMs, index) => ({
        deviceId: Number(attacker.imeis[index % attacker.imeis.length]),
        recordedTimestamp: new Date(timeMs).toISOString(),
        eventType: 'GPS_SPEED',
        value: index % 100,
      }))
      new Answers().add(await uploadEvents(doors, events, signal), [200, 429, 503])
    }
    const nowMs = Date.now()
    await send(Array.from({ length: WEEKS[size] }, (_, week) => nowMs - week * WEEK_MS - 60_000))
    for (let sent = 0; sent < EVENTS[size] && !signal.aborted; sent += EVENTS_A_BODY)
      await send(Array.from({ length: EVENTS_A_BODY }, (_, index) => nowMs - (sent + index + 1) * 1000))
    setMaxListeners(0, signal)
    const answers = new Answers()
    const asked: Promise<void>[] = []
    const ask = async (path: string) => {
      const { status } = await api.send({ path: `/cc/v2.0/${path}`, token: attacker.key, signal })
      answers.count(status)
    }
    for (let count = 0; !signal.aborted; count++) {
      asked.push(ask(LISTS[count % LISTS.length] ?? '').catch(() => undefined))
      await sleep(EVERY_MS[size])
    }
    await Promise.all(asked)
    answers.expectOnly([200, 503])
    return `${asked.length} lists asked for; ${answers.text}`
  },
}
