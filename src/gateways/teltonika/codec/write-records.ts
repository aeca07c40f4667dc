import { type EventTypeId, requiredEventType } from '../../../catalogue/event-types.ts'
import { type EventValue, eventsOf, type Position, type Sample } from '../../../intake/sample.ts'
import { milliGOf } from './avl-ids/crash.ts'
import { greenDriving } from './avl-ids/green-driving.ts'
import { partsOfIccid } from './avl-ids/iccid.ts'
import { type AvlRow, type Element, rowsOf } from './avl-ids/index.ts'
import { partsOfCell } from './avl-ids/network-cell.ts'
import { GPS_TYPES, UNITS_PER_DEGREE } from './gps-element.ts'
import { FIXED_SIZES } from './layout.ts'

/** An element as it is written. */
interface Written {
  readonly id: number
  readonly value: Buffer
}

/** The row by which an event type is written: the first one, as when it is read. */
const ROWS: ReadonlyMap<EventTypeId, AvlRow> = new Map(
  rowsOf('dongle')
    .toReversed()
    .map(row => [requiredEventType(row.eventType).id, row]),
)

/** The records of samples, one after the other. */
export function writeRecords(samples: readonly Sample[], codec: 8 | '8E'): Buffer[] {
  return samples.map(sample => {
    const events = eventsOf(sample)
    const elements = [...events].flatMap(([typeId, value]) => elementsOf(typeId, value))
    const fitting = once(codec === 8 ? elements.filter(fitsCodec8) : elements)
    return Buffer.concat([head(sample.timeMs), gpsElement(events), ...(codec === 8 ? narrow(fitting) : wide(fitting))])
  })
}

function head(timeMs: number): Buffer {
  const bytes = Buffer.alloc(9)
  bytes.writeBigUInt64BE(BigInt(timeMs))
  return bytes
}

/** What a sample does not have is written as what reading takes for "not available". */
const NOT_AVAILABLE = { altitude: -32_768, course: 0xffff, satellites: 0xff, speed: 0xffff } as const

function gpsElement(events: ReadonlyMap<EventTypeId, EventValue>): Buffer {
  const position = events.get(GPS_TYPES.position)
  const valueOf = (type: EventTypeId, notAvailable: number) => {
    const value = events.get(type)
    return typeof value === 'number' ? Math.round(value) : notAvailable
  }
  const bytes = Buffer.alloc(15)
  const { lon, lat } = isPosition(position) ? position : { lon: 0, lat: 0 }
  bytes.writeInt32BE(Math.round(lon * UNITS_PER_DEGREE), 0)
  bytes.writeInt32BE(Math.round(lat * UNITS_PER_DEGREE), 4)
  bytes.writeInt16BE(valueOf(GPS_TYPES.altitude, NOT_AVAILABLE.altitude), 8)
  bytes.writeUInt16BE(valueOf(GPS_TYPES.course, NOT_AVAILABLE.course), 10)
  bytes.writeUInt8(valueOf(GPS_TYPES.satellites, NOT_AVAILABLE.satellites), 12)
  bytes.writeUInt16BE(valueOf(GPS_TYPES.speed, NOT_AVAILABLE.speed), 13)
  return bytes
}

function isPosition(value: EventValue | undefined): value is Position {
  return typeof value === 'object'
}

function elementsOf(typeId: EventTypeId, value: EventValue): Written[] {
  const row = ROWS.get(typeId)
  switch (row?.kind) {
    case 'number':
      return typeof value === 'number' ? numberElement(row, value) : []
    case 'state': {
      const raw = Object.entries(row.states).find(([, state]) => state === value)?.[0]
      return raw === undefined ? [] : [fixed(row.element, Number(raw))]
    }
    case 'named': {
      const raw = typeof value === 'string' && value !== '' ? row.names.indexOf(value) : -1
      return raw < 0 ? [] : [fixed(row.element, raw)]
    }
    case 'text':
      return typeof value === 'string' && row.pattern.test(value)
        ? [{ id: row.id, value: Buffer.from(value, 'latin1') }]
        : []
    case 'combined':
      return combinedElements(row.eventType, row.elements, row.optional, value)
    default:
      return []
  }
}

/** A value that its element can not tell is not written. */
function numberElement(
  { element, least, most, perUnit }: Extract<AvlRow, { kind: 'number' }>,
  value: number,
): Written[] {
  const raw = Math.round(value * perUnit)
  return raw >= least && raw <= most ? [fixed(element, raw)] : []
}

function combinedElements(
  eventType: string,
  elements: readonly Element[],
  optional: readonly Element[],
  value: EventValue,
): Written[] {
  const raws = rawsOf(eventType, value)
  return [...elements, ...optional].flatMap((element, index) => {
    const raw = raws[index]
    return raw === undefined ? [] : [fixed(element, raw)]
  })
}

/** The raw values of the elements of an event, in the order of its row; undefined for one that it does not take. */
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

function fixed({ id, bytes: [size = 1], isSigned }: Element, raw: number): Written {
  const value = Buffer.alloc(size)
  if (size === 8) value.writeBigUInt64BE(BigInt(raw))
  else if (isSigned) value.writeIntBE(raw, 0, size)
  else value.writeUIntBE(raw, 0, size)
  return { id, value }
}

function fitsCodec8({ id, value }: Written): boolean {
  return id <= 0xff && isFixed(value)
}

/** A record has each element once: of two events that need the same one, the first is told. */
function once(elements: readonly Written[]): Written[] {
  const ids = new Set<number>()
  return elements.filter(({ id }) => ids.size < ids.add(id).size)
}

function isFixed({ length }: Buffer): boolean {
  return FIXED_SIZES.some(size => size === length)
}

function narrow(elements: readonly Written[]): Buffer[] {
  const groups = FIXED_SIZES.map(size => elements.filter(({ value }) => value.length === size))
  return [
    Buffer.of(0, elements.length),
    ...groups.flatMap(group => [Buffer.of(group.length), ...group.flatMap(({ id, value }) => [Buffer.of(id), value])]),
  ]
}

const TEXT_IDS: ReadonlySet<number> = new Set([...ROWS.values()].flatMap(row => (row.kind === 'text' ? [row.id] : [])))

function wide(elements: readonly Written[]): Buffer[] {
  const numbers = elements.filter(({ id }) => !TEXT_IDS.has(id))
  const texts = elements.filter(({ id }) => TEXT_IDS.has(id))
  const groups = FIXED_SIZES.map(size => numbers.filter(({ value }) => value.length === size))
  return [
    ...[0, elements.length].map(word),
    ...groups.flatMap(group => [word(group.length), ...group.flatMap(({ id, value }) => [word(id), value])]),
    word(texts.length),
    ...texts.flatMap(({ id, value }) => [word(id), word(value.length), value]),
  ]
}

function word(value: number): Buffer {
  return Buffer.of(value >> 8, value & 0xff)
}
