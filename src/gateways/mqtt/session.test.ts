import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Message } from './read-message.ts'
import { runSession } from './session.ts'

/** CONNACK of MQTT 5: accepted, no properties. */
const ACCEPTED = Buffer.from([0x20, 3, 0, 0, 0])

describe('a session with a broker that talks nonsense', () => {
  let server: Server
  let answer: readonly Buffer[] = []
  beforeAll(async () => {
    server = createServer((socket: Socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => {
        for (const bytes of answer) socket.write(bytes)
        socket.end()
      })
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  afterAll(() => {
    server.close()
  })

  async function endingWith(...bytes: readonly Buffer[]): Promise<{ kind: string; taken: Message[] }> {
    answer = bytes
    const address = server.address()
    const taken: Message[] = []
    const { kind } = await runSession(
      {
        address: {
          url: `mqtt://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
          user: undefined,
          password: undefined,
        },
        ca: undefined,
        clientId: 'test',
        isFirst: true,
        async take(message) {
          taken.push(message)
          return 'stored'
        },
        onSubscribed: () => undefined,
      },
      5,
      new AbortController().signal,
    )
    return { kind, taken }
  }

  it('ends, whatever bytes come instead of an answer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async bytes => {
        expect((await endingWith(Buffer.from(bytes))).kind).toMatch(/failed|version/)
      }),
      { numRuns: 100 },
    )
  })

  it('ends, whatever bytes come after it was accepted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 5 }), async pieces => {
        const { kind } = await endingWith(ACCEPTED, ...pieces.map(piece => Buffer.from(piece)))
        expect(kind).toBe('failed')
      }),
      { numRuns: 100 },
    )
  })

  it('takes no message that is cut off', async () => {
    const topic = Buffer.from('tacho/356307042441013/events')
    const payload = Buffer.from('[{"recordedTimestamp":"2026-01-15T08:00:00Z","eventType":"GPS_SPEED","value":48}]')
    // PUBLISH with QoS 1 (MQTT 5, 3.3): topic, packet identifier 7, no properties, payload.
    const body = Buffer.concat([Buffer.from([0, topic.length]), topic, Buffer.from([0, 7, 0]), payload])
    const publish = Buffer.concat([Buffer.from([0x32, body.length]), body])
    expect((await endingWith(ACCEPTED, publish)).taken).toEqual([{ topic: topic.toString(), payload }])
    for (let length = 0; length < publish.length; length += 3)
      expect((await endingWith(ACCEPTED, publish.subarray(0, length))).taken).toEqual([])
  })
})
