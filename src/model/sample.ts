import { type EventType, type EventTypeId, eventTypeById } from '../catalogue/event-types.ts'

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
  return { deviceId, timeMs, types, numbers, texts }
}

/** The events of a sample, in the order of its types. */
export function eventsOf(sample: Pick<Sample, 'types' | 'numbers' | 'texts'>): Map<EventTypeId, EventValue> {
  const events = new Map<EventTypeId, EventValue>()
  let nextNumber = 0
  let nextText = 0
  for (const id of sample.types) {
    const { dataType } = eventTypeById(id)
    if (dataType === 'STRING') events.set(id, sample.texts[nextText++] ?? '')
    else if (dataType === 'GEO')
      events.set(id, { lon: sample.numbers[nextNumber++] ?? 0, lat: sample.numbers[nextNumber++] ?? 0 })
    else if (dataType === 'BOOLEAN') events.set(id, sample.numbers[nextNumber++] === 1)
    else events.set(id, sample.numbers[nextNumber++] ?? 0)
  }
  return events
}

/** The value of one event type in a sample, or undefined when it was not measured. */
export function valueIn(sample: Sample, type: EventType): EventValue | undefined {
  return sample.types.includes(type.id) ? eventsOf(sample).get(type.id) : undefined
}
