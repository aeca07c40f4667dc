import { type JsonBounds, requireBounded } from '../../../server/http/json-bounds.ts'
import type { EventCircumstances } from './read-event.ts'
import { eventsOfJson, eventsOfLines, MAX_EVENTS, type ReceivedSamples, samplesOf } from './read-events.ts'

/** One JSON text, or one event per line. */
export type BodyForm = 'json' | 'lines'

/** Any body of this size is parsed in less than a millisecond: most bodies need no scan before. */
const HARMLESS_BYTES = 16 * 1024

/** An event has at most ten values, counting itself and its position; this leaves room for fields that are not read. */
const BOUNDS: JsonBounds = { depth: 32, values: 16 * MAX_EVENTS }

/**
 * The samples of the events in a body.
 * @param bytes UTF-8
 * @throws ClientError 400 naming the first bad event and its field, 413 when there are too many.
 */
export function readBody(bytes: Uint8Array, form: BodyForm, circumstances: EventCircumstances): ReceivedSamples {
  if (bytes.byteLength > HARMLESS_BYTES) requireBounded(bytes, BOUNDS, form)
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  return samplesOf(form === 'json' ? eventsOfJson(text) : eventsOfLines(text), circumstances)
}
