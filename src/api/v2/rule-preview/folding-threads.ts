import { on } from 'node:events'
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import type { Worker } from 'node:worker_threads'
import type { AccountReads } from '../../../db/account-reads.ts'
import { copiedBytes } from '../../../db/copy.ts'
import type { Statement } from '../../../db/sql.ts'
import type { IncidentItem } from '../../../derive/incidents/detector.ts'
import type { RuleBook, RuleVersion } from '../../../derive/rules/rule-book.ts'
import { startThread } from '../../../lib/process.ts'
import { Semaphore } from '../../../lib/semaphore.ts'
import { tooManyWaiting } from '../../../model/errors.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { TimeRange } from '../../../model/time-range.ts'

/** Of one preview at a time. PostgreSQL and the event loop have their part of the processors, too: the system shares them out. */
const FOLDING_THREADS = Math.max(1, Math.min(4, availableParallelism()))
/** Devices of an account at a time: while samples of one are read, its thread folds those of another one. Each reads by one statement at a time. */
export const DEVICES_AT_ONCE = FOLDING_THREADS + 2
/** A device may take a minute, for which the next account need not wait. */
const DEVICES_OF_ALL = DEVICES_AT_ONCE + 1
/** Devices of an account that wait for a thread. */
const MOST_WAITING = 4 * DEVICES_AT_ONCE
const THREAD_LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 48 }
/** Somebody who makes a rule tries it several times. After that, a thread only takes memory. */
const IDLE_MS = 60_000

const PROGRAM = new URL(`./folding-thread${extname(import.meta.url)}`, import.meta.url)

interface FoldOrder {
  readonly accountId: number
  readonly reads: AccountReads
  /** The same object for all devices of a preview. */
  readonly book: TriedBook
  readonly device: TriedDevice
}

interface Thread {
  readonly worker: Worker
  /** Its present or last work. */
  work: ThreadWork | undefined
  end: NodeJS.Timeout | undefined
}

/** A preview, as far as one thread folds for it. */
interface ThreadWork {
  readonly book: TriedBook
  readonly reads: AccountReads
  /** Which devices it folds now. */
  readonly devices: Set<DeviceId>
  /** Ends all of them. */
  readonly failed: AbortController
}

/** Threads, so that nothing else in this process waits for folding; accounts take turns, a device at a time. A thread
 * has no database connection: this process reads for it, in the turn of the account. */
export class FoldingThreads {
  readonly #places = new Semaphore<number>({
    places: DEVICES_OF_ALL,
    perParty: DEVICES_AT_ONCE,
    mostWaiting: MOST_WAITING,
    refusal: () => tooManyWaiting('previews'),
  })
  readonly #threads = new Set<Thread>()

  /** A caller that stops iterating stops the thread, with all that it folds for the preview. @throws reading errors */
  async *fold({ accountId, reads, book, device }: FoldOrder): AsyncGenerator<Folded> {
    const leave = await this.#places.enter(accountId)
    const thread = this.#threadFor(book)
    const work = workOf(thread, book, reads)
    const { deviceId } = device
    work.devices.add(deviceId)
    let isDone = false
    try {
      send(thread.worker, { kind: 'device', device })
      yield* findings(thread.worker, deviceId, work.failed.signal)
      isDone = true
    } finally {
      work.devices.delete(deviceId)
      if (!isDone) await this.#stop(thread)
      else if (work.devices.size === 0) keep(thread)
      leave()
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()))
  }

  /** Another one, as long as a preview has fewer than it may; then that of its threads with the fewest devices. */
  #threadFor(book: TriedBook): Thread {
    const busy = [...this.#threads].filter(({ work }) => work?.book === book && work.devices.size > 0)
    const [least] = busy.sort((a, b) => countOf(a) - countOf(b))
    if (least && busy.length >= FOLDING_THREADS) return least
    const idle = [...this.#threads].filter(thread => countOf(thread) === 0)
    return idle.find(({ work }) => work?.book === book) ?? idle[0] ?? this.#begin()
  }

  #begin(): Thread {
    const worker = startThread(PROGRAM, THREAD_LIMITS)
    const thread: Thread = { worker, work: undefined, end: undefined }
    this.#threads.add(thread)
    worker.once('exit', () => this.#forget(thread))
    // Between two devices nobody else listens.
    worker.on('error', () => undefined)
    worker.on('message', (message: FromThread) => {
      if (message.kind === 'rows' || message.kind === 'copied') void answer(thread, message)
    })
    worker.unref()
    return thread
  }

  async #stop(thread: Thread): Promise<void> {
    this.#forget(thread)
    await thread.worker.terminate()
  }

  /** Nobody takes it any more, and whoever waits for it gets an error. */
  #forget(thread: Thread): void {
    this.#threads.delete(thread)
    clearTimeout(thread.end)
    thread.work?.failed.abort(new Error('a thread that folds was stopped'))
  }
}

function countOf({ work }: Thread): number {
  return work?.devices.size ?? 0
}

/** The work of a thread for a preview, which gets the rule once. */
function workOf(thread: Thread, book: TriedBook, reads: AccountReads): ThreadWork {
  clearTimeout(thread.end)
  const { work } = thread
  if (work?.book === book) return work
  send(thread.worker, { kind: 'rule', book })
  return (thread.work = { book, reads, devices: new Set(), failed: new AbortController() })
}

/** For the next device, or preview. */
function keep(thread: Thread): void {
  thread.end = setTimeout(() => void thread.worker.terminate(), IDLE_MS).unref()
}

/** The findings of a thread at a device. */
async function* findings(worker: Worker, deviceId: DeviceId, failed: AbortSignal): AsyncGenerator<Folded> {
  try {
    for await (const [message] of on(worker, 'message', { signal: failed }) as AsyncIterable<[FromThread]>) {
      if (message.kind === 'done' && message.deviceId === deviceId) return
      if (message.kind === 'folded' && message.deviceId === deviceId) yield message
    }
  } catch (error) {
    failed.throwIfAborted()
    throw error
  }
}

/** Reads for a thread. An error ends all that it works at. */
async function answer({ worker, work }: Thread, question: DatabaseQuestion): Promise<void> {
  if (!work) return
  try {
    const { id } = question
    if (question.kind === 'rows') {
      const { text, values, prepareAs } = question
      const rows = await work.reads.rows(asked(text, values), prepareAs === undefined ? {} : { prepareAs })
      send(worker, { kind: 'rows', id, rows })
    } else {
      const bytes = await work.reads.hold(client => copiedBytes(client, question.query))
      send(worker, { kind: 'copied', id, bytes }, bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [])
    }
  } catch (error) {
    work.failed.abort(error)
  }
}

/** A statement that was made in a thread. */
function asked(text: string, values: readonly unknown[]): Statement {
  return { text, values, inlined: () => text }
}

function send(worker: Worker, message: ToThread, transferred: readonly ArrayBuffer[] = []): void {
  worker.postMessage(message, transferred)
}

export interface TriedBook extends RuleBook {
  readonly rule: RuleVersion
}

/** A device, and in which cars it was when: in the order of time. */
export interface TriedDevice {
  readonly deviceId: DeviceId
  readonly periods: readonly (TimeRange & { readonly vehicleId: number; readonly publicId: string })[]
}

/** An incident that a rule would have found, with the car that it would belong to. */
export interface FoundIncident {
  readonly publicId: string
  readonly deviceId: DeviceId
  readonly item: IncidentItem
}

/** The incidents that some more samples of a device decided. */
interface Folded {
  readonly samples: number
  readonly found: readonly FoundIncident[]
}

/** A thread gets a rule once, then its devices, some at once, and the answers of the database. */
export type ToThread =
  | { readonly kind: 'rule'; readonly book: TriedBook }
  | { readonly kind: 'device'; readonly device: TriedDevice }
  | DatabaseAnswer

export type DatabaseAnswer =
  | { readonly kind: 'rows'; readonly id: number; readonly rows: readonly object[] }
  | { readonly kind: 'copied'; readonly id: number; readonly bytes: Uint8Array }

/** It posts what it needs of the database, its findings, and that it is done with a device. */
export type FromThread =
  | DatabaseQuestion
  | (Folded & { readonly kind: 'folded'; readonly deviceId: DeviceId })
  | { readonly kind: 'done'; readonly deviceId: DeviceId }

export type DatabaseQuestion =
  | {
      readonly kind: 'rows'
      readonly id: number
      readonly text: string
      /** As the driver takes them. */
      readonly values: readonly unknown[]
      readonly prepareAs: string | undefined
    }
  | { readonly kind: 'copied'; readonly id: number; readonly query: string }
