import { type EventType, type EventTypeId, eventTypeByName, isAllBitsSet } from '../../catalogue/event-types.ts'
import { textOfBody } from '../../lib/text-of-bytes.ts'
import { EARLIEST_MS, MAX_AHEAD_MS } from '../../model/dongle-clock.ts'
import { badRequest, ClientError } from '../../model/errors.ts'
import { putGreater } from '../../model/merge-samples.ts'
import {
  type DeviceId,
  deviceIdOf,
  type EventValue,
  type Position,
  type Sample,
  sampleOf,
  unpadded,
} from '../../model/sample.ts'
import { isStorableText, MAX_TEXT_CHARACTERS } from '../../model/texts.ts'
import { bareText, type JsonBounds, parseJson, requireBounded } from '../../server/http/json-bounds.ts'
import { parseTimeMs } from '../../server/http/timestamps.ts'
import { type BodyReading, type LeftOutCounts, type PackedSamples, packSamples, unpackSamples } from './bodies.ts'

export const MAX_EVENTS = 100_000

interface EventTerms {
  readonly form: BodyForm
  readonly context: EventContext
}

interface PackedReceived extends Omit<ReceivedSamples, 'samples'> {
  readonly samples: PackedSamples
}

/** Some milliseconds of parsing; for smaller bodies, the way to another thread and back takes as long as parsing. */
export const LARGE_BODY_BYTES = 256 * 1024

/** How bodies of events are read. It refuses with 400, naming the first bad event and its field, or 413 when there are too many. */
export const reading: BodyReading<EventTerms, ReceivedSamples, PackedReceived> = {
  name: 'events',
  largeBytes: LARGE_BODY_BYTES,
  read: (bytes, { form, context }) => readBody(bytes, form, context),
  pack: received => ({ ...received, samples: packSamples(received.samples) }),
  unpack: async packed => ({ ...packed, samples: await unpackSamples(packed.samples) }),
}

/** One JSON text, or one event per line. */
export type BodyForm = 'json' | 'lines'

/** Any body of this size is parsed in less than a millisecond: most bodies need no scan before. */
const HARMLESS_BYTES = 16 * 1024

/** An event has at most ten values, counting itself and its position; this leaves room for fields that are not read. */
const BOUNDS: JsonBounds = { depth: 32, values: 16 * MAX_EVENTS }

/** @param bytes UTF-8 @throws ClientError 400 naming the first bad event and its field, 413 when there are too many */
export function readBody(bytes: Uint8Array, form: BodyForm, context: EventContext): ReceivedSamples {
  if (bytes.byteLength > HARMLESS_BYTES) requireBounded(bytes, BOUNDS, form)
  const text = textOfBody(bytes)
  return samplesOf(form === 'json' ? eventsOfJson(text) : eventsOfLines(text), context)
}

/** The samples of the events of one request, each key once. */
export interface ReceivedSamples {
  readonly samples: readonly Sample[]
  /** Events that repeat another one of the same body. */
  readonly repeated: number
  /** Of these, events with another value than the one they repeat. */
  readonly conflicts: number
  /** For each device the index of its first event in the body. */
  readonly firstOf: ReadonlyMap<DeviceId, number>
  readonly leftOut: LeftOutCounts
}

/** The events of a JSON body: an array, or an object with the array as `events`. @throws ClientError 400 */
export function eventsOfJson(text: string): readonly unknown[] {
  const body = parseJson(text)
  const events = Array.isArray(body) ? body : (body as { readonly events?: unknown } | null)?.events
  if (!Array.isArray(events))
    throw badRequest('The body must be an array of events or an object with an array "events".')
  return events
}

/** The events of a newline-delimited JSON body; empty lines are skipped. @throws ClientError 400 */
function eventsOfLines(text: string): readonly unknown[] {
  const events: unknown[] = []
  text.split('\n').forEach((line, index) => {
    if (bareText(line) !== '') events.push(parseJson(line, `Line ${index + 1}`))
  })
  return events
}

/** @throws ClientError 400 naming the first bad event and its field; 413 when there are too many */
export function samplesOf(events: readonly unknown[], context: EventContext): ReceivedSamples {
  if (events.length > MAX_EVENTS) throw new ClientError(413, `A request may hold at most ${MAX_EVENTS} events.`)
  const reader = new EventReader(context)
  const byDevice = new Map<DeviceId, Map<number, Map<EventTypeId, EventValue>>>()
  const firstOf = new Map<DeviceId, number>()
  const leftOut = new Map<string, number>()
  let repeated = 0
  let conflicts = 0
  events.forEach((event, index) => {
    const { deviceId, timeMs, type, value } = reader.read(event, `events[${index}]`)
    if (typeof value === 'number' && isAllBitsSet(type, value)) {
      leftOut.set(type.name, (leftOut.get(type.name) ?? 0) + 1)
      return
    }
    let ofDevice = byDevice.get(deviceId)
    if (!ofDevice) {
      byDevice.set(deviceId, (ofDevice = new Map()))
      firstOf.set(deviceId, index)
    }
    let ofInstant = ofDevice.get(timeMs)
    if (!ofInstant) ofDevice.set(timeMs, (ofInstant = new Map()))
    const put = putGreater(ofInstant, type.id, value)
    if (put !== 'new') repeated++
    if (put === 'replaced' || put === 'lost') conflicts++
  })
  const samples: Sample[] = []
  for (const [deviceId, ofDevice] of byDevice)
    for (const [timeMs, ofInstant] of ofDevice) samples.push(sampleOf(deviceId, timeMs, ofInstant))
  return { samples, repeated, conflicts, firstOf, leftOut }
}

interface ReceivedEvent {
  readonly deviceId: DeviceId
  readonly timeMs: number
  readonly type: EventType
  readonly value: EventValue
}

interface EventContext {
  /** The device that sent them: events may omit it, and must not name another one. Undefined when the sender may name any. */
  readonly sentBy?: DeviceId
  /** When they were received, if impossible times are to be refused; undefined accepts any time. */
  readonly refuseMisdatedAtMs?: number
}

/** Reads events one after the other; keeps the last timestamp, because a dongle measures many things at once. */
class EventReader {
  readonly #context: EventContext
  #lastText: string | undefined
  #lastMs = 0

  constructor(context: EventContext) {
    this.#context = context
  }

  /** @param where how an error names the event, such as `events[3]`
   * @throws ClientError 400 naming the event and the field */
  read(event: unknown, where: string): ReceivedEvent {
    if (typeof event !== 'object' || event === null || Array.isArray(event))
      throw badRequest(`${where} must be an object.`)
    const fields = event as Readonly<Record<string, unknown>>
    const deviceId = this.#deviceId(fields.deviceId ?? fields.device_id, where)
    const timeMs = this.#timeMs(fields.recordedTimestamp ?? fields.recorded_timestamp, where)
    const name = fields.eventType ?? fields.event_type
    const type = typeof name === 'string' ? eventTypeByName(name) : undefined
    if (!type)
      throw badRequest(
        `${where}.eventType must be a name of /eventTypes${typeof name === 'string' ? `, not "${name.slice(0, 80)}"` : ''}.`,
      )
    refuseMismatch(fields, type, where)
    return { deviceId, timeMs, type, value: readValue(fields.value, type, where) }
  }

  #deviceId(value: unknown, where: string): DeviceId {
    const { sentBy } = this.#context
    if (sentBy !== undefined && (value === undefined || value === null)) return sentBy
    const deviceId = deviceIdOf(value)
    if (deviceId === undefined) throw badRequest(`${where}.deviceId must be an IMEI, a positive integer below 2^53.`)
    if (sentBy !== undefined && deviceId !== sentBy)
      throw badRequest(`${where}.deviceId must be ${sentBy}, the device that sent it, not ${deviceId}.`)
    return deviceId
  }

  #timeMs(text: unknown, where: string): number {
    if (typeof text !== 'string') throw badRequest(`${where}.recordedTimestamp must be an ISO 8601 timestamp.`)
    if (text === this.#lastText) return this.#lastMs
    const timeMs = parseTimeMs(text)
    if (timeMs === undefined)
      throw badRequest(`${where}.recordedTimestamp must be an ISO 8601 timestamp such as 2020-02-22T14:37:07.797Z.`)
    const { refuseMisdatedAtMs } = this.#context
    if (refuseMisdatedAtMs !== undefined) refuseMisdated(timeMs, refuseMisdatedAtMs, where)
    this.#lastText = text
    this.#lastMs = timeMs
    return timeMs
  }
}

function refuseMisdated(timeMs: number, receivedMs: number, where: string): void {
  if (timeMs < EARLIEST_MS) throw badRequest(`${where}.recordedTimestamp lies before the year 2000.`)
  if (timeMs > receivedMs + MAX_AHEAD_MS)
    throw badRequest(`${where}.recordedTimestamp lies more than 5 minutes in the future.`)
}

/** dataType, unit and unitId are optional; if present they must be those of the event type. */
function refuseMismatch(fields: Readonly<Record<string, unknown>>, type: EventType, where: string): void {
  const dataType = fields.dataType ?? fields.data_type
  if (dataType !== undefined && dataType !== null && dataType !== type.dataType)
    throw badRequest(`${where}.dataType of ${type.name} is ${type.dataType}.`)
  const { unit } = fields
  if (unit !== undefined && unit !== null && unit !== type.unit)
    throw badRequest(`${where}.unit of ${type.name} is "${type.unit}".`)
  const unitId = fields.unitId ?? fields.unit_id
  if (unitId !== undefined && unitId !== null && unitId !== type.unitId)
    throw badRequest(`${where}.unitId of ${type.name} is ${type.unitId}.`)
}

function readValue(value: unknown, type: EventType, where: string): EventValue {
  switch (type.dataType) {
    case 'NUMBER':
      if (typeof value === 'number' && Number.isFinite(value)) return value
      throw badRequest(`${where}.value of ${type.name} must be a number.`)
    case 'BOOLEAN':
      if (typeof value === 'boolean') return value
      throw badRequest(`${where}.value of ${type.name} must be true or false.`)
    case 'STRING': {
      const text = typeof value === 'string' ? unpadded(type, value) : value
      if (isStorableText(text)) return text
      throw badRequest(
        `${where}.value of ${type.name} must be a text of at most ${MAX_TEXT_CHARACTERS} characters without NUL.`,
      )
    }
    case 'GEO': {
      const position = positionOf(value)
      if (position) return position
      throw badRequest(
        `${where}.value of ${type.name} must be "POINT(<lon> <lat>)" or {"lat": …, "lon": …} in degrees.`,
      )
    }
  }
}

const POINT = /^\s*POINT\s*\(\s*(-?[\d.]+(?:e[+-]?\d+)?)\s+(-?[\d.]+(?:e[+-]?\d+)?)\s*\)\s*$/i

function positionOf(value: unknown): Position | undefined {
  const point = typeof value === 'string' ? POINT.exec(value) : undefined
  const { lon, lat } = point
    ? { lon: Number(point[1]), lat: Number(point[2]) }
    : ((value ?? {}) as { readonly lon?: unknown; readonly lat?: unknown })
  const valid = typeof lon === 'number' && typeof lat === 'number' && Math.abs(lon) <= 180 && Math.abs(lat) <= 90
  return valid ? { lon, lat } : undefined
}
