import { readClockDifferenceS } from '../../db/clock.ts'
import type { Connection } from '../../db/database.ts'
import { type Clock, pause, SYSTEM_CLOCK } from '../../lib/clock.ts'
import {
  type RunningProcess,
  readDatabaseBytes,
  readProcesses,
  readStandbys,
  readUnderivedSeconds,
  type Standby,
} from './database-figures.ts'
import { type DiskState, DiskWatch } from './disk-watch.ts'

/** What an operator is to know of the machine and its database; what can not be known now is undefined. */
export interface MachineFigures {
  readonly underivedSeconds: number | undefined
  readonly processes: readonly RunningProcess[] | undefined
  readonly standbys: readonly Standby[] | undefined
  readonly databaseBytes: number | undefined
  readonly clockDifferenceS: number | undefined
  readonly disk: DiskState | undefined
}

interface MachineWatchOptions {
  /** For short queries that must work however busy the others are. */
  readonly connection: Connection
  /** undefined when nothing is to be said of its disk. */
  readonly databaseUrl: string | undefined
  readonly clock?: Clock
}

/** Several gauges of one scrape, and requests of several people, share an answer. */
const SHARED_MS = 1000
const LOOK_EVERY_MS = 10 * 60_000

/** Asks for the figures of the machine when somebody wants them; only the disk is looked at now and then by itself. */
export class MachineWatch {
  readonly #connection: Connection
  readonly #clock: Clock
  readonly #disk: DiskWatch
  readonly #stop = new AbortController()
  readonly #looking: Promise<void>
  #asked: { readonly atMs: number; readonly figures: Promise<MachineFigures> } | undefined

  constructor({ connection, databaseUrl, clock = SYSTEM_CLOCK }: MachineWatchOptions) {
    this.#connection = connection
    this.#clock = clock
    this.#disk = new DiskWatch(connection, databaseUrl, clock)
    this.#looking = this.#look()
  }

  /** Never rejects. */
  figures(): Promise<MachineFigures> {
    const nowMs = this.#clock.monotonicMs()
    if (!this.#asked || nowMs > this.#asked.atMs + SHARED_MS) this.#asked = { atMs: nowMs, figures: this.#read() }
    return this.#asked.figures
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#looking
  }

  /** One after the other: there are few connections for this. */
  async #read(): Promise<MachineFigures> {
    const connection = this.#connection
    return {
      underivedSeconds: await known(readUnderivedSeconds(connection)),
      processes: await known(readProcesses(connection)),
      standbys: await known(readStandbys(connection)),
      databaseBytes: await known(readDatabaseBytes(connection)),
      clockDifferenceS: await known(readClockDifferenceS(connection, this.#clock)),
      disk: await this.#disk.read(),
    }
  }

  async #look(): Promise<void> {
    while (this.#disk.isHere && !this.#stop.signal.aborted) {
      await this.#disk.read()
      await pause(LOOK_EVERY_MS, this.#stop.signal, this.#clock)
    }
  }
}

function known<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch(() => undefined)
}
