import { ClientError } from '../../errors.ts'
import { byClock } from '../../intake/dongle-clock.ts'
import { eventsOfJson, samplesOf } from '../../intake/event-json/read-events.ts'
import type { Submission } from '../../intake/plan.ts'
import type { DeviceId } from '../../intake/sample.ts'
import { deviceOfTopic } from './topic.ts'

/** A message as the broker delivers it. */
export interface Message {
  readonly topic: string
  readonly payload: Buffer
}

export type ReadMessage =
  | { readonly kind: 'events'; readonly deviceId: DeviceId; readonly submission: Submission }
  | { readonly kind: 'unreadable'; readonly deviceId: DeviceId | undefined; readonly why: string }

/** As much as a request of the HTTP ingest may hold. */
export const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024

/**
 * Reads the JSON of the HTTP ingest; the device of the topic is the device of every event. A message with any bad
 * event is unreadable whole. Samples with a wrong clock are kept apart, as those of every dongle.
 * @param nowMs when the message was received
 */
export function readMessage({ topic, payload }: Message, nowMs: number): ReadMessage {
  const deviceId = deviceOfTopic(topic)
  if (deviceId === undefined) return { kind: 'unreadable', deviceId, why: `The topic ${topic} names no IMEI.` }
  if (payload.length > MAX_PAYLOAD_BYTES)
    return { kind: 'unreadable', deviceId, why: `A message may hold at most ${MAX_PAYLOAD_BYTES} bytes.` }
  try {
    const { samples } = samplesOf(eventsOfJson(payload.toString()), { sentBy: deviceId })
    return {
      kind: 'events',
      deviceId,
      submission: { ...byClock(samples, nowMs), accountId: undefined, cannotWait: true },
    }
  } catch (error) {
    if (error instanceof ClientError) return { kind: 'unreadable', deviceId, why: error.message }
    throw error
  }
}
