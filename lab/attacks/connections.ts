import { once, setMaxListeners } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ALL_PERMISSIONS } from '../../src/catalogue/permissions.ts'
import {
  Answers,
  ATTACKER_ADDRESS,
  type Attack,
  type AttackSize,
  beginRaw,
  countOpen,
  eventsAt,
  inLanes,
  madeUpImei,
  openConnection,
  pause,
  sayImei,
  type Target,
  uploadEvents,
} from './attack.ts'

const CLIENTS = 40
const DRIP_EVERY_MS = 1000

/** Of dongles; of each frame, all but the last bytes. */
const HALF_OPEN = { small: 400, full: 1130 }
const FRAME_BYTES = 60_000

const halfOpenConnections: Attack = {
  name: 'half-open-connections',
  clause: 'bytes buffered of a peer',
  what: 'Many dongles that nobody knows send most of a long frame, and as many connections never log in.',
  environment: { UNKNOWN_DEVICES: 'accept' },
  async run({ teltonikaPort }, size, signal) {
    const begun = Buffer.alloc(FRAME_BYTES)
    begun.writeUInt32BE(FRAME_BYTES, 4)
    return withSockets(async opened => {
      await inLanes(HALF_OPEN[size], CLIENTS, signal, async number => {
        opened.push(await openConnection(teltonikaPort))
        const socket = await openConnection(teltonikaPort)
        opened.push(socket)
        if ((await sayImei(socket, madeUpImei(number))) === 1) socket.write(begun)
      })
      await pause(1000, signal)
      return `${countOpen(opened)} of ${opened.length} connections open at the end`
    })
  },
}

const IDLE = { small: 600, full: 5000 }
const LIMIT = 200

const idleConnections: Attack = {
  name: 'idle-connections',
  clause: 'connections of a client',
  what: 'One client opens thousands of connections to the API; half of them say nothing, half send a byte a second.',
  environment: { CONNECTIONS_PER_CLIENT: String(LIMIT) },
  async run({ api }, size, signal) {
    if (ATTACKER_ADDRESS === undefined) return 'not tried: this system has one address, and others sit there, too'
    return withSockets(async sockets => {
      const enough = new AbortController()
      await inLanes(IDLE[size], CLIENTS, enough.signal, async number => {
        // On a slow machine its time is up before the limit is reached.
        if (signal.aborted && number > 2 * LIMIT) enough.abort()
        const socket = await openConnection(api.port)
        sockets.push(socket.resume())
        if (number % 2 === 0 && socket.writable) socket.write('GET /healthz HTTP/1.1\r\nX-Slow: ')
      })
      // Those beyond the limit are accepted for a moment, to be refused with a reason: some at once, the others without.
      while (countOpen(sockets) > LIMIT) await sleep(100)
      const { status, headers } = await api.send({ path: '/healthz' })
      if (status !== 429 || !(Number(headers['retry-after']) > 0)) throw new Error(`one more was answered ${status}`)
      while (!signal.aborted) {
        for (const socket of sockets) if (socket.writable && socket.bytesWritten > 0) socket.write('x')
        await pause(DRIP_EVERY_MS, signal)
      }
      return `${sockets.length} connections were begun, ${countOpen(sockets)} are open at the end; one more was answered 429`
    })
  },
}

const UPLOADS = { small: 100, full: 400 }

const slowUploads: Attack = {
  name: 'slow-uploads',
  clause: 'uploads at once, least rate of a body',
  what: 'One key begins some hundred uploads; half of them stand still, half send a byte a second.',
  async run(target, size, signal) {
    return withSockets(async sockets => {
      const more = ['Content-Type: application/json', 'Content-Length: 10000000']
      const begin = async () => {
        const socket = await openRequest(target, 'POST /ingest/events', more)
        socket.resume().write('[')
        sockets.push(socket)
      }
      await Promise.all(Array.from({ length: UPLOADS[size] }, begin))
      while (!signal.aborted) {
        for (const socket of sockets.slice(sockets.length / 2)) if (socket.writable) socket.write(' ')
        await pause(DRIP_EVERY_MS, signal)
      }
      return `${sockets.length} were begun, ${countOpen(sockets)} are open at the end`
    })
  },
}

const READERS = { small: 20, full: 400 }
const READ_EVENTS = { small: 10_000, full: 100_000 }
const EVENTS_A_BODY = 10_000

const slowReaders: Attack = {
  name: 'slow-readers',
  clause: 'readers that take nothing',
  what: 'One key asks for long lists over hundreds of connections, and reads nothing of them.',
  async run(target, size, signal) {
    const [imei = ''] = target.attacker.imeis
    for (let sent = 0; sent < READ_EVENTS[size] && !signal.aborted; sent += EVENTS_A_BODY)
      new Answers().add(await uploadEvents(target, eventsAt(imei, secondsAgo(sent, EVENTS_A_BODY)), signal), [200])
    const fromTimestamp = new Date(Date.now() - 2 * READ_EVENTS[size] * 1000).toISOString()
    const query = new URLSearchParams({ deviceId: imei, fromTimestamp, maxResults: '10000' })
    return withSockets(async sockets => {
      const begin = async () => {
        sockets.push((await openRequest(target, `GET /cc/v2.0/events?${query.toString()}`)).pause())
      }
      await Promise.all(Array.from({ length: READERS[size] }, begin))
      if (!signal.aborted) await once(signal, 'abort')
      return `${sockets.length} readers asked, ${countOpen(sockets)} are connected at the end`
    })
  },
}

async function withSockets(work: (sockets: Socket[]) => Promise<string>): Promise<string> {
  const sockets: Socket[] = []
  try {
    return await work(sockets)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

async function openRequest({ api, attacker }: Target, what: string, more: readonly string[] = []): Promise<Socket> {
  const socket = await openConnection(api.port)
  const head = [`${what} HTTP/1.1`, `Host: ${api.host}:${api.port}`, `Authorization: Bearer ${attacker.key}`, ...more]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  return socket
}

function secondsAgo(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => Date.now() - (first + index + 1) * 1000)
}

const REPORT_EVERY_MS = 200

/** Live streams that each ask for something else, so that none is read for another one. */
function manyStreams(name: string, what: string, streams: Readonly<Record<AttackSize, number>>): Attack {
  return {
    name,
    clause: 'streams by account',
    what,
    async run(target, size, signal) {
      const queryOf = (index: number) => `eventTypes=GPS_SPEED&lastEventTypes=GPS_SPEED,MILEAGE&deviceId=${index + 1}`
      const opened = await openStreams(target, { count: streams[size], queryOf, takes: true }, signal)
      opened.answers.expectOnly([200, 429, 503])
      const reports = new Answers()
      while (!signal.aborted) {
        const events = target.attacker.imeis.flatMap(imei => eventsAt(imei, [Date.now()]))
        reports.add(await uploadEvents(target, events, signal), [200, 429, 503])
        await pause(REPORT_EVERY_MS, signal)
      }
      return opened.close()
    },
  }
}

const fourHundredStreams = manyStreams(
  'four-hundred-streams',
  'One tenant follows the live stream 400 times, each time something else, while its cars report.',
  { small: 60, full: 400 },
)

const twoThousandStreams = manyStreams(
  'two-thousand-streams',
  'One tenant makes 40 keys and asks for 2,000 live streams, as many as a node has.',
  { small: 150, full: 2_000 },
)

const SLOW_STREAMS = { small: 40, full: 400 }
const LONG_EVENTS = { small: 200, full: 2_000 }
const LONG_EVENTS_A_BODY = 100
/** Sending is not the attack. */
const PAUSE_MS = { small: 0, full: 100 }
/** A text as long as it may be: some megabytes in all. */
const TEXT = 'x'.repeat(3_900)

/** Live streams that have everything to catch up with, for clients that take nothing. */
const slowStreams: Attack = {
  name: 'slow-streams',
  clause: 'memory of streams by account',
  what: 'One tenant opens hundreds of live streams that resume from long ago, and reads nothing of them.',
  async run(target, size, signal) {
    const uploads = new Answers()
    for (let sent = 0; sent < LONG_EVENTS[size] && !signal.aborted; sent += LONG_EVENTS_A_BODY) {
      const times = secondsAgo(sent, LONG_EVENTS_A_BODY)
      const events = eventsAt(target.attacker.imeis[0], times, 'NETWORK_CELL_INFO', TEXT)
      uploads.add(await uploadEvents(target, events, signal), [200, 429, 503])
      await pause(PAUSE_MS[size], signal)
    }
    const queryOf = (index: number) => `eventTypes=NETWORK_CELL_INFO,TYPE_${index}&lastEventId=2000-01-01`
    const opened = await openStreams(target, { count: SLOW_STREAMS[size], queryOf, takes: false }, signal)
    if (!signal.aborted) await once(signal, 'abort')
    return opened.close()
  },
}

/** As many as one key may have open by default. */
const STREAMS_A_KEY = 50

interface StreamsWanted {
  readonly count: number
  readonly queryOf: (index: number) => string
  readonly takes: boolean
}

/** Opens live streams with as many keys as they need: an administrator may make some. `close` says how many were still open. */
async function openStreams(
  { api, attacker }: Target,
  { count, queryOf, takes }: StreamsWanted,
  signal: AbortSignal,
): Promise<{ readonly answers: Answers; close(): string }> {
  const keys = await Promise.all(
    Array.from({ length: Math.ceil(count / STREAMS_A_KEY) }, async (_, index) => {
      const body = JSON.stringify({ name: `key ${index}`, permissions: ALL_PERMISSIONS })
      const headers = { 'content-type': 'application/json' }
      const reply = await api.send({ path: '/admin/keys', method: 'POST', token: attacker.userToken, headers, body })
      if (reply.status !== 201) throw new Error(`a key was answered ${reply.status}`)
      return (JSON.parse(reply.body) as { readonly key: string }).key
    }),
  )
  setMaxListeners(0, signal)
  const answers = new Answers()
  const open = new Set<IncomingMessage>()
  const begin = async (index: number): Promise<void> => {
    const token = keys[Math.floor(index / STREAMS_A_KEY)] ?? ''
    // What is open stays open when the time is up.
    const opening = new AbortController()
    const giveUp = () => opening.abort()
    signal.addEventListener('abort', giveUp)
    const request = { path: `/stream?${queryOf(index)}`, token, signal: opening.signal }
    const reply = await beginRaw(api.url, request).finally(() => signal.removeEventListener('abort', giveUp))
    const status = reply.statusCode ?? 0
    answers.count(status)
    reply.on('error', () => undefined)
    if (status === 200) {
      open.add(reply)
      reply.once('close', () => open.delete(reply))
    }
    if (takes || status !== 200) reply.resume()
    else reply.pause()
  }
  await Promise.all(Array.from({ length: count }, (_, index) => begin(index).catch(() => undefined)))
  return {
    answers,
    close() {
      const left = open.size
      for (const reply of open) reply.destroy()
      return `${answers.text}; ${left} open at the end`
    },
  }
}

export const CONNECTION_ATTACKS: readonly Attack[] = [
  idleConnections,
  slowUploads,
  slowReaders,
  fourHundredStreams,
  twoThousandStreams,
  slowStreams,
  halfOpenConnections,
]
