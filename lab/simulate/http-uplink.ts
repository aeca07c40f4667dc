import { eventTypeById } from '../../src/catalogue/event-types.ts'
import { takingTurns } from '../../src/lib/semaphore.ts'
import { byClock } from '../../src/model/dongle-clock.ts'
import { eventsOf, type Sample } from '../../src/model/sample.ts'
import { postBatch } from '../upload/ingest-client.ts'
import type { UplinkOptions, Uplinks } from './uplink.ts'

const REQUESTS_AT_ONCE = 32

interface HttpAddress {
  readonly baseUrl: string
  /** With the ingest permission. */
  readonly key: string
}

/**
 * The HTTP ingest, a request for each packet. Samples of an impossible time are not sent this way: the HTTP
 * ingest, whose clients have a clock of their own, refuses them or takes them for a recording of that time.
 */
export function httpUplinks({ baseUrl, key }: HttpAddress, { signal, onTrouble }: UplinkOptions): Uplinks {
  const requestInTurn = takingTurns(REQUESTS_AT_ONCE)
  const target = {
    baseUrl,
    key,
    gzip: false,
    patienceMs: Number.POSITIVE_INFINITY,
    signal,
    onRetry: ({ why }: { readonly why: string }) => onTrouble(why),
  }
  return {
    of: () => ({
      async send(samples) {
        const { samples: possible } = byClock(samples, Date.now())
        if (possible.length > 0) await requestInTurn(() => postBatch(target, jsonOf(possible)))
        return possible
      },
    }),
    cut: async () => undefined,
  }
}

/** Samples in the JSON of the HTTP ingest, which MQTT has as well. */
export function jsonOf(samples: readonly Sample[]): string {
  const events = samples.flatMap(sample =>
    [...eventsOf(sample)].map(([id, value]) => ({
      deviceId: sample.deviceId,
      recordedTimestamp: new Date(sample.timeMs).toISOString(),
      eventType: eventTypeById(id).name,
      value,
    })),
  )
  return JSON.stringify(events)
}
