import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { clientErrorOf, isDiskFull } from '../db/faults.ts'
import type { FailingJob } from '../jobs/background-jobs.ts'
import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'
import type { Part } from './submission.ts'

/** The state that an intake process alone knows, as the api process reads it at `/status`. */
export interface IntakeStatus {
  /** Samples received and not yet committed, by account; 0 stands for senders whose account is not known. */
  readonly pending: readonly { readonly accountId: number; readonly samples: number }[]
  /** Why nothing can be stored now; null when it can. */
  readonly storingFault: StoringFault | null
  readonly failingJobs: readonly FailingJob[]
}

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

/** Tracks, by the outcome of the latest batches, if samples can be stored. */
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

/** Why a submission was not stored though its sender may send it. */
export const FAILURE_REASONS = [
  'quota',
  /** More of its account waits than there is room for. */
  'too much waits',
  'stopping',
  'disk full',
  /** It is gone, restarts or has no resources left. */
  'database',
  /** An error of ours. */
  'fault',
] as const
export type FailureReason = (typeof FAILURE_REASONS)[number]

/** The reason as which an error of storing counts. */
export function failureReasonOf(error: unknown): FailureReason {
  if (isDiskFull(error)) return 'disk full'
  return clientErrorOf(error) ? 'database' : 'fault'
}

/** While a disk is full, several batches fail a second, and every sender gets its answer. */
const WARN_EVERY_MS = 10_000
/** The number of submissions whose senders a line names. */
const MOST_SENDERS = 50

/** Numbers the batches of this process and logs the outcome of each, with the senders of what is in it. */
export class BatchLog {
  readonly #log: Logger
  readonly #clock: Clock
  /** Two processes, or a process before and after a restart, share no number. */
  readonly #prefix = randomBytes(4).toString('hex')
  #count = 0
  #warnedMs = Number.NEGATIVE_INFINITY
  #unlogged = 0

  constructor(log: Logger, clock: Clock) {
    this.#log = log
    this.#clock = clock
  }

  /** @returns a function to call at the end of the batch, with the error if it failed */
  begin(parts: readonly Part[]): (error?: unknown) => void {
    const batch = `${this.#prefix}-${++this.#count}`
    const startedMs = this.#clock.monotonicMs()
    return error => {
      if (error === undefined && !this.#log.isLevelEnabled('debug')) return
      const fields = {
        batch,
        submissions: parts.length,
        samples: parts.reduce((sum, { amount }) => sum + amount, 0),
        ms: Math.round(this.#clock.monotonicMs() - startedMs),
        senders: parts.slice(0, MOST_SENDERS).flatMap(({ submission: { sender } }) => sender ?? []),
      }
      if (error === undefined) this.#log.debug(fields, 'a batch is committed')
      else this.#failed(error, fields)
    }
  }

  #failed(error: unknown, fields: object): void {
    const nowMs = this.#clock.monotonicMs()
    if (clientErrorOf(error) && nowMs < this.#warnedMs + WARN_EVERY_MS) {
      this.#unlogged++
      this.#log.debug({ err: error, ...fields }, 'a batch could not be stored')
      return
    }
    this.#log.warn({ err: error, ...fields, unlogged: this.#unlogged }, 'a batch could not be stored')
    this.#warnedMs = nowMs
    this.#unlogged = 0
  }
}
