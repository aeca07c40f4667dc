import { type EventType, type EventTypeId, eventTypeById, isWithinLimits } from '../catalogue/event-types.ts'
import { vinIn } from './vin.ts'

/** The IMEI of a dongle: a positive integer below 2^53 (decisions.md, *Reading requests*). */
export type DeviceId = number & { readonly __deviceId: unique symbol }

/** A point of the earth in degrees, WGS 84. */
export interface Position {
  readonly lon: number
  readonly lat: number
}

/** The value of one event, by the data type of its event type: NUMBER, BOOLEAN, STRING, GEO. */
export type EventValue = number | boolean | string | Position

/** A value as every gateway keeps it. @returns undefined for "not available": out of bounds, all bits set, or no VIN */
export function availableOf(type: EventType, value: EventValue): EventValue | undefined {
  if (typeof value === 'number') return isWithinLimits(type, value) ? value : undefined
  if (typeof value !== 'string') return value
  return type.name === 'VIN' ? vinIn(value) : unpadded(type, value)
}

/** Dongles fill fields of fixed length with NULs, and lists of codes also between the codes. */
export function unpadded({ name }: EventType, text: string): string {
  if (!text.includes('\0')) return text
  const parts = text.split('\0').filter(part => part.trim() !== '')
  return parts.length < 2 || name.startsWith('OBD_DTC_') ? parts.join(' ').trim() : text
}

/** One instant of one dongle (design, decision 1), as stored: `types` ascending without repeats; `numbers` in their
 * order: one for a NUMBER, 0 or 1 for a BOOLEAN, longitude and latitude for a GEO; `texts` one for a STRING. */
export interface Sample {
  readonly deviceId: DeviceId
  /** Milliseconds since 1970, UTC. */
  readonly timeMs: number
  readonly types: readonly EventTypeId[]
  readonly numbers: readonly number[]
  readonly texts: readonly string[]
}

/** The measured values, without device and time. `SampleLayout` tells their positions. */
type SampleValues = Pick<Sample, 'types' | 'numbers' | 'texts'>

/** @returns the id when the value is a number that can be an IMEI, else undefined. */
export function deviceIdOf(value: unknown): DeviceId | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? (value as DeviceId) : undefined
}

/** @returns the id when the text is the digits of a number that can be an IMEI, else undefined. */
export function deviceIdOfText(text: string): DeviceId | undefined {
  return /^\d{1,16}$/.test(text) ? deviceIdOf(Number(text)) : undefined
}

/** Builds a sample from its events. Each value must fit the data type of its event type. */
export function sampleOf(deviceId: DeviceId, timeMs: number, events: ReadonlyMap<EventTypeId, EventValue>): Sample {
  const { types, numbers, texts } = valuesOf(events)
  // Not by spread: all samples then have one hidden class, wherever they come from.
  return { deviceId, timeMs, types, numbers, texts }
}

/** Events as the arrays of a sample. Each value must fit the data type of its event type. */
export function valuesOf(events: ReadonlyMap<EventTypeId, EventValue>): SampleValues {
  const types = [...events.keys()].sort((a, b) => a - b)
  const numbers: number[] = []
  const texts: string[] = []
  for (const id of types) {
    const value = events.get(id)
    if (typeof value === 'number') numbers.push(value === 0 ? 0 : value)
    else if (typeof value === 'boolean') numbers.push(value ? 1 : 0)
    else if (typeof value === 'string') texts.push(value)
    else if (value) numbers.push(value.lon === 0 ? 0 : value.lon, value.lat === 0 ? 0 : value.lat)
  }
  return { types, numbers, texts }
}

/** The events of a sample, in the order of its types. */
export function eventsOf(sample: SampleValues): Map<EventTypeId, EventValue> {
  const events = new Map<EventTypeId, EventValue>()
  for (const slot of SampleLayout.of(sample.types).slots) events.set(slot.type.id, valueAt(sample, slot))
  return events
}

/** The value of one event type in a sample, or undefined when it was not measured. */
export function valueIn(sample: SampleValues, type: EventType): EventValue | undefined {
  const index = SampleLayout.of(sample.types).indexOf(type)
  return index < 0 ? undefined : valueAt(sample, { type, index })
}

function valueAt({ numbers, texts }: SampleValues, { type, index }: Slot): EventValue {
  switch (type.dataType) {
    case 'STRING':
      return texts[index] ?? ''
    case 'GEO':
      return { lon: numbers[index] ?? 0, lat: numbers[index + 1] ?? 0 }
    case 'BOOLEAN':
      return numbers[index] === 1
    case 'NUMBER':
      return numbers[index] ?? 0
  }
}

/** The index of an event type's value in the arrays of a sample: for a STRING in `texts`, else in `numbers`. */
interface Slot {
  readonly type: EventType
  readonly index: number
}

/** How many numbers a value of this type takes: longitude and latitude for a GEO, none for a STRING, else one. */
export function numbersPerValue({ dataType }: EventType): 0 | 1 | 2 {
  if (dataType === 'STRING') return 0
  return dataType === 'GEO' ? 2 : 1
}

/**
 * The event types of a sample, and the positions of their values in its arrays. With the types POSITION (98, two numbers),
 * VEHICLE_SPEED_MAX (113) and VIN (115, a text):
 *
 *     types      98          113     115
 *     numbers    lon   lat   km/h
 *     texts                          VIN
 *     index      0           2       0
 */
export class SampleLayout {
  /** Ascending. */
  readonly types: readonly EventTypeId[]
  /** In the order of `types`. */
  readonly slots: readonly Slot[]
  readonly numberCount: number
  readonly textCount: number
  /** The types as PostgreSQL writes them: `{98,113,115}`. */
  readonly text: string
  readonly #indexes = new Map<EventTypeId, number>()

  private constructor(types: readonly EventTypeId[]) {
    const counts = { numbers: 0, texts: 0 }
    this.types = types
    this.slots = types.map(id => {
      const type = eventTypeById(id)
      const width = numbersPerValue(type)
      const index = width === 0 ? counts.texts++ : counts.numbers
      counts.numbers += width
      this.#indexes.set(id, index)
      return { type, index }
    })
    this.numberCount = counts.numbers
    this.textCount = counts.texts
    this.text = `{${types.join(',')}}`
  }

  /** Mostly the same object as for an earlier call. @param types ascending */
  static of(types: readonly EventTypeId[]): SampleLayout {
    let hash = types.length
    for (const type of types) hash = (Math.imul(hash, 131) + type) | 0
    const known = byHash.get(hash)
    if (known && haveSameTypes(known.types, types)) return known
    return remember(byHash, hash, new SampleLayout(types))
  }

  /** The same for types as PostgreSQL writes them. */
  static ofText(text: string): SampleLayout {
    const known = byText.get(text)
    if (known) return known
    const ids = text === '{}' ? [] : text.slice(1, -1).split(',')
    return remember(byText, text, SampleLayout.of(ids.map(id => eventTypeById(Number(id)).id)))
  }

  /** Index of the value of a type in `texts` or `numbers`; -1 when samples of this layout have none. */
  indexOf(type: EventType): number {
    return this.#indexes.get(type.id) ?? -1
  }
}

/** Dongles send the same few sets of types over and over; a fleet has some hundred of them. */
const byHash = new Map<number, SampleLayout>()
const byText = new Map<string, SampleLayout>()

/** A sender of ever new sets of types must not fill the memory. */
const MOST_REMEMBERED = 10_000

function remember<Key>(known: Map<Key, SampleLayout>, key: Key, layout: SampleLayout): SampleLayout {
  if (known.size >= MOST_REMEMBERED) known.clear()
  known.set(key, layout)
  return layout
}

/** @param a ascending, as is `b` */
function haveSameTypes(a: readonly EventTypeId[], b: readonly EventTypeId[]): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false
  return true
}

/** Caches what follows from a layout. */
export function perLayout<Value extends object>(
  make: (layout: SampleLayout) => Value,
): (layout: SampleLayout) => Value {
  const values = new WeakMap<SampleLayout, Value>()
  return layout => {
    let value = values.get(layout)
    if (!value) {
      value = make(layout)
      values.set(layout, value)
    }
    return value
  }
}

export function holdsAny({ types }: Pick<SampleLayout, 'types'>, wanted: readonly EventTypeId[]): boolean {
  return types.some(type => wanted.includes(type))
}
