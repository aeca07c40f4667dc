import { setTimeout as sleep } from 'node:timers/promises'
import { eventTypeById } from '../../src/catalogue/event-types.ts'
import { eventsOf, type Sample } from '../../src/model/sample.ts'
import type { Reply } from '../http-client.ts'
import { type IngestClient, ingestClient, type SentEvent } from '../ingest-client.ts'
import type { Packet } from './uploads.ts'

/**
 * Sends packets over some connections at once, each to the next of the nodes and one packet after the other.
 * @param urls of the nodes
 */
export async function send(
  packets: readonly Packet[],
  { urls, key, connections }: { readonly urls: readonly string[]; readonly key: string; readonly connections: number },
): Promise<void> {
  const clients = Array.from({ length: connections }, (_, i) => ingestClient(urls[i % urls.length] ?? '', key))
  await Promise.all(
    clients.map(async (client, i) => {
      for (const packet of packets.filter((_, place) => place % connections === i))
        if (packet.length > 0) await store(client, packet.flatMap(eventsSent))
    }),
  )
}

const LONGEST_AWAY_MS = 30_000

/** As every sender must, it tries again while the service can not store, or goes away before it answers. */
async function store(client: IngestClient, events: readonly SentEvent[]): Promise<void> {
  const untilMs = Date.now() + LONGEST_AWAY_MS
  while (true) {
    const failure = await failureOf(client, events)
    if (failure === undefined) return
    if (Date.now() > untilMs) throw failure
    await sleep(200)
  }
}

/** @returns undefined when the events were stored. @throws when it is no use to send them again. */
async function failureOf(client: IngestClient, events: readonly SentEvent[]): Promise<Error | undefined> {
  let reply: Reply
  try {
    reply = await client.send(events)
  } catch (error) {
    return new Error('the connection was lost', { cause: error })
  }
  if (reply.status === 200) return undefined
  const failure = new Error(`${reply.status} ${reply.text}`)
  if (reply.status !== 503) throw failure
  return failure
}

function eventsSent(sample: Sample): SentEvent[] {
  const recordedTimestamp = new Date(sample.timeMs).toISOString()
  return [...eventsOf(sample)].map(([type, value]) => ({
    deviceId: sample.deviceId,
    recordedTimestamp,
    eventType: eventTypeById(type).name,
    value,
  }))
}
