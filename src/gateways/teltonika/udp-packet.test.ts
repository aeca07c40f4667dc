import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writeUdpPacket } from '../../../test/teltonika-packets.ts'
import { DONGLE, eventsByName, samplesIn } from '../../../test/teltonika-record.ts'
import { readUdpPacket, udpAcknowledgement } from './protocol.ts'

/* The example of Teltonika's public description of its protocols. */
const EXAMPLE =
  '003dcafe0105000f33353230393330383634303336353508010000016b4f815b30010000000000000000000000000000000103021503010101425dbc000001'

const read = (hex: string) => readUdpPacket(Buffer.from(hex, 'hex'))

describe('a datagram', () => {
  it('is read', () => {
    const packet = read(EXAMPLE)
    if (packet.kind !== 'data') throw new Error(packet.why)
    expect(packet).toMatchObject({ packetId: 0xcafe, avlPacketId: 5, imei: '352093086403655' })
    const frame = packet.read(DONGLE)
    expect(samplesIn(frame).map(({ timeMs }) => new Date(timeMs).toISOString())).toEqual(['2019-06-13T06:23:26.000Z'])
    expect(samplesIn(frame).flatMap(eventsByName)).toEqual([
      ['BATTERY_VOLTAGE', 23.996],
      ['GPS_SATELLITES_IN_USE', 0],
    ])
  })

  it('is written as it is read', () => {
    const packet = read(EXAMPLE)
    if (packet.kind !== 'data') throw new Error(packet.why)
    const { imei, packetId, avlPacketId } = packet
    const samples = samplesIn(packet.read(DONGLE))
    const again = readUdpPacket(writeUdpPacket({ imei, packetId, avlPacketId }, samples))
    if (again.kind !== 'data') throw new Error(again.why)
    expect(again).toMatchObject({ imei, packetId, avlPacketId })
    expect(samplesIn(again.read(DONGLE))).toEqual(samples)
  })

  it('is acknowledged with its ids and the number of its records', () => {
    expect(udpAcknowledgement({ packetId: 0xcafe, avlPacketId: 5 }, 1).toString('hex')).toBe('0005cafe010501')
  })
})

describe('a datagram that is not right', () => {
  it.each([
    ['an IMEI that is too short', EXAMPLE.replace('000f', '000e')],
    ['an IMEI with another character than digits', EXAMPLE.replace('000f33', '000f3a')],
    ['a length that is not its own', EXAMPLE.replace('003d', '003c')],
    ['nothing behind its head', '0005cafe010501'],
    ['nothing at all', ''],
  ])('has %s', (_, hex) => {
    expect(read(hex)).toMatchObject({ kind: 'broken' })
  })

  it('has records that are refused', () => {
    const packet = read(`${EXAMPLE.slice(0, -2)}02`)
    expect(packet.kind === 'data' && packet.read(DONGLE)).toMatchObject({ kind: 'broken' })
  })

  it('is garbage: it never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), content => {
        expect(['data', 'broken']).toContain(readUdpPacket(Buffer.from(content)).kind)
        const withHead = Buffer.concat([Buffer.from(EXAMPLE.slice(0, 46), 'hex'), content])
        withHead.writeUInt16BE(withHead.length - 2, 0)
        const packet = readUdpPacket(withHead)
        expect(packet.kind === 'data' && packet.read(DONGLE).kind).not.toBe(false)
      }),
    )
  })
})
