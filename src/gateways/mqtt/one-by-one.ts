import type { MqttClient } from 'mqtt'
import type { Message } from './read-message.ts'
import type { MessageOutcome } from './take-message.ts'

export interface OneByOneOptions {
  readonly take: (message: Message, gone: AbortSignal) => Promise<MessageOutcome>
  /** Called when a message could not be stored for so long that the broker had better have it back. */
  readonly onWaiting: () => void
  /** When nobody can be told any more what became of a message. */
  readonly gone: AbortSignal
}

/**
 * Makes the client hand over its messages one after the other. The library sends the PUBACK of a message, and goes on
 * to the next one, when the callback of `handleMessage` is called; called with an error, it goes on without a PUBACK.
 * @returns what settles when the message of the moment is done with.
 */
export function takeOneByOne(client: MqttClient, { take, onWaiting, gone }: OneByOneOptions): () => Promise<void> {
  let current = Promise.resolve()

  async function handle(message: Message, next: (error?: Error) => void): Promise<void> {
    const outcome = await take(message, gone)
    if (outcome === 'waiting') {
      onWaiting()
      next(new Error('not stored yet'))
      return
    }
    next()
    // What arrives shows that the broker is there; the answer to a ping may stand behind many messages.
    client.reschedulePing(true)
  }

  client.handleMessage = ({ topic, payload }, next) => {
    if (gone.aborted) {
      next(new Error('the connection ends'))
      return
    }
    current = handle({ topic, payload: typeof payload === 'string' ? Buffer.from(payload) : payload }, next)
  }
  return () => current
}
