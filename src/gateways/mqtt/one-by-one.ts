import type { IPublishPacket, MqttClient } from 'mqtt'
import type { Message } from './read-message.ts'
import type { MessageOutcome } from './take-message.ts'

export interface OneByOneOptions {
  readonly take: (message: Message, gone: AbortSignal) => Promise<MessageOutcome>
  /** Called when a message could not be stored for so long that the broker should redeliver it. */
  readonly onWaiting: () => void
  /** Aborted when messages can no longer be acknowledged. */
  readonly gone: AbortSignal
}

/** Reason codes of PUBACK (MQTT 5, 3.4.2.1). */
const SUCCESS = 0
const QUOTA_EXCEEDED = 0x97

/**
 * Makes the client pass its messages one after the other. With QoS 1 the library first asks `customHandleAcks` for the reason
 * code of the PUBACK; then, or at once with QoS 0, it calls `handleMessage`, and continues with the next message when
 * that is done. With an error from that callback, it sends no PUBACK.
 * @returns a function whose promise resolves when the current message is done.
 */
export function takeOneByOne(client: MqttClient, { take, onWaiting, gone }: OneByOneOptions): () => Promise<void> {
  let current: Promise<unknown> = Promise.resolve()
  /** Messages of QoS 1 that are not acknowledged. */
  const unanswered = new WeakSet<IPublishPacket>()

  async function handle(message: Message): Promise<MessageOutcome> {
    if (gone.aborted) return 'waiting'
    const outcome = await take(message, gone)
    if (outcome === 'waiting') onWaiting()
    // A message shows that the broker is alive; the answer to a ping may be queued behind many messages.
    else client.reschedulePing(true)
    return outcome
  }

  client.options.customHandleAcks = (topic, payload, packet, answer) => {
    if (packet.qos !== 1) return answer(SUCCESS)
    const canBeRefused = client.options.protocolVersion === 5
    const taken = handle({ topic, payload: bytesOf(payload), canBeRefused })
    const acknowledge = (outcome: MessageOutcome): void => {
      if (outcome === 'waiting') unanswered.add(packet)
      answer(outcome === 'over quota' ? QUOTA_EXCEEDED : SUCCESS)
    }
    current = taken.then(acknowledge)
  }
  client.handleMessage = (packet, next) => {
    const { topic, payload, qos } = packet
    const goOn = (isWaiting: boolean) => next(isWaiting ? new Error('not stored yet') : undefined)
    if (qos === 1) return goOn(unanswered.has(packet))
    // With QoS 0, the publisher was promised nothing.
    const taken = handle({ topic, payload: bytesOf(payload), canBeRefused: qos === 0 })
    current = taken.then(outcome => goOn(outcome === 'waiting'))
  }
  return () => current.then(() => undefined)
}

function bytesOf(payload: Buffer | string): Buffer {
  return typeof payload === 'string' ? Buffer.from(payload) : payload
}
