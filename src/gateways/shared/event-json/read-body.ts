import { type JsonBounds, requireBounded } from '../../../server/http/json-bounds.ts'
import type { EventCircumstances } from './read-event.ts'
import { eventsOfJson, eventsOfLines, MAX_EVENTS, type ReceivedSamples, samplesOf } from './read-events.ts'

/** One JSON text, or one event a line. */
export type BodyForm = 'json' | 'lines'

/** Whatever a body of this size is, it is parsed in less than a millisecond: most bodies need no look before that. */
const HARMLESS_BYTES = 16 * 1024

/** An event has at most ten values with itself and those of its position; whoever sends more fields than are read has some left. */
const BOUNDS: JsonBounds = { depth: 32, values: 16 * MAX_EVENTS }

/**
 * The samples of events as they were sent.
 * @param bytes UTF-8
 * @throws ClientError 400 naming the first bad event and its field, 413 when there are too many.
 */
export function readBody(bytes: Uint8Array, form: BodyForm, circumstances: EventCircumstances): ReceivedSamples {
  if (bytes.byteLength > HARMLESS_BYTES) requireBounded(bytes, BOUNDS, form)
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  return samplesOf(form === 'json' ? eventsOfJson(text) : eventsOfLines(text), circumstances)
}
