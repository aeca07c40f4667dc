/**
 * A leaky bucket: how much of an allowance per minute is used. It drains evenly. An account below the allowance may send
 * any amount at once; one above it must wait until enough has drained.
 */
export class UsedUp {
  readonly perMinute: number
  #amount: number
  #atMs: number

  constructor(perMinute: number, amount: number, atMs: number) {
    this.perMinute = perMinute
    this.#amount = amount
    this.#atMs = atMs
  }

  add(amount: number, nowMs: number): void {
    this.#amount = this.amount(nowMs) + amount
    this.#atMs = nowMs
  }

  amount(nowMs: number): number {
    return Math.max(0, this.#amount - ((nowMs - this.#atMs) / 60_000) * this.perMinute)
  }

  /** Seconds until the account may send again; 0 when it may now. */
  waitS(nowMs: number): number {
    const above = this.amount(nowMs) - this.perMinute
    return above < 0 ? 0 : Math.max(1, Math.ceil((above / this.perMinute) * 60))
  }
}
