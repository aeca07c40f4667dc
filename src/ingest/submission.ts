import type { DeviceId, Sample } from '../model/sample.ts'
import type { Receipt } from '../store/index.ts'
import { WHOLE } from './account-shares.ts'

/** The samples that one sender sent at once: stored and acknowledged as a whole or not at all. */
export interface Submission {
  readonly samples: readonly Sample[]
  /** Samples of dongles with impossible times (see `byClock`): stored separately, and nothing is derived from them. */
  readonly misdated?: readonly Sample[]
  /** The account of the key; undefined for a dongle, which has no key. */
  readonly accountId: number | undefined
  /** Submissions of others are queued behind it, as with a broker: so no quota delays it. */
  readonly cannotWait?: boolean
  /** The request, connection or topic it came with, as the log names it. */
  readonly sender?: string
}

/** The outcome of a submission. Refused: it contains devices that its sender may not report for; nothing of it was stored. */
export type Outcome = Stored | { readonly kind: 'refused'; readonly deviceIds: ReadonlySet<DeviceId> }

type Stored = { readonly kind: 'stored' } & Receipt

/** The first sample, if any: all samples of a dongle belong to one account. */
export function firstOf({ samples, misdated = [] }: Submission): Sample | undefined {
  return samples[0] ?? misdated[0]
}

export function* timesOf(submissions: readonly Submission[]): Generator<number> {
  for (const { samples } of submissions) for (const { timeMs } of samples) yield timeMs
}

/** The devices of a submission, each once. */
export function deviceIdsOf(submission: Submission): readonly DeviceId[] {
  const { samples, misdated = [] } = submission
  const first = firstOf(submission)
  if (!first) return []
  // A dongle sends only its own samples: a set for each frame costs noticeable time in a burst.
  const isOther = ({ deviceId }: Sample) => deviceId !== first.deviceId
  if (!samples.some(isOther) && !misdated.some(isOther)) return [first.deviceId]
  return [...new Set([...samples, ...misdated].map(({ deviceId }) => deviceId))]
}

export function allDeviceIds(submissions: readonly Submission[]): Set<DeviceId> {
  const deviceIds = new Set<DeviceId>()
  for (const { samples, misdated = [] } of submissions) {
    for (const { deviceId } of samples) deviceIds.add(deviceId)
    for (const { deviceId } of misdated) deviceIds.add(deviceId)
  }
  return deviceIds
}

/** The two ends of the promise of `Intake.submit`. */
interface WaitingSender {
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/** The part of a submission in a batch. */
export interface Part {
  readonly pending: PendingSubmission
  readonly amount: number
  readonly submission: Submission
}

/** A submission until it is answered. A large one is stored in parts, so that others need not wait for all of it. */
export class PendingSubmission {
  readonly account: number
  /** False where the account of the dongle was not known when it arrived: then it is the one that unknown dongles join. */
  readonly isAccountSure: boolean
  /** Number of samples, including misdated ones. */
  readonly length: number
  readonly submission: Submission
  readonly sender: WaitingSender
  #samples: readonly Sample[]
  #done = 0
  /** Of the parts that are stored. */
  #stored: Stored | undefined

  /** @param owner its account; undefined while that is not known: then it counts for the one that unknown dongles join */
  constructor(submission: Submission, owner: number | undefined, joinedAccountId: number, sender: WaitingSender) {
    this.submission = submission
    this.sender = sender
    this.#samples = submission.samples
    this.account = owner ?? joinedAccountId
    this.isAccountSure = owner !== undefined
    this.length = submission.samples.length + (submission.misdated?.length ?? 0)
  }

  /** How many samples are not stored yet. */
  get left(): number {
    return this.length - this.#done
  }

  get isLarge(): boolean {
    return this.length > WHOLE
  }

  /** The next `amount` samples; misdated ones go with the last part. */
  part(amount: number): Part {
    return { pending: this, amount, submission: this.#next(amount) }
  }

  #next(amount: number): Submission {
    if (amount === this.length) return this.submission
    const { misdated, ...submission } = this.submission
    if (this.#done === 0) this.#samples = inOrder(this.#samples)
    const samples = this.#samples.slice(this.#done, this.#done + amount)
    return amount === this.left && misdated ? { ...submission, samples, misdated } : { ...submission, samples }
  }

  /** A part was stored. @returns what was stored of all parts when it was the last one */
  partStored(amount: number, stored: Stored): Stored | undefined {
    this.#done += amount
    this.#stored = this.#stored ? sumOf(this.#stored, stored) : stored
    return this.left === 0 ? this.#stored : undefined
  }
}

function sumOf(a: Stored, b: Stored): Stored {
  return {
    kind: 'stored',
    accepted: a.accepted + b.accepted,
    duplicates: a.duplicates + b.duplicates,
    conflicts: a.conflicts + b.conflicts,
  }
}

/** Sorted by device and time: samples that are stored in order need not be folded again. */
function inOrder(samples: readonly Sample[]): readonly Sample[] {
  return samples.toSorted((a, b) => a.deviceId - b.deviceId || a.timeMs - b.timeMs)
}
