import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ReceivedPacket, StreamPackets } from '../../src/gateways/shared/binary/stream-packets.ts'
import type { ProtocolClient } from './client.ts'

const MOST_BYTES = 4096
const IMEI = '356307042441013'

/** The content of the packets, regardless of where in memory it is. */
const saying = (packets: readonly ReceivedPacket[]) =>
  packets.map(packet =>
    packet.kind === 'frame' ? packet.bytes.toString('hex') : packet.kind === 'broken' ? packet.why : packet,
  )

/** The bytes in pieces that end at the given places. */
function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map(place => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end))
}

/** How the bytes of a connection are split into packets. */
export function testPackets(client: ProtocolClient): void {
  const protocol = { ...client.protocol.stream, mostBytes: MOST_BYTES }
  const login = client.login.of(IMEI)
  const keepAlive = client.keepAlive.bytes
  const command = client.frame.ofMessage

  function pushedIn(chunks: readonly Buffer[]): ReceivedPacket[] {
    const packets = new StreamPackets(protocol)
    return chunks.flatMap(chunk => packets.push(chunk))
  }
  const loggedIn = (...chunks: readonly Buffer[]) => pushedIn([login, ...chunks]).slice(1)

  const frame = fc.string({ maxLength: 60 }).map(command)
  const stream = fc
    .array(fc.oneof({ weight: 4, arbitrary: frame }, { weight: 1, arbitrary: fc.constant(keepAlive) }), {
      maxLength: 8,
    })
    .map(packets => ({ packets, bytes: Buffer.concat([login, ...packets]) }))

  describe('what a connection sends', () => {
    it('is a login, then frames and keep-alives, in that order', () => {
      const [first, second] = [command('getver'), command('getinfo')]
      expect(saying(pushedIn([Buffer.concat([login, first, keepAlive, second])]))).toEqual([
        expect.objectContaining({ kind: 'login', imei: IMEI }),
        first.toString('hex'),
        expect.objectContaining({ kind: 'keep-alive' }),
        second.toString('hex'),
      ])
    })

    it('is the same packets however it is cut', () => {
      fc.assert(
        fc.property(stream, fc.array(fc.nat(), { maxLength: 12 }), ({ packets, bytes }, places) => {
          const whole = saying(pushedIn([bytes]))
          expect(whole).toHaveLength(1 + packets.length)
          expect(saying(pushedIn(cutAt(bytes, places)))).toEqual(whole)
        }),
      )
    })

    it('is the same packets when every byte comes alone', () => {
      const bytes = Buffer.concat([login, command('getver'), keepAlive, command('x'.repeat(300))])
      const alone = Array.from(bytes, byte => Buffer.of(byte))
      expect(saying(pushedIn(alone))).toEqual(saying(pushedIn([bytes])))
    })

    it('is the same packets wherever it is cut in two', () => {
      const bytes = Buffer.concat([login, command('getver'), keepAlive, command('getinfo')])
      const whole = saying(pushedIn([bytes]))
      for (let at = 1; at < bytes.length; at++)
        expect(saying(pushedIn([bytes.subarray(0, at), bytes.subarray(at)]))).toEqual(whole)
    })

    it('waits for the rest of a packet without keeping more than came', () => {
      const packets = new StreamPackets(protocol)
      packets.push(login)
      expect(packets.waitingBytes).toBe(0)
      const bytes = command('getver')
      expect(packets.push(bytes.subarray(0, 11))).toEqual([])
      expect(packets.waitingBytes).toBe(11)
      expect(saying(packets.push(bytes.subarray(11)))).toEqual([bytes.toString('hex')])
      expect(packets.waitingBytes).toBe(0)
    })

    it('keeps packets as they came, also when the memory they came in is used again', () => {
      const packets = new StreamPackets(protocol)
      packets.push(login)
      const bytes = command('getver')
      const memory = Buffer.from(bytes.subarray(0, 9))
      packets.push(memory)
      memory.fill(0xaa)
      expect(saying(packets.push(bytes.subarray(9)))).toEqual([bytes.toString('hex')])
    })
  })

  describe('what is no packet', () => {
    it.each([
      ['a frame before the login', command('getver')],
      ['the start of an HTTP request', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ])('is %s', (_, bytes) => {
      expect(pushedIn([bytes])).toEqual([expect.objectContaining({ kind: 'broken' })])
    })

    it.each([
      ['what is out of step', client.outOfStep],
      ['a second login', login],
      ['a frame longer than the limit', client.frame.tooLong],
    ])('is %s', (_, bytes) => {
      expect(loggedIn(bytes)).toEqual([expect.objectContaining({ kind: 'broken' })])
    })

    it('ends the reading: nothing after it is taken for a packet', () => {
      const good = command('getver')
      expect(saying(loggedIn(good, client.outOfStep, good, keepAlive))).toEqual([
        good.toString('hex'),
        expect.stringMatching(client.complaints.outOfStep),
      ])
    })
  })

  describe('garbage', () => {
    const garbage = fc.array(
      fc.uint8Array({ maxLength: 3000 }).map(bytes => Buffer.from(bytes)),
      { maxLength: 12 },
    )

    it.each([
      ['from the first byte', Buffer.alloc(0)],
      ['after a login', login],
      ['after the start of a long frame', Buffer.concat([login, client.frame.begun(client.frame.headBytes, 3850)])],
    ])('%s breaks or waits, never throws, and is not kept beyond the limit', (_, begin) => {
      fc.assert(
        fc.property(garbage, chunks => {
          const packets = new StreamPackets(protocol)
          for (const chunk of [begin, ...chunks]) {
            const frames = packets.push(chunk).flatMap(packet => (packet.kind === 'frame' ? packet.bytes : []))
            expect(Math.max(0, ...frames.map(({ length }) => length))).toBeLessThanOrEqual(MOST_BYTES)
            expect(packets.waitingBytes).toBeLessThan(MOST_BYTES)
          }
        }),
      )
    })
  })
}
