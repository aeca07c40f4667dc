import { once, setMaxListeners } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ALL_PERMISSIONS } from '../../src/catalogue/permissions.ts'
import {
  Answers,
  ATTACKER_ADDRESS,
  type Attack,
  type AttackEvent,
  type AttackSize,
  type Doors,
  inLanes,
  madeUpImei,
  openDonglePeer,
  sayImei,
  type Tenant,
  uploadEvents,
} from './attack.ts'

const CONNECTIONS = { small: 400, full: 1130 }
const CLIENTS = 40
/** Of each frame, all but the last bytes. */
const FRAME_BYTES = 60_000

/** Connections that never complete a frame, and others that send nothing at all. */
export const halfOpenConnections: Attack = {
  name: 'half-open-connections',
  clause: 'bytes held of a peer',
  what: 'Many dongles that nobody knows send most of a long frame, and as many connections never log in.',
  environment: { UNKNOWN_DEVICES: 'accept' },
  async run({ teltonika }, size, signal) {
    const begun = Buffer.alloc(FRAME_BYTES)
    begun.writeUInt32BE(FRAME_BYTES, 4)
    const opened: Socket[] = []
    try {
      await inLanes(CONNECTIONS[size], CLIENTS, signal, async number => {
        opened.push(await openDonglePeer(teltonika))
        const socket = await openDonglePeer(teltonika)
        opened.push(socket)
        if ((await sayImei(socket, madeUpImei(number))) === 1) socket.write(begun)
      })
      await sleep(1000, undefined, { signal }).catch(() => undefined)
      const left = opened.filter(socket => !socket.destroyed && !socket.readableEnded).length
      return `${left} of ${opened.length} connections open at the end`
    } finally {
      for (const socket of opened) socket.destroy()
    }
  },
}

const IDLE_CONNECTIONS_CONNECTIONS = { small: 600, full: 5000 }
const LIMIT = 200
const DRIP_EVERY_MS = 1000

/** Connections that send nothing, or never complete a request. */
export const idleConnections: Attack = {
  name: 'idle-connections',
  clause: 'connections of a client',
  what: 'One client opens thousands of connections to the API; half of them say nothing, half send a byte a second.',
  environment: { CONNECTIONS_PER_CLIENT: String(LIMIT) },
  async run({ api }, size, signal) {
    if (ATTACKER_ADDRESS === undefined) return 'not tried: this system has one address, and others sit there, too'
    const sockets: Socket[] = []
    try {
      const wanted = new AbortController()
      await inLanes(IDLE_CONNECTIONS_CONNECTIONS[size], CLIENTS, wanted.signal, async number => {
        // On a slow machine its time is up before the limit is reached.
        if (signal.aborted && number > 2 * LIMIT) wanted.abort()
        const socket = connect({ host: api.host, port: api.port, localAddress: ATTACKER_ADDRESS })
        sockets.push(socket.on('error', () => undefined).resume())
        await Promise.race([once(socket, 'connect'), once(socket, 'close')])
        if (number % 2 === 0 && socket.writable) socket.write('GET /healthz HTTP/1.1\r\nX-Slow: ')
      })
      // Those beyond the limit are accepted for a moment, to be refused with a reason: some at once, the others without.
      const openOnes = () => sockets.filter(socket => !socket.closed).length
      while (openOnes() > LIMIT) await sleep(100)
      const { status, headers } = await api.send({ path: '/healthz' })
      if (status !== 429 || !(Number(headers['retry-after']) > 0)) throw new Error(`one more was answered ${status}`)
      while (!signal.aborted) {
        for (const socket of sockets) if (socket.writable && socket.bytesWritten > 0) socket.write('x')
        await sleep(DRIP_EVERY_MS, undefined, { signal }).catch(() => undefined)
      }
      const open = openOnes()
      return `${sockets.length} connections were begun, ${open} are open at the end; one more was answered 429`
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  },
}

const UPLOADS = { small: 100, full: 400 }

/** Bodies that are announced and never sent, or sent a byte a second. */
export const slowUploads: Attack = {
  name: 'slow-uploads',
  clause: 'uploads at once, least rate of a body',
  what: 'One key begins some hundred uploads; half of them stand still, half send a byte a second.',
  async run({ api, attacker }, size, signal) {
    const head = [
      'POST /ingest/events HTTP/1.1',
      `Host: ${api.host}:${api.port}`,
      `Authorization: Bearer ${attacker.key}`,
      'Content-Type: application/json',
      'Content-Length: 10000000',
    ]
    const begin = async (): Promise<Socket> => {
      const from = ATTACKER_ADDRESS === undefined ? {} : { localAddress: ATTACKER_ADDRESS }
      const socket = connect({ host: api.host, port: api.port, ...from })
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      socket.resume().write(`${head.join('\r\n')}\r\n\r\n[`)
      return socket
    }
    const sockets = await Promise.all(Array.from({ length: UPLOADS[size] }, begin))
    while (!signal.aborted) {
      for (const socket of sockets.slice(sockets.length / 2)) if (socket.writable) socket.write(' ')
      await sleep(DRIP_EVERY_MS, undefined, { signal }).catch(() => undefined)
    }
    const open = sockets.filter(socket => !socket.closed).length
    for (const socket of sockets) socket.destroy()
    return `${sockets.length} were begun, ${open} are open at the end`
  },
}

const READERS = { small: 20, full: 400 }
const EVENTS = { small: 10_000, full: 100_000 }
const EVENTS_A_BODY = 10_000

/** Lists that are asked for and not taken. */
export const slowReaders: Attack = {
  name: 'slow-readers',
  clause: 'readers that take nothing',
  what: 'One key asks for long lists over hundreds of connections, and reads nothing of them.',
  async run({ api, attacker }, size, signal) {
    const deviceId = Number(attacker.imeis[0])
    for (let sent = 0; sent < EVENTS[size] && !signal.aborted; sent += EVENTS_A_BODY) {
      const events = Array.from({ length: EVENTS_A_BODY }, (_, index) => ({
        deviceId,
        recordedTimestamp: new Date(Date.now() - (sent + index + 1) * 1000).toISOString(),
        eventType: 'GPS_SPEED',
        value: index % 100,
      }))
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify(events)
      const { status } = await api.send({ path: '/ingest/events', method: 'POST', token: attacker.key, headers, body })
      if (status !== 200) throw new Error(`its events were answered ${status}`)
    }
    const fromTimestamp = new Date(Date.now() - 2 * EVENTS[size] * 1000).toISOString()
    const query = new URLSearchParams({ deviceId: String(deviceId), fromTimestamp, maxResults: '10000' })
    const request = [
      `GET /cc/v2.0/events?${query.toString()} HTTP/1.1`,
      `Host: ${api.host}:${api.port}`,
      `Authorization: Bearer ${attacker.key}`,
    ]
    const begin = async (): Promise<Socket> => {
      const from = ATTACKER_ADDRESS === undefined ? {} : { localAddress: ATTACKER_ADDRESS }
      const socket = connect({ host: api.host, port: api.port, ...from })
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      socket.pause().write(`${request.join('\r\n')}\r\n\r\n`)
      return socket
    }
    const sockets = await Promise.all(Array.from({ length: READERS[size] }, begin))
    if (!signal.aborted) await once(signal, 'abort')
    const open = sockets.filter(socket => !socket.closed).length
    for (const socket of sockets) socket.destroy()
    return `${sockets.length} readers asked, ${open} are connected at the end`
  },
}

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

const STREAMS = { small: 40, full: 400 }
const SLOW_STREAMS_EVENTS = { small: 200, full: 2_000 }
const SLOW_STREAMS_EVENTS_A_BODY = 100
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
    for (let sent = 0; sent < SLOW_STREAMS_EVENTS[size] && !signal.aborted; sent += SLOW_STREAMS_EVENTS_A_BODY) {
      const events = Array.from({ length: SLOW_STREAMS_EVENTS_A_BODY }, (_, index) => ({
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

/** As many as one key may have open unless told otherwise. */
const STREAMS_A_KEY = 50

interface OpenedStreams {
  /** The answers to opening them. */
  readonly answers: Answers
  /** How many are open now. */
  open(): number
  close(): void
}

interface StreamsWanted {
  readonly count: number
  /** The query of each. */
  readonly queryOf: (index: number) => string
  /** Whether what comes is taken. */
  readonly takes: boolean
}

/** Opens live streams with as many keys as they need: an administrator may make some. */
async function openStreams(
  { api, attacker }: Doors,
  { count, queryOf, takes }: StreamsWanted,
  signal: AbortSignal,
): Promise<OpenedStreams> {
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
    const token = keys[Math.floor(index / STREAMS_A_KEY)]
    const sent = httpRequest(`${api.url}/stream?${queryOf(index)}`, {
      agent: false,
      ...(ATTACKER_ADDRESS === undefined ? {} : { localAddress: ATTACKER_ADDRESS }),
      headers: { authorization: `Bearer ${token}` },
    })
    sent.on('error', () => undefined).end()
    const [reply] = (await once(sent, 'response', { signal }).catch(error => {
      sent.destroy()
      throw error
    })) as [IncomingMessage]
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
    open: () => open.size,
    close: () => {
      for (const reply of open) reply.destroy()
    },
  }
}
