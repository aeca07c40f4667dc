import { on } from 'node:events'
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import type { Worker } from 'node:worker_threads'
import type { AccountReads } from '../../../db/account-reads.ts'
import { historySourceOf } from '../../../db/samples/history-source.ts'
import type { Statement } from '../../../db/sql.ts'
import { Semaphore } from '../../../lib/semaphore.ts'
import { startThread } from '../../../lib/thread.ts'
import { tooManyWaiting } from '../../../model/errors.ts'
import type { DatabaseQuestion, DeviceStays, Folded, FromThread, ToThread, TriedBook } from './thread-messages.ts'

/** Of one account at a time. PostgreSQL and the event loop have their part of the processors, too: the system shares them out. */
export const FOLDING_THREADS = Math.max(1, Math.min(4, availableParallelism()))
/** A device may take a minute, for which the next account need not wait. */
const THREADS_OF_ALL = FOLDING_THREADS + 1
/** Devices of an account that wait for a thread. */
const MOST_WAITING = 4 * FOLDING_THREADS
const THREAD_LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 48 }
/** Somebody who makes a rule tries it several times. After that, a thread only takes memory. */
const IDLE_MS = 60_000

const PROGRAM = new URL(`./folding-thread${extname(import.meta.url)}`, import.meta.url)

/** What is folded, for whom. */
interface FoldOrder {
  readonly accountId: number
  readonly reads: AccountReads
  /** The same object for all devices of a preview. */
  readonly book: TriedBook
  readonly device: DeviceStays
}

interface Thread {
  readonly worker: Worker
  /** The rule that it was told last. */
  book: TriedBook | undefined
  end: NodeJS.Timeout | undefined
}

/**
 * Folds stored samples by rules in threads, so that nothing else in this process waits for it. Accounts take turns at them, a device
 * at a time. A thread has no connection to the database: this process reads for it, in the turn of the account.
 */
export class FoldingThreads {
  readonly #places = new Semaphore<number>({
    places: THREADS_OF_ALL,
    perParty: FOLDING_THREADS,
    mostWaiting: MOST_WAITING,
    refusal: () => tooManyWaiting('previews'),
  })
  readonly #idle: Thread[] = []
  readonly #all = new Set<Worker>()

  /**
   * What a device would have told by a rule. Whoever stops to ask for more, stops the thread.
   * @throws what reading throws
   */
  async *fold({ accountId, reads, book, device }: FoldOrder): AsyncGenerator<Folded> {
    const leave = await this.#places.enter(accountId)
    const thread = this.#idle.pop() ?? this.#begin()
    clearTimeout(thread.end)
    let isDone = false
    try {
      if (thread.book !== book) send(thread.worker, { kind: 'rule', book })
      thread.book = book
      send(thread.worker, { kind: 'device', device })
      yield* findings(thread.worker, reads)
      isDone = true
    } finally {
      if (isDone) this.#keep(thread)
      else await thread.worker.terminate()
      leave()
    }
  }

  /** Ends the threads. */
  async stop(): Promise<void> {
    await Promise.all([...this.#all].map(worker => worker.terminate()))
  }

  #keep(thread: Thread): void {
    this.#idle.push(thread)
    thread.end = setTimeout(() => void thread.worker.terminate(), IDLE_MS).unref()
  }

  #begin(): Thread {
    const worker = startThread(PROGRAM, THREAD_LIMITS)
    const thread: Thread = { worker, book: undefined, end: undefined }
    this.#all.add(worker)
    worker.once('exit', () => {
      this.#all.delete(worker)
      clearTimeout(thread.end)
      const index = this.#idle.indexOf(thread)
      if (index !== -1) this.#idle.splice(index, 1)
    })
    // Between two devices nobody else listens.
    worker.on('error', () => undefined)
    worker.unref()
    return thread
  }
}

/** What a thread finds in a device; meanwhile it is answered what it asks of the database. */
async function* findings(worker: Worker, reads: AccountReads): AsyncGenerator<Folded> {
  const failed = new AbortController()
  try {
    for await (const [message] of on(worker, 'message', { signal: failed.signal }) as AsyncIterable<[FromThread]>) {
      if (message.kind === 'done') return
      if (message.kind === 'folded') yield message.folded
      else void answer(worker, reads, message).catch((error: unknown) => failed.abort(error))
    }
  } catch (error) {
    failed.signal.throwIfAborted()
    throw error
  }
}

async function answer(worker: Worker, reads: AccountReads, question: DatabaseQuestion): Promise<void> {
  const { id } = question
  if (question.kind === 'rows') {
    const { text, values, prepareAs } = question
    const rows = await reads.rows(asked(text, values), prepareAs === undefined ? {} : { prepareAs })
    send(worker, { kind: 'rows', id, rows })
  } else {
    const bytes = await historySourceOf(reads).copied(asked(question.query, []))
    send(worker, { kind: 'copied', id, bytes }, bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [])
  }
}

/** A statement that was made in a thread. */
function asked(text: string, values: readonly unknown[]): Statement {
  return { text, values, inlined: () => text }
}

function send(worker: Worker, message: ToThread, transferred: readonly ArrayBuffer[] = []): void {
  worker.postMessage(message, transferred)
}
