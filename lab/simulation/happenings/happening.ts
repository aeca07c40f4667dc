import type { EventTypeName } from '../../../src/catalogue/event-types.ts'
import type { EventValue } from '../../../src/model/sample.ts'
import type { Span } from '../disturbances/disturbance.ts'
import type { Reading } from '../readings.ts'
import type { Recording } from '../recording.ts'
import type { Happened } from '../truth.ts'

/** The recording in which something happened. */
export function withHappened(recording: Recording, kind: Happened['kind'], spans: readonly Span[]): Recording {
  const happened = spans.map(({ fromMs, toMs }) => ({ kind, fromMs, toMs }))
  const { truth } = recording
  return { ...recording, truth: { ...truth, happened: [...(truth.happened ?? []), ...happened] } }
}

/** The reading with another value of a type that the dongle tells. */
export function withValue({ dongle }: Recording, reading: Reading, type: EventTypeName, value: EventValue): Reading {
  if (dongle.silentAbout.has(type)) return reading
  return { ...reading, events: new Map([...reading.events, [type, value]]) }
}

export function numberAt(reading: Reading, type: EventTypeName): number | undefined {
  const value = reading.events.get(type)
  return typeof value === 'number' ? value : undefined
}
