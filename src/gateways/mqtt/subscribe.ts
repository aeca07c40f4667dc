import type { MqttClient } from 'mqtt'
import { isNotShared, subscriptionSentence } from './refusal.ts'
import { EVENTS_FILTER, SHARED_EVENTS_FILTER } from './topic.ts'

/**
 * How messages are delivered to a connection: `shared` with all other connections of all nodes; `whole`, every message; or
 * `none`, because another connection of this node has them all.
 */
export type Subscription = 'shared' | 'whole' | 'none'

interface SubscribeOptions {
  /** MQTT 3.1.1 has no shared subscriptions: a broker may take the filter for a topic to which nobody publishes. */
  readonly isShareable: boolean
  readonly isFirst: boolean
}

/**
 * Subscribes with QoS 1. Messages published with QoS 2 are then delivered with QoS 1; duplicates change nothing.
 * @throws Error whose message is for the operator.
 */
export async function subscribe(client: MqttClient, { isShareable, isFirst }: SubscribeOptions): Promise<Subscription> {
  if (isShareable && (await subscribeTo(client, SHARED_EVENTS_FILTER))) {
    // The session may still have it from a time when the broker could not share subscriptions.
    await client.unsubscribeAsync(EVENTS_FILTER)
    return 'shared'
  }
  if (!isFirst) return 'none'
  if (!(await subscribeTo(client, EVENTS_FILTER)))
    throw new Error(`the broker does not know the filter ${EVENTS_FILTER}`)
  return 'whole'
}

/** @returns false when the broker does not support the filter. */
async function subscribeTo(client: MqttClient, filter: string): Promise<boolean> {
  try {
    await client.subscribeAsync(filter, { qos: 1 })
    return true
  } catch (error) {
    if (isNotShared(error)) return false
    throw new Error(subscriptionSentence(filter, error), { cause: error })
  }
}
