import type { EventTypeName } from '../../src/catalogue/event-types.ts'
import type { DeviceId, EventValue } from '../../src/model/sample.ts'
import { type IngestReply, type IngestTarget, postBatch } from './ingest-request.ts'

/** What one dongle reports of one instant. */
export interface IngestSample {
  readonly deviceId: DeviceId
  readonly timeMs: number
  readonly events: readonly (readonly [eventType: EventTypeName, value: EventValue])[]
}

export interface IngestTotals {
  readonly samples: number
  readonly events: number
  readonly accepted: number
  readonly duplicates: number
  readonly requests: number
  /** Batches sent again although the first try may have been stored: then they count as duplicates. */
  readonly maybeStored: number
}

export interface IngestClient {
  /**
   * Takes a sample and returns when there is room for another; one call at a time.
   * @throws what ended the sending, also that of an earlier sample: OperatorError or the signal's reason.
   */
  add(sample: IngestSample): Promise<void>
  /** Sends what is waiting and returns when all of it is stored. @throws like `add`. */
  flush(): Promise<void>
  /** What is stored so far. */
  totals(): IngestTotals
}

export interface IngestClientOptions
  extends Pick<IngestTarget, 'baseUrl' | 'key'>,
    Partial<Omit<IngestTarget, 'baseUrl' | 'key'>> {
  /** Most events a request, though never less than a sample. */
  readonly batchEvents?: number
  /** Most requests at a time. */
  readonly inFlight?: number
  /** After each batch that was stored. */
  readonly onStored?: (totals: IngestTotals) => void
}

/** Below the 16 MB of a request. */
const BATCH_BYTES = 15_000_000

interface SendQueue {
  batch: Batch
  /** Settles, and never rejects, when the batch before is stored. */
  stored: Promise<void>
}

interface Batch {
  readonly texts: string[]
  samples: number
  events: number
  bytes: number
}

const emptyBatch = (): Batch => ({ texts: [], samples: 0, events: 0, bytes: 0 })

/**
 * Sends samples to the HTTP ingest in batches, several at a time. All samples of a dongle go through the same queue, one batch
 * after the other, so they arrive in the order they were added: the way that is fast for the server.
 */
export function createIngestClient(options: IngestClientOptions): IngestClient {
  const { batchEvents = 10_000, inFlight = 4, onStored } = options
  const totals = { samples: 0, events: 0, accepted: 0, duplicates: 0, requests: 0, maybeStored: 0 }
  const failed = new AbortController()
  const target: IngestTarget = {
    gzip: false,
    patienceMs: 60_000,
    ...options,
    signal: options.signal ? AbortSignal.any([options.signal, failed.signal]) : failed.signal,
    onRetry: retry => {
      if (retry.maybeStored) totals.maybeStored++
      options.onRetry?.(retry)
    },
  }
  const queues = Array.from({ length: inFlight }, (): SendQueue => ({ batch: emptyBatch(), stored: Promise.resolve() }))

  async function dispatch(queue: SendQueue): Promise<void> {
    await queue.stored
    target.signal.throwIfAborted()
    const { batch } = queue
    if (batch.samples === 0) return
    queue.batch = emptyBatch()
    queue.stored = postBatch(target, `[${batch.texts.join()}]`).then(
      reply => count(batch, reply),
      // The first failure ends all queues, and is what add and flush throw from now on.
      (error: unknown) => failed.abort(error),
    )
  }

  function count(batch: Batch, reply: IngestReply): void {
    totals.samples += batch.samples
    totals.events += batch.events
    totals.accepted += reply.accepted
    totals.duplicates += reply.duplicates
    totals.requests++
    onStored?.({ ...totals })
  }

  return {
    async add(sample) {
      target.signal.throwIfAborted()
      const queue = queues[sample.deviceId % queues.length]
      if (!queue) throw new Error('inFlight must be at least 1')
      const text = jsonOf(sample)
      const bytes = Buffer.byteLength(text) + 1
      const { batch } = queue
      const fits = batch.events + sample.events.length <= batchEvents && batch.bytes + bytes < BATCH_BYTES
      if (!fits) await dispatch(queue)
      queue.batch.texts.push(text)
      queue.batch.samples++
      queue.batch.events += sample.events.length
      queue.batch.bytes += bytes
    },
    async flush() {
      await Promise.all(queues.map(dispatch))
      await Promise.all(queues.map(queue => queue.stored))
      target.signal.throwIfAborted()
    },
    totals: () => ({ ...totals }),
  }
}

/** The events of a sample as the ingest takes them, without the brackets of the array. */
function jsonOf({ deviceId, timeMs, events }: IngestSample): string {
  const start = `{"deviceId":${deviceId},"recordedTimestamp":"${new Date(timeMs).toISOString()}","eventType":`
  return events.map(([type, value]) => `${start}${JSON.stringify(type)},"value":${JSON.stringify(value)}}`).join()
}
