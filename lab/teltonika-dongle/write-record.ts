import { type EventTypeId, requiredEventType } from '../../src/catalogue/event-types.ts'
import { greenDriving, milliGOf, partsOfCell, partsOfIccid } from '../../src/gateways/teltonika/avl-values.ts'
import { type AvlRow, type Element, rowsOf } from '../../src/gateways/teltonika/codec/avl-ids/index.ts'
import { GPS_TYPES, UNITS_PER_DEGREE } from '../../src/gateways/teltonika/codec/gps-element.ts'
import { FIXED_SIZES } from '../../src/gateways/teltonika/codec/layout.ts'
import { type EventValue, eventsOf, type Sample } from '../../src/model/sample.ts'
import type { ByteWriter } from './byte-writer.ts'

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

/** Writes the record of a sample, in codec 8 or 8 Extended. */
export function writeRecord(into: ByteWriter, sample: Sample, codec: 8 | '8E'): void {
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

/** A value that its element can not represent is not written. */
function addElements(to: Written[], typeId: EventTypeId, value: EventValue): void {
  const row = ROWS.get(typeId)
  if (row?.kind === 'text') {
    if (typeof value === 'string' && row.pattern.test(value)) to.push({ id: row.id, bytes: 0, raw: 0, text: value })
  } else if (row?.kind === 'combined') {
    const elements = [...row.elements, ...row.optional]
    for (const [index, raw] of rawsOf(row.eventType, value).entries()) addElement(to, elements[index], raw)
  } else if (row) addElement(to, row.element, rawOf(row, value))
}

/** A record has each element once: of two events that need the same one, the first is written. */
function addElement(to: Written[], element: Element | undefined, raw: number | undefined): void {
  const bytes = element?.bytes[0]
  if (!element || bytes === undefined || raw === undefined || to.some(({ id }) => id === element.id)) return
  to.push({ id: element.id, bytes, raw, text: '' })
}

function rawOf(row: Extract<AvlRow, { element: Element }>, value: EventValue): number | undefined {
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
  if (eventType === 'NETWORK_CELL_INFO') {
    const parts = typeof value === 'string' ? partsOfCell(value) : undefined
    if (!parts) return []
    const { operator, area, cell } = parts
    return cell < 0xffff ? [operator, area, cell] : [operator, area, undefined, cell]
  }
  if (eventType === 'ICCID') return typeof value === 'string' && /^\d{18,20}$/.test(value) ? partsOfIccid(value) : []
  if (typeof value !== 'number') return []
  if (eventType === 'HARSH_ACCELERATION') return greenDriving('acceleration', value)
  if (eventType === 'HARSH_BRAKING') return greenDriving('braking', value)
  if (eventType === 'HARSH_CORNERING_COUNT') return value === 1 ? greenDriving('cornering', 0) : []
  return eventType === 'SEVERE_CRASH' ? [1, milliGOf(value), 0, 0] : []
}

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
