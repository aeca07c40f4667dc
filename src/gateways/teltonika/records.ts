import { type EventTypeId, eventTypeById, isWithinLimits, requiredEventType } from '../../catalogue/event-types.ts'
import { availableOf, type DeviceId, type EventValue, type Sample, SampleLayout } from '../../model/sample.ts'
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

const NO_IDS: ReadonlyMap<number, number> = new Map()

interface Records {
  readonly samples: readonly Sample[]
  /** AVL ids without an event type or an available value, and the number of records with each of them. */
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
  let samples: Sample[] | undefined
  let unknownIds: Map<number, number> | undefined
  let next = at
  for (let index = 0; index < count; index++) {
    const found = elementsFrom(view, next + GPS_AT + GPS_BYTES + format.eventBytes, to, format)
    if (!found) return undefined
    const layout = layoutOf(family, found.keys)
    const sample = sampleOfRecord(bytes, view, next, found, layout, deviceId)
    if (layout.unknownIds.length + unavailableIds.length > 0) unknownIds ??= new Map()
    if (unknownIds)
      for (const id of layout.unknownIds.concat(unavailableIds)) unknownIds.set(id, (unknownIds.get(id) ?? 0) + 1)
    if (sample.types.length > 0) samples = withOne(samples, sample)
    next = found.end
  }
  return next === to ? { samples: samples ?? [], unknownIds: unknownIds ?? NO_IDS } : undefined
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
  | { readonly from: 'position' }
  | { readonly from: 'gps'; readonly gps: GpsNumber }
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

/** The numbers of the record that is read. They are copied once it is known how many there are, so that a sample, which
 * is kept until it is derived, is not longer than needed. Fractions, so that the copies hold doubles from the start. */
const numbers: number[] = Array.from({ length: 256 }, () => 0.5)
/** The elements of one value, all of which are read before the next one. */
const raw: number[] = []
/** Of the record that is read: numbers and texts that are not available. */
const unavailableIds: number[] = []
const NO_TEXTS: readonly string[] = []

function sampleOfRecord(
  bytes: Buffer,
  view: DataView,
  at: number,
  { starts }: FoundElements,
  { values, types }: RecordLayout,
  deviceId: DeviceId,
): Sample {
  const gpsStart = at + GPS_AT
  const isFix = isFixAt(view, gpsStart)
  unavailableIds.length = 0
  let count = 0
  let texts: string[] | undefined
  /** Where not all of them have a value. */
  let some: EventTypeId[] | undefined
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as LayoutValue
    let isAvailable = true
    if (value.from === 'number') {
      const { least, most, perUnit } = value.row
      const number = rawAt(view, starts, value.element)
      isAvailable = number >= least && number <= most
      if (isAvailable) numbers[count++] = number / perUnit
      else unavailableIds.push(value.row.element.id)
    } else if (value.from === 'position') {
      isAvailable = isFix
      if (isFix) {
        numbers[count++] = view.getInt32(gpsStart) / UNITS_PER_DEGREE
        numbers[count++] = view.getInt32(gpsStart + 4) / UNITS_PER_DEGREE
      }
    } else if (value.from === 'gps') {
      const number = gpsNumberAt(view, gpsStart, value.gps, isFix)
      isAvailable = !Number.isNaN(number)
      if (isAvailable) numbers[count++] = number
    } else {
      const found = valueOf(value.row, value.elements, bytes, view, starts)
      isAvailable = found !== undefined
      if (typeof found === 'string') texts = withOne(texts, found)
      else if (!isAvailable && value.row.kind === 'text') unavailableIds.push(value.row.id)
      else if (isAvailable) numbers[count++] = Number(found)
    }
    if (isAvailable) some?.push(value.typeId)
    else some ??= types.slice(0, index)
  }
  const timeMs = view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4)
  const shared = some ? SampleLayout.of(some).types : types
  return { deviceId, timeMs, types: shared, numbers: numbers.slice(0, count), texts: texts ?? NO_TEXTS }
}

/** Control characters, and bytes beyond ASCII: no text. */
const UNREADABLE = /[^\t-\r -~]/

/** Adds to an array that starts with one element: an empty one would allocate room for 17 at the first push. */
function withOne<T>(items: T[] | undefined, item: T): T[] {
  if (!items) return [item]
  items.push(item)
  return items
}

function valueOf(
  row: Exclude<AvlRow, NumberRow>,
  elements: readonly PlacedElement[],
  bytes: Buffer,
  view: DataView,
  starts: readonly number[],
): EventValue | undefined {
  if (row.kind === 'combined') {
    elements.forEach((element, index) => {
      raw[index] = element.index < 0 ? Number.NaN : rawAt(view, starts, element)
    })
    return row.valueOf(raw)
  }
  const [element = MISSING] = elements
  if (row.kind === 'text') {
    const at = starts[element.index] ?? 0
    // Its length is before it.
    const text = bytes.toString('latin1', at, at + view.getUint16(at - 2))
    const value = availableOf(requiredEventType(row.eventType), text)
    return typeof value === 'string' && UNREADABLE.test(value) ? undefined : value
  }
  const index = rawAt(view, starts, element)
  return row.kind === 'state' ? row.states[index] : row.names[index] || undefined
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

type GpsNumber = Exclude<keyof typeof GPS_TYPES, 'position'>

const GPS_VALUES: readonly LayoutValue[] = (Object.keys(GPS_TYPES) as (keyof typeof GPS_TYPES)[]).map(gps =>
  gps === 'position' ? { typeId: GPS_TYPES[gps], from: 'position' } : { typeId: GPS_TYPES[gps], from: 'gps', gps },
)

export const UNITS_PER_DEGREE = 1e7

/** Without satellites there is no fix: devices repeat their last position with speed 0. Nor at 0,0 or off the earth. */
function isFixAt(view: DataView, at: number): boolean {
  const [lon, lat] = [view.getInt32(at), view.getInt32(at + 4)]
  const isOnEarth = Math.abs(lon) <= 180 * UNITS_PER_DEGREE && Math.abs(lat) <= 90 * UNITS_PER_DEGREE
  return view.getUint8(at + 12) > 0 && (lon !== 0 || lat !== 0) && isOnEarth
}

/** Values out of bounds mean "not available", and only the satellites are known without a fix. @returns NaN for that */
function gpsNumberAt(view: DataView, at: number, gps: GpsNumber, isFix: boolean): number {
  if (gps !== 'satellites' && !isFix) return Number.NaN
  const value = gpsFields[gps](view, at)
  if (!isWithinLimits(eventTypeById(GPS_TYPES[gps]), value)) return Number.NaN
  return gps === 'course' ? value % 360 : value
}

const gpsFields: Readonly<Record<GpsNumber, (view: DataView, at: number) => number>> = {
  altitude: (view, at) => view.getInt16(at + 8),
  course: (view, at) => view.getUint16(at + 10),
  satellites: (view, at) => view.getUint8(at + 12),
  speed: (view, at) => view.getUint16(at + 13),
}
