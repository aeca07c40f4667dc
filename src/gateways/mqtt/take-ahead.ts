import type { IPublishPacket, MqttClient } from 'mqtt'
import { Signal } from '../../lib/signal.ts'
import type { Message } from './read-message.ts'
import type { MessageOutcome } from './take-message.ts'

export interface TakeAheadOptions {
  readonly take: (message: Message, gone: AbortSignal) => Promise<MessageOutcome>
  /** Called when a message could not be stored for so long that the broker should redeliver it. */
  readonly onWaiting: () => void
  /** Aborted when messages can no longer be acknowledged. */
  readonly gone: AbortSignal
}

/** Messages of a connection that are taken at once. The intake puts them, with those of others, into one transaction. */
export const MESSAGES_AHEAD = 20
/** A message is taken ahead only while others hold less than this, so that large ones do not fill the memory. */
const BYTES_AHEAD = 4 * 1024 * 1024

/** Reason codes of PUBACK (MQTT 5, 3.4.2.1). */
const SUCCESS = 0
const QUOTA_EXCEEDED = 0x97

/**
 * Takes the messages of a client, several at a time: those of a topic one after the other, and of all the PUBACKs in the order in which they
 * came (MQTT 5, 4.6). The library goes on with the next message when the callback of `handleMessage` is called; with an error it sends no
 * PUBACK, so ours can follow after the commit.
 * @returns a function whose promise resolves when the current messages are done.
 */
export function takeAhead(client: MqttClient, { take, onWaiting, gone }: TakeAheadOptions): () => Promise<void> {
  const lastOfTopic = new Map<string, Promise<unknown>>()
  const isDone = new Signal()
  let lastAnswer: Promise<boolean> = Promise.resolve(true)
  let messages = 0
  let bytes = 0

  async function handle(message: Message, before: Promise<unknown> | undefined): Promise<MessageOutcome> {
    await before
    if (gone.aborted) return 'waiting'
    const outcome = await take(message, gone)
    // A message shows that the broker is alive; the answer to a ping may be queued behind many messages.
    if (outcome !== 'waiting') client.reschedulePing(true)
    else if (!gone.aborted) onWaiting()
    return outcome
  }

  function begin(message: Message): Promise<MessageOutcome> {
    const { topic, payload } = message
    const { length } = payload
    const taken = handle(message, lastOfTopic.get(topic))
    lastOfTopic.set(topic, taken)
    messages++
    bytes += length
    return taken.finally(() => {
      messages--
      bytes -= length
      if (lastOfTopic.get(topic) === taken) lastOfTopic.delete(topic)
      isDone.emit()
    })
  }

  /** @returns whether this message and all before it were acknowledged: behind one that was not, nothing is */
  async function acknowledge(packet: IPublishPacket, taken: Promise<MessageOutcome>, before: Promise<boolean>) {
    const outcome = await taken
    if (!(await before) || outcome === 'waiting') return false
    const reasonCode = outcome === 'over quota' ? QUOTA_EXCEEDED : SUCCESS
    // The library itself acknowledges only before it goes on.
    client['_sendPacket']({ cmd: 'puback', messageId: packet.messageId ?? 0, reasonCode })
    return true
  }

  const isFull = () => messages >= MESSAGES_AHEAD || bytes >= BYTES_AHEAD
  const isBusy = () => messages > 0

  async function goOnWhenThereIsRoom(next: (error?: Error) => void): Promise<void> {
    while (isFull()) await isDone.wait()
    next(new Error('acknowledged when it is stored'))
  }

  async function goOnWhenTaken(taken: Promise<MessageOutcome>, next: (error?: Error) => void): Promise<void> {
    next((await taken) === 'waiting' ? new Error('not stored yet') : undefined)
  }

  client.options.customHandleAcks = (_topic, _payload, _packet, answer) => answer(SUCCESS)
  client.handleMessage = (packet, next) => {
    const { topic, payload, qos } = packet
    // With QoS 0, the publisher was promised nothing.
    const canBeRefused = qos === 0 || (qos === 1 && client.options.protocolVersion === 5)
    const taken = begin({ topic, payload: bytesOf(payload), canBeRefused })
    if (qos === 1) lastAnswer = acknowledge(packet, taken, lastAnswer)
    // With QoS 2, the library tells the broker itself that the message is complete.
    void (qos === 2 ? goOnWhenTaken(taken, next) : goOnWhenThereIsRoom(next))
  }
  return async () => {
    while (isBusy()) await isDone.wait()
    await lastAnswer
  }
}

function bytesOf(payload: Buffer | string): Buffer {
  return typeof payload === 'string' ? Buffer.from(payload) : payload
}
