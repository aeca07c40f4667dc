import type { RawReply } from './raw-request.ts'

/** The answers to a client: statuses, and how often each occurred. */
export class Answers {
  readonly #counts = new Map<number, number>()

  /**
   * Counts a reply; nothing where there was none.
   * @throws when that answer may not be given
   */
  add(reply: RawReply | undefined, allowed: readonly number[]): void {
    if (!reply) return
    const { status, body } = reply
    if (!allowed.includes(status)) throw new Error(`answered ${status}: ${body.slice(0, 200)}`)
    this.count(status)
  }

  /** Counts an answer whatever it is. */
  count(status: number): void {
    this.#counts.set(status, this.countOf(status) + 1)
  }

  countOf(status: number): number {
    return this.#counts.get(status) ?? 0
  }

  /** @throws when another answer was counted */
  expectOnly(allowed: readonly number[]): void {
    const others = [...this.#counts.keys()].filter(status => !allowed.includes(status))
    if (others.length > 0) throw new Error(`answered ${others.join(', ')}`)
  }

  /** As in `answered 200 3 times, 429 17 times`. */
  get text(): string {
    if (this.#counts.size === 0) return 'not answered'
    return `answered ${[...this.#counts].map(([status, count]) => `${status} ${count} times`).join(', ')}`
  }
}
