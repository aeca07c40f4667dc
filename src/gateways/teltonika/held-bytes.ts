/** How much of what was received is not answered yet, over all peers. */
export class HeldBytes {
  readonly #most: number
  #total = 0

  constructor(most: number) {
    this.#most = most
  }

  get isTooMuch(): boolean {
    return this.#total > this.#most
  }

  add(bytes: number): void {
    this.#total += bytes
  }
}
