import { type EventTypeId, requiredEventType } from '../../catalogue/event-types.ts'
import { type DeviceId, type EventValue, type Sample, SampleLayout } from '../../model/sample.ts'
import type { ReportingDevice } from '../shared/binary/protocol.ts'
import {
  type AvlElement,
  type AvlRow,
  type Family,
  familyOf,
  type NumberRow,
  REPEATING_IDS,
  rowsOf,
} from './avl-ids.ts'

/*
 * The records of a frame, and what their elements mean by the table of avl-ids.ts.
 *
 *     record    time (8) | priority (1) | GPS (15) | event id (, generation) | count of all elements | elements
 *     GPS       longitude (4) | latitude (4) | altitude (2) | course (2) | satellites (1) | speed (2)
 *     elements  for each of 1, 2, 4 and 8 bytes: count, then so many times id | value;
 *               in codec 8 Extended then: count (2), then so many times id (2) | length (2) | value
 */

/** How the records of a codec are laid out; sizes in bytes. */
interface RecordFormat {
  /** Size of an AVL id. */
  readonly idBytes: 1 | 2
  /** Size of each count of elements. */
  readonly countBytes: 1 | 2
  /** Bytes before the count of all elements: the event id, and in codec 16 the generation type. */
  readonly eventBytes: number
  /** Elements of variable length follow those of 1, 2, 4 and 8 bytes. */
  readonly hasVariable: boolean
}

/** By codec. */
export const FORMATS: ReadonlyMap<number, RecordFormat> = new Map([
  [0x08, { idBytes: 1, countBytes: 1, eventBytes: 1, hasVariable: false }],
  [0x8e, { idBytes: 2, countBytes: 2, eventBytes: 2, hasVariable: true }],
  [0x10, { idBytes: 2, countBytes: 1, eventBytes: 3, hasVariable: false }],
])

/** The sizes of elements, in the order in which their groups follow each other. */
export const FIXED_SIZES = [1, 2, 4, 8] as const
/** More than any device has; a record with more is refused. */
const MOST_ELEMENTS = 1024
/** Time and priority, before the GPS element. */
const GPS_AT = 9
const GPS_BYTES = 15

interface Records {
  readonly samples: readonly Sample[]
  /** AVL ids without an event type, and the number of records with each of them. */
  readonly unknownIds: ReadonlyMap<number, number>
}

/** @param at start of the first record
 * @param to end of the last @returns undefined unless the records fill exactly this range */
export function readRecords(
  bytes: Buffer,
  at: number,
  to: number,
  count: number,
  format: RecordFormat,
  { deviceId, hardwareType }: ReportingDevice,
): Records | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const family = familyOf(hardwareType)
  const samples: Sample[] = []
  const unknownIds = new Map<number, number>()
  let next = at
  for (let index = 0; index < count; index++) {
    const found = elementsFrom(view, next + GPS_AT + GPS_BYTES + format.eventBytes, to, format)
    if (!found) return undefined
    const layout = layoutOf(family, found.keys)
    for (const id of layout.unknownIds) unknownIds.set(id, (unknownIds.get(id) ?? 0) + 1)
    const sample = sampleOfRecord(view, next, found, layout, deviceId)
    if (sample.types.length > 0) samples.push(sample)
    next = found.end
  }
  return next === to ? { samples, unknownIds } : undefined
}

/** The elements of a record, in its order. */
interface FoundElements {
  /** Ids and sizes: the same for all records of one layout. */
  readonly keys: readonly number[]
  /** Where the values begin. */
  readonly starts: readonly number[]
  /** Where the record ends. */
  readonly end: number
}

/** Of an element of variable length, the size is 0. */
const keyOf = (id: number, bytes: number) => id * 16 + bytes

/** @param at offset of the count of all elements
 * @param to end of the data @returns undefined when the record does not end before `to`, or its counts disagree */
function elementsFrom(view: DataView, at: number, to: number, format: RecordFormat): FoundElements | undefined {
  const { idBytes, countBytes } = format
  const numberAt = (offset: number, size: 1 | 2) => (size === 1 ? view.getUint8(offset) : view.getUint16(offset))
  let next = at + countBytes
  if (next > to) return undefined
  let missing = numberAt(at, countBytes)
  if (missing > MOST_ELEMENTS) return undefined
  const keys = Array<number>(missing)
  const starts = Array<number>(missing)
  let found = 0
  for (const size of FIXED_SIZES) {
    if (next + countBytes > to) return undefined
    const count = numberAt(next, countBytes)
    next += countBytes
    missing -= count
    if (missing < 0 || next + count * (idBytes + size) > to) return undefined
    for (let index = 0; index < count; index++) {
      keys[found] = keyOf(numberAt(next, idBytes), size)
      starts[found++] = next + idBytes
      next += idBytes + size
    }
  }
  if (!format.hasVariable) return missing === 0 ? { keys, starts, end: next } : undefined
  if (next + 2 > to || view.getUint16(next) !== missing) return undefined
  next += 2
  for (; missing > 0; missing--) {
    if (next + 4 > to) return undefined
    keys[found] = keyOf(view.getUint16(next), 0)
    starts[found++] = next + 4
    next += 4 + view.getUint16(next + 2)
    if (next > to) return undefined
  }
  return { keys, starts, end: next }
}

/** The meaning of the elements of a record, worked out once for all records with the same ones: that takes ten times as long as to read them. */
interface RecordLayout {
  readonly keys: readonly number[]
  readonly values: readonly LayoutValue[]
  /** Of all values. */
  readonly types: readonly EventTypeId[]
  readonly unknownIds: readonly number[]
}

type LayoutValue = { readonly typeId: EventTypeId } & (
  | { readonly from: 'gps'; readonly gps: keyof typeof GPS_TYPES }
  | { readonly from: 'number'; readonly row: NumberRow; readonly element: PlacedElement }
  | { readonly from: 'others'; readonly row: Exclude<AvlRow, NumberRow>; readonly elements: readonly PlacedElement[] }
)

/** An element of a row, by its index among those of the record; -1 for an optional one that is missing. */
interface PlacedElement {
  readonly index: number
  readonly bytes: number
  readonly isSigned: boolean
}

const MISSING: PlacedElement = { index: -1, bytes: 0, isSigned: false }

/** Enough for all devices of a fleet; beyond it, all are worked out again. */
const MOST_LAYOUTS = 2048
const layouts: Readonly<Record<Family, Map<number, RecordLayout>>> = {
  dongle: new Map(),
  tracker: new Map(),
  professional: new Map(),
}

function layoutOf(family: Family, keys: readonly number[]): RecordLayout {
  const ofFamily = layouts[family]
  let hash = keys.length
  for (const key of keys) hash = (Math.imul(hash, 31) + key) | 0
  const known = ofFamily.get(hash)
  if (known && known.keys.length === keys.length && known.keys.every((key, index) => key === keys[index])) return known
  if (ofFamily.size >= MOST_LAYOUTS) ofFamily.clear()
  const layout = newLayout(family, keys)
  ofFamily.set(hash, layout)
  return layout
}

function newLayout(family: Family, keys: readonly number[]): RecordLayout {
  // Of an id that comes twice, the last one counts.
  const indexes = new Map(keys.flatMap((key, index) => (key % 16 > 0 ? [[Math.floor(key / 16), index] as const] : [])))
  const placed = ({ id, bytes, isSigned }: AvlElement) => {
    const index = indexes.get(id)
    const size = index === undefined ? 0 : (keys[index] ?? 0) % 16
    return index !== undefined && bytes.includes(size) ? { index, bytes: size, isSigned } : undefined
  }
  const values: LayoutValue[] = [...GPS_VALUES]
  const meant = new Set<number>()
  for (const row of rowsOf(family)) {
    const typeId = requiredEventType(row.eventType).id
    const textIndex = row.kind === 'text' ? keys.lastIndexOf(keyOf(row.id, 0)) : -1
    const needed = row.kind === 'text' ? [] : row.kind === 'combined' ? row.elements : [row.element]
    const optional = row.kind === 'combined' ? row.optional : []
    const elements = row.kind === 'text' ? [{ index: textIndex, bytes: 0, isSigned: false }] : needed.map(placed)
    const isComplete = row.kind === 'text' ? textIndex >= 0 : elements.every(element => element)
    for (const element of [...needed, ...(isComplete ? optional : [])])
      if (placed(element)) meant.add(keys[indexes.get(element.id) ?? -1] ?? -1)
    if (!isComplete) continue
    if (row.kind === 'text') meant.add(keyOf(row.id, 0))
    // A row whose elements are there counts, even when it says "not available".
    if (values.some(value => value.typeId === typeId)) continue
    const [element = MISSING, ...others] = [...elements, ...optional.map(placed)].map(found => found ?? MISSING)
    if (row.kind === 'number') values.push({ typeId, from: 'number', row, element })
    else values.push({ typeId, from: 'others', row, elements: [element, ...others] })
  }
  values.sort((a, b) => a.typeId - b.typeId)
  const unknown = keys.filter(key => !meant.has(key) && !REPEATING_IDS.has(Math.floor(key / 16)))
  return {
    keys,
    values,
    types: SampleLayout.of(values.map(({ typeId }) => typeId)).types,
    unknownIds: [...new Set(unknown)].map(key => Math.floor(key / 16)),
  }
}

function sampleOfRecord(
  view: DataView,
  at: number,
  { starts }: FoundElements,
  { values, types }: RecordLayout,
  deviceId: DeviceId,
): Sample {
  const gps = gpsAt(view, at + GPS_AT)
  const numbers: number[] = []
  const texts: string[] = []
  /** Where not all of them have a value. */
  let some: EventTypeId[] | undefined
  values.forEach((value, index) => {
    const isAvailable =
      value.from === 'number'
        ? addNumber(numbers, value.row, rawAt(view, starts, value.element))
        : addValue(
            numbers,
            texts,
            value.from === 'gps' ? gps[value.gps] : valueOf(value.row, value.elements, view, starts),
          )
    if (isAvailable) some?.push(value.typeId)
    else some ??= types.slice(0, index)
  })
  const timeMs = view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4)
  // Shared and not longer than needed: a sample is kept until it is derived.
  const shared = some ? SampleLayout.of(some).types : types
  return { deviceId, timeMs, types: shared, numbers: numbers.slice(), texts: texts.slice() }
}

/** @returns false for "not available", as the next one does */
function addNumber(numbers: number[], { least, most, perUnit }: NumberRow, raw: number): boolean {
  const isAvailable = raw >= least && raw <= most
  if (isAvailable) numbers.push(raw / perUnit)
  return isAvailable
}

function addValue(numbers: number[], texts: string[], value: EventValue | undefined): boolean {
  if (value === undefined) return false
  if (typeof value === 'string') texts.push(value)
  else if (typeof value === 'object') numbers.push(value.lon, value.lat)
  else numbers.push(Number(value))
  return true
}

function valueOf(
  row: Exclude<AvlRow, NumberRow>,
  elements: readonly PlacedElement[],
  view: DataView,
  starts: readonly number[],
): EventValue | undefined {
  if (row.kind === 'combined')
    return row.valueOf(elements.map(element => (element.index < 0 ? Number.NaN : rawAt(view, starts, element))))
  const [element = MISSING] = elements
  if (row.kind === 'text') {
    const at = starts[element.index] ?? 0
    // Its length is before it.
    const text = Buffer.from(view.buffer, view.byteOffset + at, view.getUint16(at - 2)).toString('latin1')
    return row.pattern.test(text) ? text : undefined
  }
  const raw = rawAt(view, starts, element)
  return row.kind === 'state' ? row.states[raw] : row.names[raw] || undefined
}

/** The raw value of an element; only one of 8 bytes can be too large to be exact. */
function rawAt(view: DataView, starts: readonly number[], element: PlacedElement): number {
  const at = starts[element.index] ?? 0
  switch (element.bytes) {
    case 1:
      return element.isSigned ? view.getInt8(at) : view.getUint8(at)
    case 2:
      return element.isSigned ? view.getInt16(at) : view.getUint16(at)
    case 4:
      return element.isSigned ? view.getInt32(at) : view.getUint32(at)
    default:
      return (element.isSigned ? view.getInt32(at) : view.getUint32(at)) * 2 ** 32 + view.getUint32(at + 4)
  }
}

export const GPS_TYPES = {
  position: requiredEventType('POSITION').id,
  altitude: requiredEventType('GPS_ALTITUDE').id,
  course: requiredEventType('GPS_COURSE').id,
  satellites: requiredEventType('GPS_SATELLITES_IN_USE').id,
  speed: requiredEventType('GPS_SPEED').id,
} as const

const GPS_VALUES = (Object.keys(GPS_TYPES) as (keyof typeof GPS_TYPES)[]).map(
  gps => ({ typeId: GPS_TYPES[gps], from: 'gps', gps }) as const,
)

export const UNITS_PER_DEGREE = 1e7

/** The values of the GPS element. Without satellites there is no fix: devices repeat their last position with speed 0.
 * Nor at 0,0 or off the earth. Values out of bounds mean "not available". */
function gpsAt(view: DataView, at: number): Record<keyof typeof GPS_TYPES, EventValue | undefined> {
  const lon = view.getInt32(at) / UNITS_PER_DEGREE
  const lat = view.getInt32(at + 4) / UNITS_PER_DEGREE
  const altitudeM = view.getInt16(at + 8)
  const courseDeg = view.getUint16(at + 10)
  const satellites = view.getUint8(at + 12)
  const speedKmh = view.getUint16(at + 13)
  const isFix = satellites > 0 && (lon !== 0 || lat !== 0) && Math.abs(lon) <= 180 && Math.abs(lat) <= 90
  return {
    position: isFix ? { lon, lat } : undefined,
    altitude: isFix && altitudeM >= -500 && altitudeM <= 9000 ? altitudeM : undefined,
    course: isFix && courseDeg <= 360 ? courseDeg % 360 : undefined,
    satellites: satellites <= 100 ? satellites : undefined,
    speed: isFix && speedKmh <= 500 ? speedKmh : undefined,
  }
}
