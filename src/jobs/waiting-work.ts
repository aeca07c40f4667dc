import type { Database } from '../db/database.ts'
import { listOf, type Statement, sql } from '../db/sql.ts'
import { type Clock, pause, SYSTEM_CLOCK } from '../lib/clock.ts'
import { Signal } from '../lib/signal.ts'

const LOOK_MS = 2_000
/** The same while a stream waits for each change. */
const LOOK_WATCHED_MS = 1_000
/** Work that a commit leaves is done within this time, or is tried again. */
const ACTIVE_FOR_MS = 5_000
/** Without a commit it looks so often nevertheless: a notification may be lost. */
const IDLE_MS = 5_000

type WatchedDatabase = Pick<Database, 'rows' | 'listen'> & { readonly changes: Pick<Database['changes'], 'isHurried'> }

/** Looks for all kinds of work at once, and rests while no node commits: asking for each by itself was a fifth of the
 * cost of a hundred dongles (docs/adr/0030). */
export class WaitingWork<Kind extends string> {
  readonly #database: WatchedDatabase
  readonly #clock: Clock
  readonly #stop: AbortSignal
  readonly #conditions: () => Readonly<Record<Kind, Statement>>
  readonly #woken = new Signal()
  readonly #looked = new Signal()
  #waiting: ReadonlySet<Kind>
  #heardMs: number
  readonly #listener: { close(): Promise<void> }
  readonly #work: Promise<void>

  /** @param conditions true when something of a kind waits; the same text each time @param stop ends all waiting */
  constructor(
    database: WatchedDatabase,
    conditions: () => Readonly<Record<Kind, Statement>>,
    stop: AbortSignal,
    clock: Clock = SYSTEM_CLOCK,
  ) {
    this.#database = database
    this.#clock = clock
    this.#stop = stop
    this.#conditions = conditions
    this.#waiting = new Set(kindsOf(conditions()))
    this.#heardMs = clock.monotonicMs()
    this.#listener = database.listen(() => {
      this.#heardMs = clock.monotonicMs()
      this.#woken.emit()
    }, 'some')
    stop.addEventListener('abort', () => this.#woken.emit(), { once: true })
    this.#work = this.#lookAgainAndAgain()
  }

  /** Resolves when something of a kind was found waiting after this call, or when stopped. */
  async next(kind: Kind): Promise<void> {
    while (!this.#stop.aborted) {
      await this.#looked.wait()
      if (this.#waiting.has(kind)) return
    }
  }

  /** Resolves after the next look, whatever it found, or when stopped. */
  async nextLook(): Promise<void> {
    if (!this.#stop.aborted) await this.#looked.wait()
  }

  async close(): Promise<void> {
    await Promise.all([this.#work, this.#listener.close()])
  }

  async #lookAgainAndAgain(): Promise<void> {
    while (!this.#stop.aborted) {
      this.#waiting = await this.#look()
      this.#looked.emit()
      await this.#pause()
    }
    this.#looked.emit()
  }

  /** When it cannot be known, all kinds count as waiting: each job reports what is wrong. */
  async #look(): Promise<ReadonlySet<Kind>> {
    const conditions = this.#conditions()
    const kinds = kindsOf(conditions)
    try {
      const [row] = await this.#database.rows<{ waits: readonly boolean[] }>(
        sql`select array[${listOf(kinds.map(kind => conditions[kind]))}] as waits`,
        { prepareAs: 'waiting-work' },
      )
      return new Set(kinds.filter((_, index) => row?.waits[index] ?? true))
    } catch {
      return new Set(kinds)
    }
  }

  /** Between two looks; without recent commits, until the next one or for some seconds. */
  async #pause(): Promise<void> {
    if (this.#clock.monotonicMs() < this.#heardMs + ACTIVE_FOR_MS)
      return pause(this.#database.changes.isHurried ? LOOK_WATCHED_MS : LOOK_MS, this.#stop, this.#clock)
    if (this.#stop.aborted) return
    const cancel = this.#clock.after(IDLE_MS, () => this.#woken.emit())
    await this.#woken.wait()
    cancel()
  }
}

function kindsOf<Kind extends string>(conditions: Readonly<Record<Kind, Statement>>): Kind[] {
  return Object.keys(conditions) as Kind[]
}
