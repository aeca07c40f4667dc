import { clientErrorOf } from '../db/faults.ts'
import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'

/** That nothing can be stored at the moment. */
export interface StoringFault {
  /** A sentence for people. */
  readonly reason: string
  /** When it began, as an instant. */
  readonly since: string
}

/** On a full disk, small batches still find room now and then: it is over when none has failed for so long. */
const SETTLED_MS = 5000
/** Senders try again within seconds: when nobody did for so long, it is unknown whether the fault is still there. */
const FORGOTTEN_MS = 5 * 60_000

/** Whether what arrives can be stored, by what became of the latest batches. */
export class StoringState {
  readonly #clock: Clock
  #fault: (StoringFault & { readonly lastMs: number; readonly hasStored: boolean }) | undefined

  constructor(clock: Clock = SYSTEM_CLOCK) {
    this.#clock = clock
  }

  get fault(): StoringFault | undefined {
    if (!this.#fault) return undefined
    const { reason, since, lastMs, hasStored } = this.#fault
    if (this.#clock.monotonicMs() > lastMs + (hasStored ? SETTLED_MS : FORGOTTEN_MS)) return undefined
    return { reason, since }
  }

  /** Something was committed. @returns the fault that is over, if there was one */
  stored(): StoringFault | undefined {
    if (!this.#fault) return undefined
    this.#fault = { ...this.#fault, hasStored: true }
    if (this.fault) return undefined
    const { reason, since } = this.#fault
    this.#fault = undefined
    return { reason, since }
  }

  /** Something could not be stored. @returns the fault that began, if it is one of the database and did not last already */
  failed(error: unknown): StoringFault | undefined {
    const known = clientErrorOf(error)
    if (known?.status !== 503) return undefined
    const before = this.fault
    const since = before?.since ?? new Date(this.#clock.wallMs()).toISOString()
    this.#fault = { reason: known.message, since, lastMs: this.#clock.monotonicMs(), hasStored: false }
    return before === undefined ? this.fault : undefined
  }
}
