/**
 * How much of an allowance of so many a minute is used up. It runs off evenly. Whoever is below the allowance may send,
 * however much at once; who is above waits until enough has run off.
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

  /** How long nothing more may be sent, in seconds; 0 when it may. */
  waitS(nowMs: number): number {
    const above = this.amount(nowMs) - this.perMinute
    return above < 0 ? 0 : Math.max(1, Math.ceil((above / this.perMinute) * 60))
  }
}
