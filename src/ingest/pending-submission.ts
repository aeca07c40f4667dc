import type { Sample } from '../model/sample.ts'
import type { Outcome } from './batch.ts'
import type { Receipt, Submission } from './plan.ts'
import { WHOLE } from './share-queue.ts'

/** Gets the outcome of a submission, or why it could not be stored now; then it may be sent again. */
export interface SubmissionListener {
  stored(outcome: Outcome): void
  /** @param error ClientError 503 or 429 when it may be sent again */
  failed(error: unknown): void
}

/** A submission until it is answered. A large one is stored in parts, so that others need not wait for all of it. */
export class PendingSubmission {
  readonly account: number
  /** Number of samples, including misdated ones. */
  readonly length: number
  readonly listener: SubmissionListener
  readonly #submission: Submission
  #samples: readonly Sample[]
  #done = 0
  #receipt: Receipt = { accepted: 0, duplicates: 0, conflicts: 0 }

  constructor(submission: Submission, account: number, listener: SubmissionListener) {
    this.#submission = submission
    this.#samples = submission.samples
    this.account = account
    this.listener = listener
    this.length = submission.samples.length + (submission.misdated?.length ?? 0)
  }

  get submission(): Submission {
    return this.#submission
  }

  /** How many samples are not stored yet. */
  get left(): number {
    return this.length - this.#done
  }

  get isLarge(): boolean {
    return this.length > WHOLE
  }

  /** The next `amount` samples as a submission; misdated ones go with the last part. */
  part(amount: number): Submission {
    if (amount === this.length) return this.#submission
    const { misdated, ...submission } = this.#submission
    if (this.#done === 0) this.#samples = inOrder(this.#samples)
    const samples = this.#samples.slice(this.#done, this.#done + amount)
    return amount === this.left && misdated ? { ...submission, samples, misdated } : { ...submission, samples }
  }

  /** A part was stored. @returns the outcome for the sender when it was the last part */
  partStored(amount: number, { accepted, duplicates, conflicts }: Receipt): Outcome | undefined {
    this.#done += amount
    this.#receipt = {
      accepted: this.#receipt.accepted + accepted,
      duplicates: this.#receipt.duplicates + duplicates,
      conflicts: this.#receipt.conflicts + conflicts,
    }
    return this.left === 0 ? { kind: 'stored', ...this.#receipt } : undefined
  }
}

/** Sorted by device and time: samples that are stored in order need not be refolded. */
function inOrder(samples: readonly Sample[]): readonly Sample[] {
  const byDevice = (a: Sample, b: Sample) => a.deviceId - b.deviceId || a.timeMs - b.timeMs
  for (let index = 1; index < samples.length; index++) {
    const [before, after] = [samples[index - 1], samples[index]]
    if (before && after && byDevice(before, after) > 0) return samples.toSorted(byDevice)
  }
  return samples
}
