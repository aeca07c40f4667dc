import { type EventTypeId, requiredEventType } from '../../src/catalogue/event-types.ts'
import { type AvlElement, type AvlRow, rowsOf } from '../../src/gateways/teltonika/avl-ids.ts'
import { CHECKSUM_BYTES, crc16, FRAME_HEAD_BYTES } from '../../src/gateways/teltonika/protocol.ts'
import { FIXED_SIZES, GPS_TYPES, UNITS_PER_DEGREE } from '../../src/gateways/teltonika/records.ts'
import { type EventValue, eventsOf, type Sample } from '../../src/model/sample.ts'

/* What a dongle sends: for the virtual fleet, benchmarks and tests. */

/** Codec 8 has no elements of variable length and none with an id above 255. */
export type DataCodec = 8 | '8E'

const MOST_RECORDS = 255

export function loginPacket(imei: string): Buffer {
  const bytes = Buffer.alloc(2 + imei.length)
  bytes.writeUInt16BE(imei.length, 0)
  bytes.write(imei, 2, 'latin1')
  return bytes
}

/**
 * A frame with a record for each sample. It is the inverse of reading, as far as there are AVL ids: an event without
 * one is left out, numbers are rounded to the resolution of their element, and without a POSITION the only value
 * of the receiver is the number of satellites. A record has room for one harsh driving event.
 * @throws RangeError for more or fewer
 */
export function writeTcpFrame(samples: readonly Sample[], codec: DataCodec = '8E'): Buffer {
  return framed(recordsOf(samples, codec))
}

export function recordsOf(samples: readonly Sample[], codec: DataCodec): Buffer {
  if (samples.length < 1 || samples.length > MOST_RECORDS)
    throw new RangeError(`a frame has 1 to ${MOST_RECORDS} records, not ${samples.length}`)
  const data = new ByteWriter()
  data.integer(codec === 8 ? 0x08 : 0x8e, 1)
  data.integer(samples.length, 1)
  for (const sample of samples) writeRecord(data, sample, codec)
  data.integer(samples.length, 1)
  return data.finish()
}

export function framed(data: Buffer): Buffer {
  const bytes = Buffer.alloc(FRAME_HEAD_BYTES + data.length + CHECKSUM_BYTES)
  bytes.writeUInt32BE(data.length, 4)
  data.copy(bytes, FRAME_HEAD_BYTES)
  bytes.writeUInt32BE(crc16(data, 0, data.length), FRAME_HEAD_BYTES + data.length)
  return bytes
}

/** An element to be written. A text has size 0. */
interface Written {
  readonly id: number
  readonly bytes: number
  readonly raw: number
  readonly text: string
}

/** The row used to write an event type: the first one, as when reading. */
const ROWS: ReadonlyMap<EventTypeId, AvlRow> = new Map(
  rowsOf('dongle')
    .toReversed()
    .map(row => [requiredEventType(row.eventType).id, row]),
)

function writeRecord(into: ByteWriter, sample: Sample, codec: 8 | '8E'): void {
  const events = eventsOf(sample)
  const elements: Written[] = []
  for (const [typeId, value] of events) addElements(elements, typeId, value)
  into.integer(sample.timeMs, 8)
  into.integer(0, 1)
  writeGps(into, events)
  if (codec === 8) writeElements(into, elements.filter(fitsCodec8), 1)
  else writeElements(into, elements, 2)
}

/** Missing values are written as "not available". */
const NOT_AVAILABLE = { altitude: -32_768, course: 0xffff, satellites: 0xff, speed: 0xffff } as const

function writeGps(into: ByteWriter, events: ReadonlyMap<EventTypeId, EventValue>): void {
  const position = events.get(GPS_TYPES.position)
  const { lon, lat } = typeof position === 'object' ? position : { lon: 0, lat: 0 }
  const value = (name: keyof typeof NOT_AVAILABLE, bytes: number) => {
    const measured = events.get(GPS_TYPES[name])
    into.integer(typeof measured === 'number' ? Math.round(measured) : NOT_AVAILABLE[name], bytes)
  }
  into.integer(Math.round(lon * UNITS_PER_DEGREE), 4)
  into.integer(Math.round(lat * UNITS_PER_DEGREE), 4)
  value('altitude', 2)
  value('course', 2)
  value('satellites', 1)
  value('speed', 2)
}

/** A value that its element cannot represent is not written. */
function addElements(to: Written[], typeId: EventTypeId, value: EventValue): void {
  const row = ROWS.get(typeId)
  if (row?.kind === 'text') {
    if (typeof value === 'string') to.push({ id: row.id, bytes: 0, raw: 0, text: value })
  } else if (row?.kind === 'combined') {
    const elements = [...row.elements, ...row.optional]
    for (const [index, raw] of rawsOf(row.eventType, value).entries()) addElement(to, elements[index], raw)
  } else if (row) addElement(to, row.element, rawOf(row, value))
}

/** A record has each element once: of two events that need the same one, the first is written. */
function addElement(to: Written[], element: AvlElement | undefined, raw: number | undefined): void {
  const bytes = element?.bytes[0]
  if (!element || bytes === undefined || raw === undefined || to.some(({ id }) => id === element.id)) return
  to.push({ id: element.id, bytes, raw, text: '' })
}

function rawOf(row: Extract<AvlRow, { element: AvlElement }>, value: EventValue): number | undefined {
  if (row.kind === 'state') {
    const raw = Object.keys(row.states).find(state => row.states[Number(state)] === value)
    return raw === undefined ? undefined : Number(raw)
  }
  if (row.kind === 'named') {
    const raw = typeof value === 'string' && value !== '' ? row.names.indexOf(value) : -1
    return raw < 0 ? undefined : raw
  }
  const raw = typeof value === 'number' ? Math.round(value * row.perUnit) : Number.NaN
  return raw >= row.least && raw <= row.most ? raw : undefined
}

/** The raw values of an event's elements, in the order of its row; undefined for one that it does not use. */
function rawsOf(eventType: string, value: EventValue): readonly (number | undefined)[] {
  const text = typeof value === 'string' ? value : ''
  if (eventType === 'NETWORK_CELL_INFO') {
    const [, country, network, area, cell] = /^([2-9]\d\d);(\d{2,3});(\d{1,5});(\d{1,10})$/.exec(text) ?? []
    if (country === undefined || network === undefined) return []
    const place = [Number(country + network), Number(area)]
    return Number(cell) < 0xffff ? [...place, Number(cell)] : [...place, undefined, Number(cell)]
  }
  if (eventType === 'ICCID') {
    const [, first, last] = /^(\d{9,11})(\d{9})$/.exec(text) ?? []
    return first === undefined ? [] : [Number(first), Number(last)]
  }
  if (typeof value !== 'number') return []
  const milliG = (value * 1000) / STANDARD_GRAVITY_MPS2
  const hundredthsG = Math.min(255, Math.max(0, Math.round(milliG / 10)))
  if (eventType === 'HARSH_ACCELERATION') return [1, hundredthsG]
  if (eventType === 'HARSH_BRAKING') return [2, hundredthsG]
  if (eventType === 'HARSH_CORNERING_COUNT') return value === 1 ? [3, 0] : []
  return eventType === 'SEVERE_CRASH' ? [1, Math.min(8000, Math.max(-8000, Math.round(milliG))), 0, 0] : []
}

const STANDARD_GRAVITY_MPS2 = 9.80665

function fitsCodec8({ id, bytes }: Written): boolean {
  return id <= 0xff && bytes > 0
}

/** @param wordBytes the size of ids and counts: 1 in codec 8, which has no group of texts; 2 in 8 Extended */
function writeElements(into: ByteWriter, elements: readonly Written[], wordBytes: 1 | 2): void {
  // No event id: the record is a periodic one.
  into.integer(0, wordBytes)
  into.integer(elements.length, wordBytes)
  for (const size of FIXED_SIZES) {
    const group = elements.filter(({ bytes }) => bytes === size)
    into.integer(group.length, wordBytes)
    for (const { id, raw } of group) {
      into.integer(id, wordBytes)
      into.integer(raw, size)
    }
  }
  if (wordBytes === 1) return
  const texts = elements.filter(({ bytes }) => bytes === 0)
  into.integer(texts.length, 2)
  for (const { id, text } of texts) {
    into.integer(id, 2)
    into.integer(text.length, 2)
    into.text(text)
  }
}

/** Bytes in big-endian order, written one value after the other into memory that grows. */
class ByteWriter {
  #bytes = Buffer.allocUnsafe(1024)
  #length = 0

  /** @param value a whole number, negative or not, of 1, 2, 4 or 8 bytes */
  integer(value: number, bytes: number): void {
    this.#reserve(bytes)
    if (bytes === 8) {
      const high = Math.floor(value / 2 ** 32)
      this.#bytes.writeInt32BE(high | 0, this.#length)
      this.#bytes.writeUInt32BE(value - high * 2 ** 32, this.#length + 4)
    } else for (let byte = 0; byte < bytes; byte++) this.#bytes[this.#length + byte] = value >> (8 * (bytes - 1 - byte))
    this.#length += bytes
  }

  text(value: string): void {
    this.#reserve(value.length)
    this.#length += this.#bytes.write(value, this.#length, 'latin1')
  }

  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length))
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + bytes))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
