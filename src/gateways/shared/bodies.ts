import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EventTypeId } from '../../catalogue/event-types.ts'
import { startThread, transferOf } from '../../lib/process.ts'
import { Semaphore } from '../../lib/semaphore.ts'
import { ClientError, tooManyWaiting, unavailable } from '../../model/errors.ts'
import type { DeviceId, Sample } from '../../model/sample.ts'

/** One CPU is left for small requests. */
const THREADS = Math.max(1, Math.min(4, availableParallelism() - 1))
/** The largest body usually takes half a second. No valid body takes this long: then the thread is stuck. */
const LONGEST_MS = 60_000
const THREAD_LIMITS = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 64 }

const PROGRAM = new URL(`../reading-worker${extname(import.meta.url)}`, import.meta.url)

/** How many values of each name had no event type, or were not available. */
export type LeftOutCounts = ReadonlyMap<string, number>
/** Adds values that were left out, by the name in the protocol, to the metrics. */
export type ObserveLeftOut = (gateway: string, counts: LeftOutCounts) => void

/** The account whose turn a body takes. */
type Sender = number | 'stranger'

/** Reads small bodies at once and large ones in worker threads, which accounts share in turns. */
export class BodyReader {
  readonly #threads: Semaphore<Sender>
  readonly #idle: Worker[] = []
  readonly #all = new Set<Worker>()

  readonly #observeLeftOut: ObserveLeftOut

  /** @param mostWaiting large bodies of one account, which wait in memory for a thread */
  constructor(mostWaiting: number, observeLeftOut: ObserveLeftOut = () => undefined) {
    this.#observeLeftOut = observeLeftOut
    this.#threads = new Semaphore({
      places: THREADS,
      perParty: THREADS,
      mostWaiting,
      refusal: () => tooManyWaiting('large bodies'),
    })
  }

  /** @param bytes UTF-8; do not use them afterwards: a thread may take them
   * @throws ClientError as the reading does; 429 when too many bodies of this account wait already */
  async read<Terms, Received extends { readonly leftOut: LeftOutCounts }, Packed extends PackedBody>(
    reading: BodyReading<Terms, Received, Packed>,
    bytes: Buffer,
    terms: Terms,
    sender: Sender,
  ): Promise<Received> {
    const order: ReadingOrder = { name: reading.name, bytes, terms }
    const received =
      bytes.length < reading.largeBytes
        ? reading.read(bytes, terms)
        : await this.#threads.run(sender, async () => reading.unpack(await this.#readElsewhere<Packed>(order)))
    this.#observeLeftOut(reading.name, received.leftOut)
    return received
  }

  /** Ends the threads; what they are reading is not answered. */
  async stop(): Promise<void> {
    await Promise.all([...this.#all].map(worker => worker.terminate()))
  }

  async #readElsewhere<Packed extends PackedBody>(order: ReadingOrder): Promise<Packed> {
    const worker = this.#idle.pop() ?? this.#begin()
    const signal = AbortSignal.timeout(LONGEST_MS)
    let result: ReadingResult<Packed>
    try {
      const answer = once(worker, 'message', { signal })
      worker.postMessage(order, transferOf(order.bytes))
      ;[result] = (await answer) as [ReadingResult<Packed>]
    } catch (error) {
      // Out of memory, or stuck: the next body gets a new thread.
      await worker.terminate()
      throw unavailable('The body could not be read.', 5, error)
    }
    this.#idle.push(worker)
    if (result.kind === 'refused') throw new ClientError(result.status, result.message)
    return result.packed
  }

  #begin(): Worker {
    const worker = startThread(PROGRAM, THREAD_LIMITS)
    this.#all.add(worker)
    worker.once('exit', () => {
      this.#all.delete(worker)
      const index = this.#idle.indexOf(worker)
      if (index !== -1) this.#idle.splice(index, 1)
    })
    // While a body is read, `once` gets the error; between two bodies there is no listener.
    worker.on('error', () => undefined)
    worker.unref()
    return worker
  }
}

/** Delays the reply to a large body with nothing to store: many of them would take CPU time, and a sender by mistake
 * would not notice. */
export const NOTHING_PAUSE_MS = 500

/** A hook `onSend` for a route with bodies: the refusal of a large one is delayed. */
export function refuseLargeSlowly(largeBytes: number) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const isRefusedForItsBody = reply.statusCode === 400 || reply.statusCode === 413
    if (isRefusedForItsBody && mayBeLarge(request, largeBytes)) await sleep(NOTHING_PAUSE_MS)
  }
}

/** The length is not known for bodies that are compressed or chunked. */
function mayBeLarge({ headers }: FastifyRequest, largeBytes: number): boolean {
  const bytes = Number(headers['content-length'])
  return headers['content-encoding'] !== undefined || !(bytes < largeBytes)
}

/** How bodies of one kind are read: small ones at once, large ones in a thread (`src/gateways/reading-worker.ts`). */
export interface BodyReading<Terms, Received, Packed extends PackedBody> {
  /** How the thread finds it, and metrics name it. */
  readonly name: 'events' | 'traccar' | 'osmand'
  /** From this size on, a body is read in a thread. */
  readonly largeBytes: number
  /** @param bytes UTF-8 @param terms can be copied to a thread @throws ClientError when the body is refused */
  read(bytes: Uint8Array, terms: Terms): Received
  /** The message of the thread: plain values, lists and maps. */
  pack(received: Received): Packed
  unpack(packed: Packed): Promise<Received>
}

/** The input of a thread. */
export interface ReadingOrder {
  readonly name: BodyReading<unknown, unknown, PackedBody>['name']
  readonly bytes: Uint8Array
  readonly terms: unknown
}

/** Its result. */
export type ReadingResult<Packed extends PackedBody> =
  | { readonly kind: 'received'; readonly packed: Packed }
  | { readonly kind: 'refused'; readonly status: number; readonly message: string }

/** Samples as a few arrays of numbers, transferred between threads without copying: half a million small objects would
 * cost as much as parsing the JSON. */
export interface PackedSamples {
  readonly deviceIds: Float64Array<ArrayBuffer>
  readonly timesMs: Float64Array<ArrayBuffer>
  /** How many types, numbers and texts each sample has, one after the other. */
  readonly counts: Uint16Array<ArrayBuffer>
  /** Those of all samples, concatenated; so are `numbers` and `texts`. */
  readonly types: Uint16Array<ArrayBuffer>
  readonly numbers: Float64Array<ArrayBuffer>
  readonly texts: readonly string[]
}

/** The content of a body between two threads. */
export interface PackedBody {
  readonly samples: PackedSamples
}

export function packSamples(samples: readonly Sample[]): PackedSamples {
  return {
    deviceIds: Float64Array.from(samples, sample => sample.deviceId),
    timesMs: Float64Array.from(samples, sample => sample.timeMs),
    counts: Uint16Array.from(samples.flatMap(({ types, numbers, texts }) => [types, numbers, texts].map(sizeOf))),
    types: Uint16Array.from(samples.flatMap(sample => sample.types)),
    numbers: Float64Array.from(samples.flatMap(sample => sample.numbers)),
    texts: samples.flatMap(sample => sample.texts),
  }
}

const sizeOf = (list: readonly unknown[]) => list.length

/** The buffers that are transferred instead of copied. */
export function transferable({ deviceIds, timesMs, counts, types, numbers }: PackedSamples): ArrayBuffer[] {
  return [deviceIds, timesMs, counts, types, numbers].map(({ buffer }) => buffer)
}

/** Half a millisecond of unpacking. */
const SAMPLES_AT_ONCE = 2000

/** Other work of this thread gets a turn now and then. */
export async function unpackSamples(packed: PackedSamples): Promise<Sample[]> {
  const { deviceIds, timesMs, counts, types, numbers, texts } = packed
  const samples: Sample[] = []
  let [nextType, nextNumber, nextText] = [0, 0, 0]
  for (let index = 0; index < deviceIds.length; index++) {
    if (index % SAMPLES_AT_ONCE === SAMPLES_AT_ONCE - 1) await setImmediate()
    const endOfTypes = nextType + (counts[3 * index] ?? 0)
    const endOfNumbers = nextNumber + (counts[3 * index + 1] ?? 0)
    const endOfTexts = nextText + (counts[3 * index + 2] ?? 0)
    samples.push({
      deviceId: (deviceIds[index] ?? 0) as DeviceId,
      timeMs: timesMs[index] ?? 0,
      types: part(types, nextType, endOfTypes) as EventTypeId[],
      numbers: part(numbers, nextNumber, endOfNumbers),
      texts: texts.slice(nextText, endOfTexts),
    })
    nextType = endOfTypes
    nextNumber = endOfNumbers
    nextText = endOfTexts
  }
  return samples
}

/** `Array.from` with a part of a typed array takes several times as long. */
function part(list: Uint16Array | Float64Array, start: number, end: number): number[] {
  const numbers: number[] = []
  for (let at = start; at < end; at++) numbers.push(list[at] ?? 0)
  return numbers
}
