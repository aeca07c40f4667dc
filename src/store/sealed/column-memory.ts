const DOUBLE_BYTES = 8
const LEAST_BYTES = 32_768

/**
 * Memory for the columns of one day after the other, for who goes through many days: with memory of its own for each column, what is outside of
 * the heap grows so fast that the collector looks through all of the heap again and again.
 */
export class ColumnMemory {
  #bytes = new ArrayBuffer(0)
  #taken = 0

  /** So many numbers, which are not 0 yet. */
  take(count: number): Float64Array<ArrayBuffer> {
    const length = count * DOUBLE_BYTES
    if (this.#taken + length > this.#bytes.byteLength) {
      this.#bytes = new ArrayBuffer(Math.max(LEAST_BYTES, length, 2 * this.#bytes.byteLength))
      this.#taken = 0
    }
    const numbers = new Float64Array(this.#bytes, this.#taken, count)
    this.#taken += length
    return numbers
  }

  /** From now on, what was taken is written over. */
  reuse(): void {
    this.#taken = 0
  }
}
