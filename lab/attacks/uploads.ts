import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { EVENT_TYPES } from '../../src/catalogue/event-types.ts'
import {
  Answers,
  type Attack,
  type AttackEvent,
  eventsAt,
  inLanes,
  type Upload,
  untilAborted,
  uploadEvents,
} from './attack.ts'

const CLIENTS = { small: 4, full: 8 }
const PAUSE_MS = 50

const requestsBeyondLimit: Attack = {
  name: 'requests-beyond-limit',
  clause: 'limit of requests',
  what: 'One key asks for its vehicles over many connections, and goes on when it is told to wait.',
  async run({ api, attacker }, size, signal) {
    const answers = new Answers()
    await untilAborted(CLIENTS[size], signal, async () => {
      const reply = await api.send({ path: '/cc/v2.0/vehicles', token: attacker.key })
      answers.add(reply, [200, 429])
      if (reply.status === 429) await sleep(PAUSE_MS)
    })
    return answers.text
  },
}

const EVENTS = { small: 10_000, full: 100_000 }
const BODIES = { small: 2, full: Number.POSITIVE_INFINITY }
const CONNECTIONS = 3
const LARGE_BODIES_PAUSE_MS = 200

const largeBodies: Attack = {
  name: 'large-bodies',
  clause: 'turns of accounts in the intake',
  what: 'One account uploads bodies of 100,000 events over three connections.',
  async run(target, size, signal) {
    const answers = new Answers()
    let nextMs = Date.now() - 20 * 24 * 3_600_000
    const client = async (imei: string) => {
      for (let sent = 0; sent < BODIES[size] && !signal.aborted; sent++) {
        const beginMs = nextMs
        nextMs += EVENTS[size]
        const reply = await uploadEvents(target, eventsAt(imei, timesFrom(beginMs, EVENTS[size], 1)), signal)
        answers.add(reply, [200, 429, 503])
        if (reply && reply.status !== 200) await sleep(LARGE_BODIES_PAUSE_MS)
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => client(target.attacker.imeis[index] ?? '')))
    return answers.text
  },
}

const MANY_ATTRIBUTES_CLIENTS = { small: 2, full: 8 }
const ROUNDS = { small: 3, full: Number.POSITIVE_INFINITY }
/** Just below the limit of these gateways. */
const ATTRIBUTES = 20_000
const BEYOND_BYTES = 8_000_000

const manyAttributes: Attack = {
  name: 'many-attributes',
  clause: 'size of what trackers and phones send',
  what: 'Over several connections one key sends positions with tens of thousands of made-up attributes, as Traccar and phones do.',
  async run({ api, attacker }, size, signal) {
    const imei = attacker.imeis[0] ?? ''
    const names = Array.from({ length: ATTRIBUTES }, (_, index) => `x${index.toString(36)}`)
    const attributes = Object.fromEntries(names.map(name => [name, 1]))
    const position = { deviceTime: '2026-03-02T08:00:00.000+00:00', attributes }
    const forwarded = JSON.stringify({ position, device: { uniqueId: imei } })
    const json = { 'content-type': 'application/json' }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const requests = [
      { path: '/ingest/traccar', headers: json, body: forwarded, status: 200 },
      {
        path: '/ingest/traccar',
        headers: json,
        body: `[${`${forwarded},`.repeat(BEYOND_BYTES / forwarded.length)}{}]`,
        status: 413,
      },
      { path: '/ingest/osmand', headers: form, body: `id=${imei}&${names.slice(0, 900).join('&')}`, status: 200 },
      { path: '/ingest/osmand', headers: form, body: `id=${imei}&${names.join('&')}`, status: 413 },
    ] as const
    let answered = 0
    const clients = MANY_ATTRIBUTES_CLIENTS[size]
    await inLanes(ROUNDS[size] * clients * requests.length, clients, signal, async number => {
      const { status: expected, ...request } = requests[Math.floor(number / clients) % requests.length] ?? requests[0]
      const { status } = await api.send({ ...request, method: 'POST', token: attacker.key })
      if (![expected, 429, 503].includes(status)) throw new Error(`${request.path} answered ${status}`)
      answered++
    })
    return `answered ${answered} times`
  },
}

const WEEK_MS = 7 * 24 * 3_600_000
/** Of a week, in the small attack: every so many are sent. */
const STEP = { small: 10, full: 1 }
const READS = { small: 5, full: Number.POSITIVE_INFINITY }
const AN_EVENT_A_WEEK_PAUSE_MS = 140

const anEventAWeek: Attack = {
  name: 'an-event-a-week',
  clause: 'number of tables',
  what: 'One account sends an event of each week since 2000, also for a dongle of another one, and goes on reading.',
  async run(target, size, signal) {
    const { api, attacker, imeiOfSecondTenant } = target
    const answers = new Answers()
    const [firstMs, stepMs] = [Date.UTC(2000, 0, 2), WEEK_MS * STEP[size]]
    const weeks = timesFrom(firstMs, Math.floor((Date.now() - firstMs) / stepMs), stepMs)
    answers.add(await uploadEvents(target, eventsAt(imeiOfSecondTenant, weeks), signal), [400])
    answers.add(await uploadEvents(target, eventsAt(attacker.imeis[0], weeks), signal), [200])
    for (let count = 0; count < READS[size] && !signal.aborted; count++) {
      const reply = await api.send({ path: `/cc/v2.0/events?deviceId=${attacker.imeis[0]}`, token: attacker.key })
      answers.add(reply, [200, 429])
      await sleep(AN_EVENT_A_WEEK_PAUSE_MS)
    }
    return answers.text
  },
}

const NUMBERS = EVENT_TYPES.filter(({ dataType, name }) => dataType === 'NUMBER' && name !== 'MILEAGE').map(
  ({ name }) => name,
)
const SAMPLES = { small: 800, full: 20_000 }
const REQUESTS = { small: 2, full: 6 }
const TYPES_OF_SAMPLE = 5

const manyLayouts: Attack = {
  name: 'many-layouts',
  clause: 'number of layouts of samples',
  what: 'One account sends samples of which each measures other things, 20,000 in a request.',
  async run(target, size, signal) {
    const answers = new Answers()
    const deviceId = Number(target.attacker.imeis[0])
    const beginMs = Date.now() - 3_600_000 * 24
    let sample = 0
    for (let request = 0; request < REQUESTS[size] && !signal.aborted; request++) {
      const events: AttackEvent[] = []
      for (let count = 0; count < SAMPLES[size]; count++) {
        const recordedTimestamp = new Date(beginMs + sample * 100).toISOString()
        for (const eventType of typesOf(sample++)) events.push({ deviceId, recordedTimestamp, eventType, value: 1 })
      }
      answers.add(await uploadEvents(target, events, signal), [200])
    }
    return `${sample} samples, ${answers.text}`
  },
}

function typesOf(number: number): ReadonlySet<string> {
  const types = new Set<string>()
  for (let left = number, index = 0; index < TYPES_OF_SAMPLE; index++) {
    types.add(NUMBERS[(left + index * 7) % NUMBERS.length] ?? '')
    left = Math.floor(left / NUMBERS.length) + index
  }
  return types
}

const OVER_QUOTA_EVENTS = 6000
const OVER_QUOTA_REQUESTS = { small: 10, full: 100 }
const OVER_QUOTA_PAUSE_MS = { small: 10, full: 100 }

const overQuota: Attack = {
  name: 'over-quota',
  clause: 'events a minute of an account',
  what: 'One account sends on although it is over its quota of events a minute.',
  environment: { ACCOUNT_EVENTS_PER_MINUTE: '5000' },
  async run(target, size, signal) {
    const answers = new Answers()
    const beginMs = Date.now() - 3_600_000 * 24
    for (let request = 0; request < OVER_QUOTA_REQUESTS[size] && !signal.aborted; request++) {
      const times = timesFrom(beginMs + request * OVER_QUOTA_EVENTS * 10, OVER_QUOTA_EVENTS, 10)
      const reply = await uploadEvents(target, eventsAt(target.attacker.imeis[0], times), signal)
      answers.add(reply, [200, 429])
      if (reply?.status === 429 && !(Number(reply.headers['retry-after']) > 0))
        throw new Error('a refusal does not say when to come back')
      await sleep(OVER_QUOTA_PAUSE_MS[size])
    }
    // One of them fits into what is allowed, and what runs off meanwhile lets hardly another one through.
    if (answers.countOf(200) > 3) throw new Error(`the quota held nobody up: ${answers.text}`)
    return answers.text
  },
}

const NESTED_BRACKETS_CLIENTS = { small: 2, full: 8 }
const BYTES = 16_000_000

const nestedBrackets: Attack = {
  name: 'nested-brackets',
  clause: 'what bodies unpack to',
  what: 'Over several connections one key sends gzip of millions of brackets, empty objects and commas, again and again.',
  async run(target, size, signal) {
    const bodies: readonly Upload[] = [
      { gzip: gzipSync('['.repeat(BYTES)) },
      { gzip: gzipSync(`[${'{},'.repeat(BYTES / 4)}{}]`) },
      `[${'{},'.repeat(BYTES / 8)}{}]`,
      '['.repeat(BYTES / 16),
    ]
    const answers = new Answers()
    await untilAborted(NESTED_BRACKETS_CLIENTS[size], signal, async turn =>
      answers.add(await uploadEvents(target, bodies[turn % bodies.length] ?? '', signal), [400, 413, 429]),
    )
    return answers.text
  },
}

const TIMES = { small: 1, full: 5 }

const lengthOfNumbers: Attack = {
  name: 'length-of-numbers',
  clause: 'length of numbers',
  what: 'A phone reports an accuracy of 50,000 digits and a letter.',
  async run({ api, attacker }, size, signal) {
    const body = `id=${attacker.imeis[0]}&lat=48.1&lon=11.5&accuracy=${'1'.repeat(50_000)}x`
    const answers: string[] = []
    for (let time = 0; time < TIMES[size] && !signal.aborted; time++) {
      const startedMs = performance.now()
      const { status } = await api.send({
        path: '/ingest/osmand',
        method: 'POST',
        token: attacker.key,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body,
      })
      answers.push(`${status} after ${Math.round(performance.now() - startedMs)} ms`)
    }
    return `answered ${answers.join(', ')}`
  },
}

const WEEKS = { small: 100, full: 1_403 }
/** Of the attacker's own samples, so that lists have something to do. */
const LISTS_BELOW_THE_LIMIT_EVENTS = { small: 5_000, full: 100_000 }
const EVENTS_A_BODY = 5_000
/** 7 in a second: well below what a key may ask for in a minute. In a moment there is room for one of each only if they come sooner. */
const EVERY_MS = { small: 25, full: 143 }

const LISTS = [
  'events?filterTimestamp=2000-01-01&maxResults=10000',
  'events?maxResults=10000',
  'events?fromTimestamp=2000-01-01&eventType=VIN&maxResults=10000',
  'trips?filterTimestamp=2000-01-01&maxResults=10000',
  'vehicles?filterTimestamp=2000-01-01',
  'aggregations?bin=VEHICLE&binSize=DAY&timeZone=Asia/Kathmandu',
]

const listsBelowTheLimit: Attack = {
  name: 'lists-below-the-limit',
  clause: 'share of the database',
  what: 'One key has a sample in each week since 2000, asks for the longest lists seven times a second, and waits for no answer.',
  async run(target, size, signal) {
    const { api, attacker } = target
    const send = async (timesMs: readonly number[]) => {
      const events = timesMs.flatMap((timeMs, index) =>
        eventsAt(attacker.imeis[index % attacker.imeis.length], [timeMs]),
      )
      new Answers().add(await uploadEvents(target, events, signal), [200, 429, 503])
    }
    const nowMs = Date.now()
    await send(timesFrom(nowMs - 60_000, WEEKS[size], -WEEK_MS))
    for (let sent = 0; sent < LISTS_BELOW_THE_LIMIT_EVENTS[size] && !signal.aborted; sent += EVENTS_A_BODY)
      await send(timesFrom(nowMs - (sent + 1) * 1000, EVENTS_A_BODY, -1000))
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

function timesFrom(firstMs: number, count: number, stepMs: number): number[] {
  return Array.from({ length: count }, (_, index) => firstMs + index * stepMs)
}

export const UPLOAD_ATTACKS: readonly Attack[] = [
  requestsBeyondLimit,
  lengthOfNumbers,
  listsBelowTheLimit,
  largeBodies,
  manyAttributes,
  anEventAWeek,
  manyLayouts,
  overQuota,
  nestedBrackets,
]
