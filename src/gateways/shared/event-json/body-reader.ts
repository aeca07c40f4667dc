import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Semaphore } from '../../../lib/semaphore.ts'
import { ClientError, tooManyWaiting, unavailable } from '../../../model/errors.ts'
import { unpackReceived } from './packed-received.ts'
import { type BodyForm, readBody } from './read-body.ts'
import type { EventCircumstances } from './read-event.ts'
import type { ReceivedSamples } from './read-events.ts'
import type { ReadingOrder, ReadingResult } from './reading-worker.ts'

/** Some milliseconds of parsing; for smaller bodies, the way to another thread and back takes as long as parsing. */
export const LARGE_BODY_BYTES = 256 * 1024

/** One CPU is left for small requests. */
const THREADS = Math.max(1, Math.min(4, availableParallelism() - 1))
const MOST_WAITING_PER_ACCOUNT = 32
/** The largest body usually takes half a second. No valid body takes this long: then the thread is stuck. */
const LONGEST_MS = 60_000
const THREAD_LIMITS = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 64 }

const EXTENSION = extname(import.meta.url)
const PROGRAM = new URL(`./reading-worker${EXTENSION}`, import.meta.url)

/**
 * Reads bodies of events: small ones at once, large ones in worker threads, so that nothing else in this process
 * waits for them. Accounts take turns at the threads.
 */
export class BodyReader {
  readonly #threads = new Semaphore<number | 'stranger'>({
    places: THREADS,
    perParty: THREADS,
    mostWaiting: MOST_WAITING_PER_ACCOUNT,
    refusal: () => tooManyWaiting('large bodies'),
  })
  readonly #idle: Worker[] = []
  readonly #all = new Set<Worker>()

  /**
   * @param bytes UTF-8; do not use them afterwards, because they may be transferred to a thread
   * @param sender the account whose turn a large body takes
   * @throws ClientError 400 naming the first bad event and its field, 413 when there are too many, 429 when too many bodies
   *   of this account wait already
   */
  async read(
    bytes: Buffer,
    form: BodyForm,
    circumstances: EventCircumstances,
    sender: number | 'stranger',
  ): Promise<ReceivedSamples> {
    if (bytes.length < LARGE_BODY_BYTES) return readBody(bytes, form, circumstances)
    return this.#threads.run(sender, () => this.#readElsewhere({ bytes, form, circumstances }))
  }

  /** Ends the threads; what they are reading is not answered. */
  async stop(): Promise<void> {
    await Promise.all([...this.#all].map(worker => worker.terminate()))
  }

  async #readElsewhere(order: ReadingOrder): Promise<ReceivedSamples> {
    const worker = this.#idle.pop() ?? this.#begin()
    const signal = AbortSignal.timeout(LONGEST_MS)
    let result: ReadingResult
    try {
      const answer = once(worker, 'message', { signal })
      worker.postMessage(order, transferOf(order.bytes))
      ;[result] = (await answer) as [ReadingResult]
    } catch (error) {
      // Out of memory, or stuck: the next body gets a new thread.
      await worker.terminate()
      throw unavailable('The body could not be read.', 5, error)
    }
    this.#idle.push(worker)
    if (result.kind === 'refused') throw new ClientError(result.status, result.message)
    return unpackReceived(result.packed)
  }

  #begin(): Worker {
    const worker = newThread()
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

function newThread(): Worker {
  const options = { execArgv: [], resourceLimits: THREAD_LIMITS }
  if (EXTENSION !== '.ts') return new Worker(PROGRAM, options)
  // When the sources run directly, as in tests, a thread needs the loader.
  const begin = `import('tsx/esm/api').then(({ register }) => (register(), import(${JSON.stringify(PROGRAM.href)})))`
  return new Worker(begin, { ...options, eval: true })
}

/** Bytes with a buffer of their own are transferred instead of copied. */
function transferOf({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : []
}
