import type { EventType, EventTypeId } from '../catalogue/event-types.ts'
import { SampleLayout, type Slot } from './sample-layout.ts'

/** The IMEI of a dongle: a positive integer below 2^53 (decisions.md, *Reading requests*). */
export type DeviceId = number & { readonly __deviceId: unique symbol }

/** A point of the earth in degrees, WGS 84. */
export interface Position {
  readonly lon: number
  readonly lat: number
}

/** What one event measured, by the data type of its event type: NUMBER, BOOLEAN, STRING, GEO. */
export type EventValue = number | boolean | string | Position

/**
 * Everything one dongle measured at one instant (design, decision 1), in the form in which it is stored:
 * `types` ascending and without repeats; `numbers` holds, in the order of `types`, one number for a NUMBER,
 * 0 or 1 for a BOOLEAN, longitude and latitude for a GEO; `texts` one text for a STRING.
 */
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
