import { eventTypeById } from '../../src/catalogue/event-types.ts'
import { eventsOf, type Sample } from '../../src/model/sample.ts'

/** A sample as the events that a client of the HTTP ingest sends. */
export function ingestEventsOf(sample: Sample): object[] {
  const { deviceId } = sample
  const recordedTimestamp = new Date(sample.timeMs).toISOString()
  return [...eventsOf(sample)].map(([type, value]) => ({
    deviceId,
    recordedTimestamp,
    eventType: eventTypeById(type).name,
    value: typeof value === 'object' ? `POINT(${value.lon} ${value.lat})` : value,
  }))
}

/** The samples in requests of about as many events, as JSON. */
export function ingestBodies(samples: Iterable<Sample>, eventsPerBody: number): { bodies: string[]; events: number } {
  const bodies: string[] = []
  let events = 0
  let body: object[] = []
  for (const sample of samples) {
    body.push(...ingestEventsOf(sample))
    events += sample.types.length
    if (body.length < eventsPerBody) continue
    bodies.push(JSON.stringify(body))
    body = []
  }
  if (body.length > 0) bodies.push(JSON.stringify(body))
  return { bodies, events }
}
