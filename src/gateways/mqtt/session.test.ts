import { EventEmitter, once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { joiningTopics, type Message, type MessageOutcome } from './messages.ts'
import { type Ending, runSession } from './session.ts'

/** CONNACK of MQTT 5: accepted, no properties. */
const ACCEPTED = Buffer.from([0x20, 3, 0, 0, 0])

const TOPIC = Buffer.from('tacho/356307042441013/events')
const PAYLOAD: Buffer = Buffer.from('[{"recordedTimestamp":"2026-01-15T08:00:00Z","eventType":"GPS_SPEED","value":48}]')
/** With QoS 1 (MQTT 5, 3.3): topic, packet identifier 7, no properties, payload. */
const PUBLISH = (() => {
  const body = Buffer.concat([Buffer.from([0, TOPIC.length]), TOPIC, Buffer.from([0, 7, 0]), PAYLOAD])
  return Buffer.concat([Buffer.from([0x32, body.length]), body])
})()
const topicOf = (device: number) => `tacho/${356307042441000 + device}/events`
/** The same on the topic of a device, with an identifier of the packet. */
const publishOf = (device: number, packet: number, payload = PAYLOAD) => {
  const topic = Buffer.from(topicOf(device))
  const body = Buffer.concat([Buffer.from([0, topic.length]), topic, Buffer.from([0, packet, 0]), payload])
  // The remaining length, seven bits a byte (1.5.5).
  const length: number[] = []
  for (let rest = body.length; rest > 0; rest >>= 7) length.push(rest < 0x80 ? rest : (rest & 0x7f) | 0x80)
  return Buffer.concat([Buffer.from([0x32, ...length]), body])
}
/** The answer to PUBLISH: packet identifier 7. */
const PUBACK = Buffer.from([0x40, 2, 0, 7])

/** The same with a reason code (3.4.2.1), as long as that takes. */
const QUOTA_EXCEEDED = Buffer.from([0, 7, 0x97])

/** What the broker does with a connection after CONNECT. */
type Script = (socket: Socket) => void

let script: Script = () => undefined
const server = createServer(socket => {
  socket.on('error', () => undefined)
  socket.once('data', () => script(socket))
})
await once(server.listen(0, '127.0.0.1'), 'listening')
afterAll(() => {
  server.close()
})

interface Life {
  readonly ending: Ending
  readonly taken: readonly Message[]
  /** How many messages were taken together, of each device. */
  readonly joined: ReadonlyMap<string, readonly number[]>
}

/** A session with a broker that follows a script. */
async function lifeWith(
  broker: Script,
  outcome: MessageOutcome | ((message: Message) => Promise<MessageOutcome>) = 'stored',
): Promise<Life> {
  script = broker
  const address = server.address()
  const taken: Message[] = []
  const joined = new Map<string, number[]>()
  const takeJoined = joiningTopics(messages => {
    const [topic] = new Set(messages.map(message => message.topic))
    joined.set(topic ?? '', [...(joined.get(topic ?? '') ?? []), messages.length])
    return Promise.all(messages.map(async message => (typeof outcome === 'string' ? outcome : outcome(message))))
  })
  const ending = await runSession(
    {
      address: {
        url: `mqtt://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
        user: undefined,
        password: undefined,
      },
      ca: undefined,
      clientId: 'test',
      isFirst: true,
      take(message, gone) {
        taken.push(message)
        return takeJoined(message, gone)
      },
      onSubscribed: () => undefined,
    },
    5,
    new AbortController().signal,
  )
  return { ending, taken, joined }
}

const saying =
  (...pieces: readonly Uint8Array[]): Script =>
  socket => {
    for (const piece of pieces) socket.write(piece)
    socket.end()
  }

describe('a session with a broker that talks nonsense', () => {
  it('ends, whatever bytes come instead of an answer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async bytes => {
        expect((await lifeWith(saying(bytes))).ending.kind).toMatch(/failed|version/)
      }),
      { numRuns: 100 },
    )
  })

  it('ends, whatever bytes come after it was accepted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 5 }), async pieces => {
        expect((await lifeWith(saying(ACCEPTED, ...pieces))).ending.kind).toBe('failed')
      }),
      { numRuns: 100 },
    )
  })

  it('ends, whatever packets come after it was accepted', async () => {
    const packet = fc
      .record({ first: fc.nat({ max: 255 }), body: fc.uint8Array({ maxLength: 40 }) })
      .map(({ first, body }) => Buffer.from([first, body.length, ...body]))
    await fc.assert(
      fc.asyncProperty(fc.array(packet, { maxLength: 10 }), async packets => {
        expect((await lifeWith(saying(ACCEPTED, ...packets))).ending.kind).toBe('failed')
      }),
      { numRuns: 200 },
    )
  })

  it.each([
    { name: 'PUBREL', packet: Buffer.from([0x62, 0]) },
    { name: 'PUBACK', packet: Buffer.from([0x40, 1, 0]) },
    { name: 'PUBLISH', packet: Buffer.from([0x34, 2 + TOPIC.length, 0, TOPIC.length, ...TOPIC]) },
    { name: 'PUBLISH', packet: Buffer.from([0x32, 2 + TOPIC.length, 0, TOPIC.length, ...TOPIC]) },
  ])('ends at a $name without a packet identifier, and says so', async ({ name, packet }) => {
    const { ending } = await lifeWith(saying(ACCEPTED, packet))
    const why = `the broker sent a ${name} that ends before its packet identifier`
    expect(ending).toEqual({ kind: 'failed', why })
  })

  it('takes no message that is cut off', async () => {
    expect((await lifeWith(saying(ACCEPTED, PUBLISH))).taken).toEqual([
      { topic: TOPIC.toString(), payload: PAYLOAD, canBeRefused: true },
    ])
    for (let length = 0; length < PUBLISH.length; length += 3)
      expect((await lifeWith(saying(ACCEPTED, PUBLISH.subarray(0, length)))).taken).toEqual([])
  })
})

describe('a session', () => {
  it('acknowledges a message that was taken', async () => {
    let received = Buffer.alloc(0)
    await lifeWith(socket => {
      socket.write(ACCEPTED)
      socket.write(PUBLISH)
      socket.on('data', bytes => {
        received = Buffer.concat([received, bytes])
        if (received.includes(PUBACK)) socket.end()
      })
    })
    expect(received.includes(PUBACK)).toBe(true)
  })

  it('takes messages of several devices at once, and acknowledges in their order', async () => {
    const packets = [publishOf(1, 1), publishOf(2, 2), publishOf(3, 3)]
    let received = Buffer.alloc(0)
    const answers = () => [...Array(3).keys()].map(index => received.indexOf(Buffer.from([0x40, 2, 0, index + 1])))
    const waiting = new Map<string, () => void>()
    const began: string[] = []
    const before: number[][] = []
    const device = (topic: string) => topic.slice(-8, -7)
    await lifeWith(
      socket => {
        socket.write(Buffer.concat([ACCEPTED, ...packets]))
        socket.on('data', bytes => {
          received = Buffer.concat([received, bytes])
          if (!answers().includes(-1)) socket.end()
        })
      },
      async ({ topic }) => {
        began.push(device(topic))
        // The first message is done when all that may be taken beside it were, the last of them first.
        if (began.length === 3)
          for (const [, finish] of [...waiting].toReversed()) {
            before.push(answers())
            finish()
          }
        else await new Promise<void>(resolve => waiting.set(topic, resolve))
        return 'stored'
      },
    )
    expect(began).toEqual(['1', '2', '3'])
    expect(before.flat()).toEqual(before.flat().map(() => -1))
    expect(answers()).toEqual(answers().toSorted((a, b) => a - b))
  })

  /** The first device sends payloads, then others send one each; nothing of the first is stored before that of all others is. */
  async function lifeWithFlood(payloads: readonly Buffer[], others: number): Promise<Life> {
    const packets = payloads.map((payload, index) => publishOf(0, index + 1, payload))
    for (let device = 1; device <= others; device++) packets.push(publishOf(device, packets.length + 1))
    const lastAnswer = Buffer.from([0x40, 2, 0, packets.length])
    const storedOfOthers = new EventEmitter()
    const allStored = once(storedOfOthers, 'all')
    let stored = 0
    return lifeWith(
      socket => {
        socket.write(Buffer.concat([ACCEPTED, ...packets]))
        let received = Buffer.alloc(0)
        socket.on('data', bytes => {
          received = Buffer.concat([received, bytes])
          if (received.includes(lastAnswer)) socket.end()
        })
      },
      async ({ topic }) => {
        if (topic === topicOf(0)) await allStored
        else if (++stored === others) storedOfOthers.emit('all')
        return 'stored'
      },
    )
  }

  it('takes together what a device sends at once, in its order, and no other device waits for it', async () => {
    const sent = Array.from({ length: 150 }, (_, index) => Buffer.from(`${index}`))
    const { joined, taken } = await lifeWithFlood(sent, 20)
    expect(taken.filter(({ topic }) => topic === topicOf(0)).map(({ payload }) => payload)).toEqual(sent)
    // What arrives later, however little later, is not joined with the first.
    expect(joined.get(topicOf(0))?.length).toBeLessThan(5)
    expect(joined.size).toBe(21)
  })

  it('acknowledges nothing behind a message that was not stored', async () => {
    let received = Buffer.alloc(0)
    const { ending } = await lifeWith(
      socket => {
        socket.write(Buffer.concat([ACCEPTED, publishOf(1, 1), publishOf(2, 2), publishOf(3, 3)]))
        socket.on('data', bytes => {
          received = Buffer.concat([received, bytes])
        })
      },
      async ({ topic }) => (topic.endsWith('2/events') ? 'waiting' : 'stored'),
    )
    expect(ending).toEqual({ kind: 'failed', why: expect.stringContaining('database') })
    expect(received.includes(Buffer.from([0x40, 2, 0, 2]))).toBe(false)
    expect(received.includes(Buffer.from([0x40, 2, 0, 3]))).toBe(false)
  })

  it('tells the broker that a quota is exceeded, and goes on', async () => {
    let received = Buffer.alloc(0)
    const { ending } = await lifeWith(socket => {
      socket.write(ACCEPTED)
      socket.write(PUBLISH)
      socket.on('data', bytes => {
        received = Buffer.concat([received, bytes])
        if (received.includes(QUOTA_EXCEEDED)) socket.end()
      })
    }, 'over quota')
    expect(received.includes(QUOTA_EXCEEDED)).toBe(true)
    expect(ending).toEqual({ kind: 'failed', why: 'the broker closed the connection' })
  })

  it('joins what a device sends over several connections, but not what comes again as its connection ended', async () => {
    const takeJoined = joiningTopics(async messages =>
      messages.map(() => (messages.length === 2 ? 'stored' : 'unknown')),
    )
    const message = { topic: topicOf(1), payload: PAYLOAD, canBeRefused: true }
    const connections = [new AbortController().signal, new AbortController().signal, AbortSignal.abort()]
    const outcomes = await Promise.all(connections.map(gone => takeJoined(message, gone)))
    expect(outcomes).toEqual(['stored', 'stored', 'waiting'])
  })

  it.each([
    { code: 135, said: 'does not let the user of MQTT_URL subscribe to $share/tacho/tacho/+/events' },
    { code: 151, said: 'the subscription to $share/tacho/tacho/+/events failed' },
  ])('says why it cannot subscribe: reason $code', async ({ code, said }) => {
    const { ending } = await lifeWith(socket => {
      socket.write(ACCEPTED)
      // SUBSCRIBE begins with its packet identifier (3.8.2), SUBACK repeats it and has no properties (3.9).
      socket.on('data', bytes => {
        if (bytes[0] === 0x82) socket.write(Buffer.from([0x90, 4, bytes[2] ?? 0, bytes[3] ?? 0, 0, code]))
      })
    })
    expect(ending).toEqual({ kind: 'failed', why: expect.stringContaining(said) })
  })

  it('says when another one took its place', async () => {
    // DISCONNECT, session taken over (3.14.2.1).
    const { ending } = await lifeWith(saying(ACCEPTED, Buffer.from([0xe0, 1, 142])))
    expect(ending).toEqual({ kind: 'failed', why: expect.stringContaining('MQTT_CLIENT_ID') })
  })
})
