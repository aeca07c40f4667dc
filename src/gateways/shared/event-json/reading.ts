import { type PackedSamples, packSamples, unpackSamples } from '../bodies/packed-samples.ts'
import type { BodyReading } from '../bodies/reading.ts'
import { type BodyForm, readBody } from './read-body.ts'
import type { EventCircumstances } from './read-event.ts'
import type { ReceivedSamples } from './read-events.ts'

interface EventTerms {
  readonly form: BodyForm
  readonly circumstances: EventCircumstances
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
  read: (bytes, { form, circumstances }) => readBody(bytes, form, circumstances),
  pack: received => ({ ...received, samples: packSamples(received.samples) }),
  unpack: async packed => ({ ...packed, samples: await unpackSamples(packed.samples) }),
}
