import { shardOf } from '../db/shards/shards.ts'
import type { Sample } from '../model/sample.ts'
import type { PendingSubmission } from './pending-submission.ts'
import type { Submission } from './plan.ts'

/** While fewer dongles of an account send at once, there is time to derive everything immediately. */
const BURST_FROM = 50
/**
 * From this many senders on, a batch is stored in two parallel transactions, each with half of the shards: while the database
 * copies the samples of one, this process prepares those of the other, and the database can use two cores.
 */
const PARTED_FROM = 100

/** The part of a submission in a batch. */
export interface Part {
  readonly pending: PendingSubmission
  readonly amount: number
  readonly submission: Submission
}

/** The accounts with so many senders at once that deriving their samples waits; others are not delayed by them. */
export function burstingAccounts(batch: readonly Part[], from = BURST_FROM): ReadonlySet<number> {
  const counts = new Map<number, number>()
  for (const { pending } of batch) counts.set(pending.account, (counts.get(pending.account) ?? 0) + 1)
  return new Set([...counts].flatMap(([account, count]) => (count >= from ? [account] : [])))
}

/** What is stored at the same time: a large batch is split into even and odd shards, by the first device of each submission. */
export function storedTogether(batch: readonly Part[]): readonly (readonly Part[])[] {
  if (batch.length < PARTED_FROM) return [batch]
  const halves: readonly [Part[], Part[]] = [[], []]
  for (const part of batch) {
    const first = firstOf(part.submission)
    halves[first && shardOf(first.deviceId) % 2 === 1 ? 1 : 0].push(part)
  }
  return halves.filter(half => half.length > 0)
}

/** The first sample, if any: all samples of a dongle belong to one account. */
export function firstOf({ samples, misdated = [] }: Submission): Sample | undefined {
  return samples[0] ?? misdated[0]
}

/** The times of all samples. */
export function* timesOf(submissions: readonly Submission[]): Generator<number> {
  for (const { samples } of submissions) for (const { timeMs } of samples) yield timeMs
}
