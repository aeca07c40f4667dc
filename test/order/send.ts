import { eventTypeById } from '../../src/catalogue/event-types.ts'
import { eventsOf, type Sample } from '../../src/intake/sample.ts'
import type { Packet } from '../../src/simulation/uploads/packets.ts'
import { ingestClient, type SentEvent } from '../ingest-client.ts'

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
        if (packet.length > 0) await client.store(packet.flatMap(eventsSent))
    }),
  )
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
