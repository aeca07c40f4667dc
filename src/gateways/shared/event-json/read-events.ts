import type { EventTypeId } from '../../../catalogue/event-types.ts'
import { badRequest, ClientError } from '../../../model/errors.ts'
import { putGreater } from '../../../model/merge-samples.ts'
import { type DeviceId, type EventValue, type Sample, sampleOf } from '../../../model/sample.ts'
import { type EventCircumstances, EventReader } from './read-event.ts'

/** Limit of events in one request. */
export const MAX_EVENTS = 100_000

/** The samples of the events of one request, each key once. */
export interface ReceivedSamples {
  readonly samples: readonly Sample[]
  /** Events that repeat another one of the same body. */
  readonly repeated: number
  /** Of these, events with another value than the one they repeat. */
  readonly conflicts: number
  /** For each device the index of its first event in the body. */
  readonly firstOf: ReadonlyMap<DeviceId, number>
}

/**
 * The events of a JSON body: an array, or an object with the array as `events`.
 * @throws ClientError 400
 */
export function eventsOfJson(text: string): readonly unknown[] {
  const body = parseJson(text, 'The body')
  const events = Array.isArray(body) ? body : (body as { readonly events?: unknown } | null)?.events
  if (!Array.isArray(events))
    throw badRequest('The body must be an array of events or an object with an array "events".')
  return events
}

/**
 * The events of a newline-delimited JSON body; empty lines are skipped.
 * @throws ClientError 400
 */
export function eventsOfLines(text: string): readonly unknown[] {
  const events: unknown[] = []
  text.split('\n').forEach((line, index) => {
    if (line.trim() !== '') events.push(parseJson(line, `Line ${index + 1}`))
  })
  return events
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest(`${what} is not valid JSON.`)
  }
}

/**
 * Gathers checked events into samples.
 * @throws ClientError 400 naming the first bad event and its field; 413 when there are too many.
 */
export function samplesOf(events: readonly unknown[], circumstances: EventCircumstances): ReceivedSamples {
  if (events.length > MAX_EVENTS) throw new ClientError(413, `A request may hold at most ${MAX_EVENTS} events.`)
  const reader = new EventReader(circumstances)
  const byDevice = new Map<DeviceId, Map<number, Map<EventTypeId, EventValue>>>()
  const firstOf = new Map<DeviceId, number>()
  let repeated = 0
  let conflicts = 0
  events.forEach((event, index) => {
    const { deviceId, timeMs, type, value } = reader.read(event, `events[${index}]`)
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
  return { samples, repeated, conflicts, firstOf }
}
