import { type EventTypeId, requiredEventType } from '../../catalogue/event-types.ts'
import { type DeviceId, type EventValue, type Sample, sampleOf } from '../../model/sample.ts'
import type { ReportingDevice } from '../shared/binary/protocol.ts'
import { type AvlElement, type AvlRow, type Family, familyOf, REPEATING_IDS, rowsOf } from './avl-ids.ts'

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

/**
 * Reads `count` records.
 * @param at start of the first one @param to end of the last one
 * @returns undefined unless the records fill exactly this range
 */
export function readRecords(
  bytes: Buffer,
  at: number,
  to: number,
  count: number,
  format: RecordFormat,
  { deviceId, hardwareType }: ReportingDevice,
): Records | undefined {
  const meaning = MEANINGS[familyOf(hardwareType)]
  const samples: Sample[] = []
  const unknownIds = new Map<number, number>()
  let next = at
  for (let index = 0; index < count; index++) {
    const elementsAt = next + GPS_AT + GPS_BYTES + format.eventBytes
    const found = elementsFrom(bytes, elementsAt, to, format)
    if (!found) return undefined
    for (const id of idsWithoutMeaning(found, meaning)) unknownIds.set(id, (unknownIds.get(id) ?? 0) + 1)
    const sample = sampleOfRecord(bytes, next, found, meaning, deviceId)
    if (sample.types.length > 0) samples.push(sample)
    next = found.end
  }
  return next === to ? { samples, unknownIds } : undefined
}

/** The elements of a record by their ids. */
interface FoundElements {
  readonly fixed: ReadonlyMap<number, FoundElement>
  readonly variable: ReadonlyMap<number, FoundElement>
  /** Where the record ends. */
  readonly end: number
}

interface FoundElement {
  readonly at: number
  readonly bytes: number
}

const NO_ELEMENTS: ReadonlyMap<number, FoundElement> = new Map()

/**
 * @param at offset of the count of all elements @param to end of the data
 * @returns undefined when the record does not end before `to`, or its counts disagree
 */
function elementsFrom(bytes: Buffer, at: number, to: number, format: RecordFormat): FoundElements | undefined {
  const { idBytes, countBytes } = format
  const fixed = new Map<number, FoundElement>()
  let next = at + countBytes
  if (next > to) return undefined
  const total = bytes.readUIntBE(at, countBytes)
  if (total > MOST_ELEMENTS) return undefined
  let missing = total
  for (const size of FIXED_SIZES) {
    if (next + countBytes > to) return undefined
    const count = bytes.readUIntBE(next, countBytes)
    next += countBytes
    missing -= count
    if (missing < 0 || next + count * (idBytes + size) > to) return undefined
    for (let index = 0; index < count; index++, next += idBytes + size)
      fixed.set(idBytes === 1 ? bytes.readUInt8(next) : bytes.readUInt16BE(next), { at: next + idBytes, bytes: size })
  }
  if (!format.hasVariable) return missing === 0 ? { fixed, variable: NO_ELEMENTS, end: next } : undefined
  if (next + 2 > to || bytes.readUInt16BE(next) !== missing) return undefined
  const variable = new Map<number, FoundElement>()
  next += 2
  for (let index = 0; index < missing; index++) {
    if (next + 4 > to) return undefined
    const element = { at: next + 4, bytes: bytes.readUInt16BE(next + 2) }
    variable.set(bytes.readUInt16BE(next), element)
    next = element.at + element.bytes
    if (next > to) return undefined
  }
  return { fixed, variable, end: next }
}

/** What the ids mean for the devices of one family. */
interface Meaning {
  /** In the order of event types; of one event type the preferred row first. */
  readonly rows: readonly (readonly [EventTypeId, AvlRow])[]
  /** Ids and sizes of the elements that have a meaning whatever else is in the record. */
  readonly elements: ReadonlySet<number>
  readonly texts: ReadonlySet<number>
}

const keyOf = (id: number, bytes: number) => id * 16 + bytes

const MEANINGS: Readonly<Record<Family, Meaning>> = {
  dongle: meaningFor('dongle'),
  tracker: meaningFor('tracker'),
  professional: meaningFor('professional'),
}

function meaningFor(family: Family): Meaning {
  const rows = rowsOf(family)
  const elements = rows.flatMap(row =>
    row.kind === 'text' ? [] : row.kind === 'combined' ? row.elements : [row.element],
  )
  return {
    rows: rows.map(row => [requiredEventType(row.eventType).id, row] as const).sort(([a], [b]) => a - b),
    elements: new Set(elements.flatMap(({ id, bytes }) => bytes.map(size => keyOf(id, size)))),
    texts: new Set(rows.flatMap(row => (row.kind === 'text' ? [row.id] : []))),
  }
}

function idsWithoutMeaning(found: FoundElements, { rows, elements, texts }: Meaning): number[] {
  const ids = [...found.variable.keys()].filter(id => !texts.has(id) && !REPEATING_IDS.has(id))
  for (const [id, { bytes }] of found.fixed) if (!elements.has(keyOf(id, bytes)) && !REPEATING_IDS.has(id)) ids.push(id)
  if (ids.length === 0) return ids
  const optional = rows.flatMap(([, row]) =>
    row.kind === 'combined' && row.elements.every(element => foundIn(found, element)) ? row.optional : [],
  )
  return ids.filter(id => !optional.some(element => element.id === id && foundIn(found, element)))
}

function sampleOfRecord(
  bytes: Buffer,
  at: number,
  found: FoundElements,
  { rows }: Meaning,
  deviceId: DeviceId,
): Sample {
  const events = new Map<EventTypeId, EventValue>()
  putGps(events, bytes, at + GPS_AT)
  let previous: EventTypeId | undefined
  for (const [typeId, row] of rows) {
    if (typeId === previous) continue
    const value = valueOf(row, bytes, found)
    if (value === undefined) continue
    // A row whose elements are there counts, even when it says "not available".
    previous = typeId
    if (value !== null) events.set(typeId, value)
  }
  return sampleOf(deviceId, Number(bytes.readBigUInt64BE(at)), events)
}

/** @returns null for "not available", undefined when the record lacks the elements of this row */
function valueOf(row: AvlRow, bytes: Buffer, found: FoundElements): EventValue | null | undefined {
  if (row.kind === 'text') {
    const element = found.variable.get(row.id)
    if (!element) return undefined
    const text = bytes.toString('latin1', element.at, element.at + element.bytes)
    return row.pattern.test(text) ? text : null
  }
  if (row.kind === 'combined') {
    if (!row.elements.every(element => foundIn(found, element))) return undefined
    const raw = [...row.elements, ...row.optional].map(element => rawOf(element, bytes, found) ?? Number.NaN)
    return row.valueOf(raw) ?? null
  }
  const raw = rawOf(row.element, bytes, found)
  if (raw === undefined) return undefined
  if (row.kind === 'number') return raw >= row.least && raw <= row.most ? raw / row.perUnit : null
  return (row.kind === 'state' ? row.states[raw] : row.names[raw] || undefined) ?? null
}

function foundIn({ fixed }: FoundElements, { id, bytes }: AvlElement): FoundElement | undefined {
  const element = fixed.get(id)
  return element && bytes.includes(element.bytes) ? element : undefined
}

/** The raw value of an element; only one of 8 bytes can be too large to be exact. */
function rawOf(element: AvlElement, bytes: Buffer, found: FoundElements): number | undefined {
  const at = foundIn(found, element)
  if (!at) return undefined
  if (at.bytes === 8) return Number(element.isSigned ? bytes.readBigInt64BE(at.at) : bytes.readBigUInt64BE(at.at))
  return element.isSigned ? bytes.readIntBE(at.at, at.bytes) : bytes.readUIntBE(at.at, at.bytes)
}

export const GPS_TYPES = {
  position: requiredEventType('POSITION').id,
  altitude: requiredEventType('GPS_ALTITUDE').id,
  course: requiredEventType('GPS_COURSE').id,
  satellites: requiredEventType('GPS_SATELLITES_IN_USE').id,
  speed: requiredEventType('GPS_SPEED').id,
} as const

export const UNITS_PER_DEGREE = 1e7

/**
 * Adds what the GPS element says. Without satellites there is no fix: devices then repeat their last position with
 * speed 0. 0,0 and positions that are not on the earth are no fix, either. Values out of bounds mean "not available".
 */
function putGps(events: Map<EventTypeId, EventValue>, bytes: Buffer, at: number): void {
  const lon = bytes.readInt32BE(at) / UNITS_PER_DEGREE
  const lat = bytes.readInt32BE(at + 4) / UNITS_PER_DEGREE
  const altitudeM = bytes.readInt16BE(at + 8)
  const courseDeg = bytes.readUInt16BE(at + 10)
  const satellites = bytes.readUInt8(at + 12)
  const speedKmh = bytes.readUInt16BE(at + 13)
  if (satellites <= 100) events.set(GPS_TYPES.satellites, satellites)
  if (satellites === 0 || (lon === 0 && lat === 0) || Math.abs(lon) > 180 || Math.abs(lat) > 90) return
  events.set(GPS_TYPES.position, { lon, lat })
  if (altitudeM >= -500 && altitudeM <= 9000) events.set(GPS_TYPES.altitude, altitudeM)
  if (courseDeg <= 360) events.set(GPS_TYPES.course, courseDeg % 360)
  if (speedKmh <= 500) events.set(GPS_TYPES.speed, speedKmh)
}
