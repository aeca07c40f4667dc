import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writeTcpFrame } from '../../../lab/teltonika-dongle/write-frame.ts'
import { writeCommand } from '../../../test/teltonika-packets.ts'
import { DONGLE, eventsByName, framed, frameWith, record, samplesIn, TIME_MS } from '../../../test/teltonika-record.ts'
import { readTcpFrame, tcpAcknowledgement } from './protocol.ts'

/* The first three are the examples of Teltonika's public description of its protocols. */
const CODEC_8 =
  '000000000000003608010000016b40d8ea30010000000000000000000000000000000105021503010101425e0f01f10000601a014e0000000000000000010000c7cf'
const CODEC_8_EXTENDED =
  '000000000000004a8e010000016b412cee000100000000000000000000000000000000010005000100010100010011001d00010010015e2c880002000b000000003544c87a000e000000001dd7e06a00000100002994'
const CODEC_12 = '000000000000000f0c010500000007676574696e666f0100004312'

const read = (hex: string) => readTcpFrame(Buffer.from(hex, 'hex'), DONGLE)

describe('a frame of data', () => {
  it('of codec 8 is read', () => {
    const frame = read(CODEC_8)
    expect(frame).toMatchObject({ kind: 'data', records: 1 })
    expect(samplesIn(frame).map(({ timeMs }) => new Date(timeMs).toISOString())).toEqual(['2019-06-10T10:04:46.000Z'])
    expect(samplesIn(frame).flatMap(eventsByName)).toEqual([
      ['BATTERY_VOLTAGE', 24.079],
      ['GPS_SATELLITES_IN_USE', 0],
    ])
  })

  it('of codec 8 Extended is read', () => {
    const frame = read(CODEC_8_EXTENDED)
    expect(samplesIn(frame).flatMap(eventsByName)).toEqual([
      ['GPS_SATELLITES_IN_USE', 0],
      ['ICCID', '893700218500686954'],
      ['MILEAGE', 22_949],
    ])
  })

  it('of codec 16 is read', () => {
    // Event id 239, caused by a change, two elements of one byte: ignition and movement.
    const data = `1001${TIME_MS.toString(16).padStart(16, '0')}00${'00'.repeat(15)}00ef05020200ef0100f00000000001`
    expect(samplesIn(readTcpFrame(framed(data), DONGLE)).flatMap(eventsByName)).toEqual([
      ['GPS_SATELLITES_IN_USE', 0],
      ['IS_IGNITION_ON', true],
      ['IS_MOVING', false],
    ])
  })

  it('has a sample for each record, with its time', () => {
    const times = [TIME_MS, TIME_MS + 1, TIME_MS]
    const frame = readTcpFrame(frameWith(...times.map(timeMs => record({ 239: '01' }, { timeMs }))), DONGLE)
    expect(frame).toMatchObject({ records: 3 })
    expect(samplesIn(frame).map(({ timeMs }) => timeMs)).toEqual(times)
  })

  it('counts the ids that mean nothing to us, by records', () => {
    const frame = readTcpFrame(
      frameWith(record({ 21: '04', 239: '01' }), record({ 21: '03', 331: '0003' }), record({})),
      DONGLE,
    )
    expect(frame).toMatchObject({
      unknownIds: new Map([
        [21, 2],
        [331, 1],
      ]),
    })
  })

  it('is not read like one with other elements whose ids happen to have the same hash', () => {
    const codesAndIgnition = frameWith(record({ 30: '07', 239: '01' }))
    const loadAndUnknown = frameWith(record({ 31: '07', 208: '01' }))
    expect(samplesIn(readTcpFrame(codesAndIgnition, DONGLE)).flatMap(eventsByName)).toContainEqual(['OBD_DTC_COUNT', 7])
    expect(samplesIn(readTcpFrame(loadAndUnknown, DONGLE)).flatMap(eventsByName)).toEqual([
      ['ENGINE_LOAD_AVERAGE', 7],
      ['GPS_SATELLITES_IN_USE', 0],
    ])
  })

  it('is the same when many other sets of elements were read before', () => {
    const before = read(CODEC_8)
    for (let id = 1000; id < 6000; id++) readTcpFrame(frameWith(record({ [id]: '01' })), DONGLE)
    expect(read(CODEC_8)).toEqual(before)
  })
})

describe('a frame of messages', () => {
  it('of codec 12 is read', () => {
    expect(read(CODEC_12)).toEqual({ kind: 'messages', codec: 12, messages: [{ type: 5, text: 'getinfo' }] })
  })

  it.each([
    [13, '0d01060000000b64e8328168656c6c6f0d0a01', 'hello\r\n'],
    [14, '0e01050000000e035209308145225167657476657201', 'getver'],
    [15, '0f010b0000000f64e8328103520930814522510102ff01', '0102ff'],
  ] as const)('of codec %i is read without what stands before the text', (codec, data, text) => {
    expect(readTcpFrame(framed(data), DONGLE)).toMatchObject({ kind: 'messages', codec, messages: [{ text }] })
  })

  it.each(['', 'getver', 'deleterecords 1,2'])('with the command "%s" is written as it is read', text => {
    expect(readTcpFrame(writeCommand(text), DONGLE)).toMatchObject({ messages: [{ type: 5, text }] })
  })
})

describe('a frame that is not right', () => {
  const data = `8e01${record({ 239: '01' })}01`

  it.each([
    ['codec 7 (GH3000)', `07${data.slice(2)}`, 'codec 7 (GH3000) is not supported'],
    ['codec 17', `11${data.slice(2)}`, 'codec 17 is not supported'],
    ['counts that differ', `${data.slice(0, -2)}02`, 'it has 1 records by the count before them, 2 by that after them'],
    ['more records than are there', `8e02${data.slice(4, -2)}02`, 'its 2 records do not fill it exactly'],
    [
      'fewer records than are there',
      `8e01${data.slice(4, -2)}${data.slice(4, -2)}01`,
      'its 1 records do not fill it exactly',
    ],
    ['no records', '8e0000', 'it has no records'],
    ['a message that is longer than the frame', '0c0105000000ff6701', 'its 1 messages do not fill it exactly'],
  ])('has %s', (_, content, why) => {
    expect(readTcpFrame(framed(content), DONGLE)).toEqual({ kind: 'broken', why: `The frame is refused: ${why}.` })
  })

  it('has a number of elements that is not the sum of its groups', () => {
    const elements = record({ 239: '01', 66: '3456' })
    const totalAt = 2 * (8 + 1 + 15 + 2)
    const claimsThree = `${elements.slice(0, totalAt)}0003${elements.slice(totalAt + 4)}`
    expect(readTcpFrame(framed(`8e01${claimsThree}01`), DONGLE)).toMatchObject({ kind: 'broken' })
  })

  it('has a bit that was flipped, whichever it is', () => {
    const whole = Buffer.from(CODEC_8_EXTENDED, 'hex')
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const flipped = Buffer.from(whole)
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      expect(readTcpFrame(flipped, DONGLE)).toMatchObject({ kind: 'broken' })
    }
  })

  it('has a burst of up to 16 wrong bits in its data or checksum', () => {
    const whole = Buffer.from(CODEC_8, 'hex')
    const patterns = fc.tuple(fc.integer({ min: 1, max: 0xffff }), fc.nat(7)).map(([bits, shift]) => bits << shift)
    fc.assert(
      fc.property(fc.integer({ min: 8, max: whole.length - 3 }), patterns, (at, bits) => {
        const flipped = Buffer.from(whole)
        flipped.writeUIntBE(flipped.readUIntBE(at, 3) ^ bits, at, 3)
        expect(readTcpFrame(flipped, DONGLE)).toMatchObject({ kind: 'broken' })
      }),
    )
  })

  it('is cut short, wherever', () => {
    const whole = Buffer.from(CODEC_8, 'hex')
    for (let bytes = 0; bytes < whole.length; bytes++)
      expect(readTcpFrame(whole.subarray(0, bytes), DONGLE)).toMatchObject({ kind: 'broken' })
  })
})

describe('garbage with a right checksum', () => {
  const codec = fc.constantFrom(0x07, 0x08, 0x8e, 0x10, 0x0c, 0x0d, 0x0e, 0x0f)
  const garbage = fc.uint8Array({ maxLength: 300 })

  it('never throws', () => {
    fc.assert(
      fc.property(codec, fc.integer({ min: 0, max: 4 }), garbage, (id, count, content) => {
        const frame = readTcpFrame(framed(Buffer.of(id, count, ...content, count).toString('hex')), DONGLE)
        expect(['data', 'messages', 'broken']).toContain(frame.kind)
      }),
      { numRuns: 1000 },
    )
  })

  it('inside of a right record never throws, and gives no value that is not one', () => {
    const value = fc.uint8Array({ minLength: 1, maxLength: 20 }).map(bytes => Buffer.from(bytes).toString('hex'))
    const elements = fc.dictionary(fc.integer({ min: 0, max: 1200 }).map(String), value, { maxKeys: 40 })
    const gps = fc.uint8Array({ minLength: 15, maxLength: 15 }).map(bytes => Buffer.from(bytes).toString('hex'))
    fc.assert(
      fc.property(elements, gps, (values, position) => {
        const frame = readTcpFrame(frameWith(record(values, { gps: position })), DONGLE)
        for (const { types, numbers, texts } of samplesIn(frame)) {
          expect(numbers.every(Number.isFinite)).toBe(true)
          expect(texts.every(text => /^[ -~]*$/.test(text))).toBe(true)
          expect([...types].sort((a, b) => a - b)).toEqual(types)
          expect(new Set(types).size).toBe(types.length)
        }
      }),
      { numRuns: 300 },
    )
  })
})

it('acknowledges with the number of records in four bytes', () => {
  expect(tcpAcknowledgement(2)).toEqual(Buffer.of(0, 0, 0, 2))
})

it('gives samples whose values stay when the memory of the frame is used again', () => {
  const bytes = writeTcpFrame(samplesIn(read(CODEC_8_EXTENDED)))
  const frame = readTcpFrame(bytes, DONGLE)
  const before = JSON.stringify(frame)
  bytes.fill(0x41)
  expect(JSON.stringify(frame)).toBe(before)
})
