import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type TcpPacket, TcpPackets } from './tcp-packets.ts'
import { loginPacket, writeCommand } from './write-frame.ts'

const MOST_BYTES = 4096
const IMEI = '356307042441013'
const KEEP_ALIVE = Buffer.of(0xff)

/** What the packets say, without where in memory they are. */
const saying = (packets: readonly TcpPacket[]) =>
  packets.map(packet =>
    packet.kind === 'frame' ? packet.bytes.toString('hex') : packet.kind === 'broken' ? packet.why : packet,
  )

function pushedIn(chunks: readonly Buffer[]): TcpPacket[] {
  const cutter = new TcpPackets({ mostBytes: MOST_BYTES })
  return chunks.flatMap(chunk => cutter.push(chunk))
}

/** The bytes in pieces that end at the given places. */
function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map(place => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end))
}

const frame = fc.string({ maxLength: 60 }).map(text => writeCommand(text))
const stream = fc
  .array(fc.oneof({ weight: 4, arbitrary: frame }, { weight: 1, arbitrary: fc.constant(KEEP_ALIVE) }), { maxLength: 8 })
  .map(packets => ({ packets, bytes: Buffer.concat([loginPacket(IMEI), ...packets]) }))

describe('what a connection sends', () => {
  it('is a login, then frames and keep-alives, in that order', () => {
    const first = writeCommand('getver')
    const second = writeCommand('getinfo')
    expect(saying(pushedIn([Buffer.concat([loginPacket(IMEI), first, KEEP_ALIVE, second])]))).toEqual([
      { kind: 'login', imei: IMEI },
      first.toString('hex'),
      { kind: 'keep-alive' },
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
    const bytes = Buffer.concat([loginPacket(IMEI), writeCommand('getver'), KEEP_ALIVE, writeCommand('x'.repeat(300))])
    const alone = Array.from(bytes, byte => Buffer.of(byte))
    expect(saying(pushedIn(alone))).toEqual(saying(pushedIn([bytes])))
  })

  it('is the same packets wherever it is cut in two', () => {
    const bytes = Buffer.concat([loginPacket(IMEI), writeCommand('getver'), KEEP_ALIVE, writeCommand('getinfo')])
    const whole = saying(pushedIn([bytes]))
    for (let at = 1; at < bytes.length; at++)
      expect(saying(pushedIn([bytes.subarray(0, at), bytes.subarray(at)]))).toEqual(whole)
  })

  it('waits for the rest of a packet without keeping more than came', () => {
    const cutter = new TcpPackets({ mostBytes: MOST_BYTES })
    cutter.push(loginPacket(IMEI))
    expect(cutter.waitingBytes).toBe(0)
    const bytes = writeCommand('getver')
    expect(cutter.push(bytes.subarray(0, 11))).toEqual([])
    expect(cutter.waitingBytes).toBe(11)
    expect(saying(cutter.push(bytes.subarray(11)))).toEqual([bytes.toString('hex')])
    expect(cutter.waitingBytes).toBe(0)
  })

  it('keeps packets as they came, also when the memory they came in is used again', () => {
    const cutter = new TcpPackets({ mostBytes: MOST_BYTES })
    cutter.push(loginPacket(IMEI))
    const bytes = writeCommand('getver')
    const memory = Buffer.from(bytes.subarray(0, 9))
    cutter.push(memory)
    memory.fill(0xaa)
    expect(saying(cutter.push(bytes.subarray(9)))).toEqual([bytes.toString('hex')])
  })
})

describe('what is no packet', () => {
  const loggedIn = (...chunks: readonly Buffer[]) => pushedIn([loginPacket(IMEI), ...chunks]).slice(1)

  it.each([
    ['a login that is too short', Buffer.from('000e3335323039333038363430333635', 'hex')],
    ['a login with a letter', Buffer.from('000f33353633303730343234343130313a', 'hex')],
    ['a frame before the login', writeCommand('getver')],
    ['the begin of an HTTP request', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ])('is %s', (_, bytes) => {
    expect(pushedIn([bytes])).toEqual([expect.objectContaining({ kind: 'broken' })])
  })

  it.each([
    ['a frame that does not begin with zeros', Buffer.from('000100000000003608', 'hex')],
    ['a second login', loginPacket(IMEI)],
    ['a frame longer than the limit', Buffer.from('0000000000100000', 'hex')],
    ['a frame without data', Buffer.from('0000000000000000', 'hex')],
  ])('is %s', (_, bytes) => {
    expect(loggedIn(bytes)).toEqual([expect.objectContaining({ kind: 'broken' })])
  })

  it('ends the reading: nothing after it is taken for a packet', () => {
    const good = writeCommand('getver')
    expect(saying(loggedIn(good, Buffer.from('0001000000000036', 'hex'), good, KEEP_ALIVE))).toEqual([
      good.toString('hex'),
      'A frame must begin with four zero bytes.',
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
    ['after a login', loginPacket(IMEI)],
    ['after the promise of a long frame', Buffer.concat([loginPacket(IMEI), Buffer.from('0000000000000f00', 'hex')])],
  ])('%s breaks or waits, never throws, and is not kept beyond the limit', (_, begin) => {
    fc.assert(
      fc.property(garbage, chunks => {
        const cutter = new TcpPackets({ mostBytes: MOST_BYTES })
        for (const chunk of [begin, ...chunks]) {
          const frames = cutter.push(chunk).flatMap(packet => (packet.kind === 'frame' ? packet.bytes : []))
          expect(Math.max(0, ...frames.map(({ length }) => length))).toBeLessThanOrEqual(MOST_BYTES)
          expect(cutter.waitingBytes).toBeLessThan(MOST_BYTES)
        }
      }),
    )
  })
})
