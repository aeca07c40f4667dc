import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { EventTypeName } from '../../src/catalogue/event-types.ts'
import { OperatorError } from '../../src/model/errors.ts'
import type { DeviceId, EventValue } from '../../src/model/sample.ts'

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
  /** Returns when there is room for another sample. @throws what ended the sending, or the signal's reason */
  add(sample: IngestSample): Promise<void>
  /** Sends what is waiting and returns when all of it is stored. @throws like `add`. */
  flush(): Promise<void>
  totals(): IngestTotals
}

export interface IngestClientOptions
  extends Pick<IngestTarget, 'baseUrl' | 'key'>,
    Partial<Omit<IngestTarget, 'baseUrl' | 'key'>> {
  readonly batchEvents?: number
  readonly inFlight?: number
  readonly onStored?: (totals: IngestTotals) => void
}

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

/** All samples of a dongle go through the same queue, so they arrive in their order: fast for the server. */
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

function jsonOf({ deviceId, timeMs, events }: IngestSample): string {
  const start = `{"deviceId":${deviceId},"recordedTimestamp":"${new Date(timeMs).toISOString()}","eventType":`
  return events.map(([type, value]) => `${start}${JSON.stringify(type)},"value":${JSON.stringify(value)}}`).join()
}

interface IngestReply {
  readonly accepted: number
  readonly duplicates: number
}

interface IngestTarget {
  readonly baseUrl: string
  readonly key: string
  readonly gzip: boolean
  /** For so long a batch is tried again while the service does not answer or is unable to; a 429 always says when to come back. */
  readonly patienceMs: number
  readonly signal: AbortSignal
  readonly onRetry: (retry: Retry) => void
}

/** A batch that has to be sent again; sending twice changes nothing. */
export interface Retry {
  readonly why: string
  readonly waitMs: number
  /** The batch may be stored although no answer said so; then the next try counts it as duplicates. */
  readonly maybeStored: boolean
}

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 10_000
const ANSWER_WITHIN_MS = 60_000

const gzipped = promisify(gzip)

/** @throws OperatorError when the service refuses the batch or patience ends; the signal's reason when that aborts. */
export async function postBatch(target: IngestTarget, json: string): Promise<IngestReply> {
  const body = target.gzip ? await gzipped(json) : Buffer.from(json)
  const startMs = performance.now()
  for (let attempt = 0; ; attempt++) {
    const outcome = await tryOnce(target, body)
    if ('accepted' in outcome) return outcome
    const waitedMs = performance.now() - startMs
    if (!outcome.always && waitedMs > target.patienceMs)
      throw new OperatorError(`${target.baseUrl}: ${outcome.why}, for ${Math.round(waitedMs / 1000)} s now.`)
    const backoffMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(attempt, 10), LONGEST_WAIT_MS)
    const waitMs = Math.max(backoffMs, outcome.retryAfterMs)
    target.onRetry({ why: outcome.why, waitMs, maybeStored: outcome.maybeStored })
    await sleep(waitMs, undefined, { signal: target.signal })
  }
}

interface Failure {
  readonly why: string
  readonly retryAfterMs: number
  readonly maybeStored: boolean
  /** Patience does not count. */
  readonly always: boolean
}

async function tryOnce(target: IngestTarget, body: Buffer): Promise<IngestReply | Failure> {
  target.signal.throwIfAborted()
  // Not AbortSignal.any: in Node 20 each one made from a long-lived signal stays in memory with it.
  const controller = new AbortController()
  const abort = () => controller.abort(target.signal.reason)
  const timer = setTimeout(() => controller.abort(new Error('no answer in time')), ANSWER_WITHIN_MS)
  target.signal.addEventListener('abort', abort, { once: true })
  try {
    const response = await fetch(ingestUrl(target.baseUrl), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${target.key}`,
        'content-type': 'application/json',
        ...(target.gzip ? { 'content-encoding': 'gzip' } : {}),
      },
      body,
      redirect: 'manual',
      signal: controller.signal,
    })
    return replyOf(response.status, response.headers.get('retry-after'), await response.text())
  } catch (error) {
    if (error instanceof OperatorError) throw error
    target.signal.throwIfAborted()
    return lostConnection(error)
  } finally {
    clearTimeout(timer)
    target.signal.removeEventListener('abort', abort)
  }
}

export function ingestUrl(baseUrl: string): string {
  return `${baseUrl.replace(/(?<!\/)\/+$/, '')}/ingest/events`
}

function replyOf(status: number, retryAfter: string | null, text: string): IngestReply | Failure {
  if (status === 200) return acceptedOf(text)
  if (status === 429 || status === 408 || status >= 500)
    return {
      why: `the service answers ${status}`,
      retryAfterMs: retryAfterMs(retryAfter, Date.now()),
      maybeStored: status !== 429,
      always: status === 429,
    }
  const said = errorMessageOf(text)
  if (status === 401) throw new OperatorError('The service does not know this key (401).')
  if (status === 403) throw new OperatorError(`This key may not send measurements (403): ${said}`)
  if (status === 404) throw new OperatorError('There is no Tacho at this address (404).')
  if (status === 413) throw new OperatorError('The service refuses a batch of this size (413): choose a smaller one.')
  throw new OperatorError(`The service refused a batch (${status}): ${said}`)
}

function acceptedOf(text: string): IngestReply {
  const { accepted, duplicates } = objectOf(text)
  if (typeof accepted !== 'number' || typeof duplicates !== 'number')
    throw new OperatorError('This address answers, but not as the ingest of a Tacho does.')
  return { accepted, duplicates }
}

function errorMessageOf(text: string): string {
  const { errorMessage } = objectOf(text)
  return typeof errorMessage === 'string' ? errorMessage : text.slice(0, 200)
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>
  } catch {
    return {}
  }
}

export function retryAfterMs(header: string | null, nowMs: number): number {
  const text = header?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const dateMs = Date.parse(text)
  return Number.isNaN(dateMs) ? 0 : Math.max(0, dateMs - nowMs)
}

function lostConnection(error: unknown): Failure {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const { code, message } = cause as NodeJS.ErrnoException
  const neverArrived = code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN'
  return {
    why: neverArrived ? `no connection (${code})` : `the connection broke (${code ?? message})`,
    retryAfterMs: 0,
    maybeStored: !neverArrived,
    always: false,
  }
}
