import type { Submission } from '../../ingest/submission.ts'
import { byClock } from '../../model/dongle-clock.ts'
import { ClientError } from '../../model/errors.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { BodyReader } from '../shared/bodies/body-reader.ts'
import { reading } from '../shared/event-json/reading.ts'
import { deviceOfTopic } from './topic.ts'

/** A message from the broker. */
export interface Message {
  readonly topic: string
  readonly payload: Buffer
  /** Whether it may be refused: the broker understands it, or QoS 0 promises nothing. Otherwise it is stored despite a quota. */
  readonly canBeRefused: boolean
}

type ReadMessage =
  | { readonly kind: 'events'; readonly deviceId: DeviceId; readonly submission: Submission }
  | { readonly kind: 'unreadable'; readonly deviceId: DeviceId | undefined; readonly why: string }
  /** Too many others are being read at the moment. */
  | { readonly kind: 'not now' }

const MAY_BE_READ_LATER: ReadonlySet<number> = new Set([429, 503])

/** The same limit as for a request of the HTTP ingest. */
export const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024

/**
 * Reads the JSON of the HTTP ingest; the device of the topic is the device of every event. A message with any bad
 * event is refused as a whole. Samples with a wrong clock are stored separately, as those of every dongle.
 * @param nowMs when the message was received
 */
export async function readMessage(
  { topic, payload, canBeRefused }: Message,
  nowMs: number,
  bodies: BodyReader,
): Promise<ReadMessage> {
  const deviceId = deviceOfTopic(topic)
  if (deviceId === undefined) return { kind: 'unreadable', deviceId, why: `The topic ${topic} names no IMEI.` }
  if (payload.length > MAX_PAYLOAD_BYTES)
    return { kind: 'unreadable', deviceId, why: `A message may hold at most ${MAX_PAYLOAD_BYTES} bytes.` }
  try {
    const terms = { form: 'json', circumstances: { sentBy: deviceId } } as const
    const { samples } = await bodies.read(reading, payload, terms, 'stranger')
    return {
      kind: 'events',
      deviceId,
      submission: { ...byClock(samples, nowMs), accountId: undefined, cannotWait: !canBeRefused },
    }
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    return MAY_BE_READ_LATER.has(error.status)
      ? { kind: 'not now' }
      : { kind: 'unreadable', deviceId, why: error.message }
  }
}
