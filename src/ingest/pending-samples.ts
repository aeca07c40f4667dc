import type { PendingSubmission } from './submission.ts'

type Share = Pick<PendingSubmission, 'account' | 'length'>

/**
 * Samples that are received and not answered yet, by account. While there is room, an account may use any of it. When
 * there is none left, each account still gets up to an equal share, and no more.
 */
export class PendingSamples {
  readonly #most: number
  readonly #byAccount = new Map<number, number>()
  #total = 0

  constructor(most: number) {
    this.#most = most
  }

  get total(): number {
    return this.#total
  }

  /** Samples by account, for metrics. */
  get ofAccounts(): ReadonlyMap<number, number> {
    return this.#byAccount
  }

  hasRoom({ account, length }: Share): boolean {
    const own = this.#byAccount.get(account) ?? 0
    // An account without pending samples may always send: a single submission is bounded.
    if (own === 0 || this.#total + length <= this.#most) return true
    return own + length <= this.#most / this.#byAccount.size
  }

  add({ account, length }: Share): void {
    this.#byAccount.set(account, (this.#byAccount.get(account) ?? 0) + length)
    this.#total += length
  }

  answered({ account, length }: Share): void {
    const left = (this.#byAccount.get(account) ?? 0) - length
    if (left > 0) this.#byAccount.set(account, left)
    else this.#byAccount.delete(account)
    this.#total -= length
  }
}
