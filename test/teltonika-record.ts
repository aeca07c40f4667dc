import { eventTypeById } from '../src/catalogue/event-types.ts'
import type { ReportingDevice } from '../src/gateways/shared/binary/protocol.ts'
import { type CodecFrame, crc16, readTcpFrame } from '../src/gateways/teltonika/protocol.ts'
import { type EventValue, eventsOf, type Sample } from '../src/model/sample.ts'

/** A dongle that did not say which model it is. */
export const DONGLE: ReportingDevice = { deviceId: 356307042441013 as ReportingDevice['deviceId'], hardwareType: '' }

/** 15 bytes in hexadecimal digits: the GPS element of a receiver without a fix. */
const NO_FIX = '00'.repeat(15)

/** The time of records made here. */
export const TIME_MS = Date.UTC(2026, 0, 15, 8)

/** Values of elements by their AVL id, in hexadecimal digits: two of them are an element of one byte. */
export type Elements = Readonly<Record<number, string>>

const word = (value: number) => value.toString(16).padStart(4, '0')

/** A record of codec 8 Extended, in hexadecimal digits, written according to the protocol's document, with no code of the service. */
export function record(elements: Elements, { gps = NO_FIX, timeMs = TIME_MS } = {}): string {
  const all = Object.entries(elements).map(([id, value]) => ({ id: Number(id), value }))
  const group = (bytes: number) => {
    const members = all.filter(({ value }) => value.length === bytes * 2)
    return word(members.length) + members.map(({ id, value }) => word(id) + value).join('')
  }
  const others = all.filter(({ value }) => ![2, 4, 8, 16].includes(value.length))
  const variable = others.map(({ id, value }) => word(id) + word(value.length / 2) + value).join('')
  return [
    timeMs.toString(16).padStart(16, '0'),
    '00',
    gps,
    word(0),
    word(all.length),
    ...[1, 2, 4, 8].map(group),
    word(others.length),
    variable,
  ].join('')
}

/** A frame around data in hexadecimal digits, with their length and checksum. */
export function framed(data: string): Buffer {
  const bytes = Buffer.from(data, 'hex')
  const head = Buffer.alloc(8)
  head.writeUInt32BE(bytes.length, 4)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc16(bytes, 0, bytes.length))
  return Buffer.concat([head, bytes, checksum])
}

export function frameWith(...records: readonly string[]): Buffer {
  const count = records.length.toString(16).padStart(2, '0')
  return framed(`8e${count}${records.join('')}${count}`)
}

/** What a frame of codec 8 Extended with one record is read as. */
export function readRecord(elements: Elements, { gps = NO_FIX, device = DONGLE } = {}) {
  const frame = readTcpFrame(frameWith(record(elements, { gps })), device)
  if (frame.kind !== 'data') throw new Error(`not read as data: ${JSON.stringify(frame)}`)
  return { events: frame.samples.flatMap(eventsByName), unknownIds: [...frame.unknownIds.keys()] }
}

/** The events of a sample as name and value. */
export function eventsByName(sample: Sample): [string, EventValue][] {
  return [...eventsOf(sample)].map(([id, value]) => [eventTypeById(id).name, value])
}

export function samplesIn(frame: CodecFrame): readonly Sample[] {
  if (frame.kind !== 'data') throw new Error(`no data: ${JSON.stringify(frame)}`)
  return frame.samples
}
