/** Bytes in big-endian order, written one value after the other into memory that grows. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(1024)
  #length = 0

  /** @param value a whole number, negative or not, of 1, 2, 4 or 8 bytes */
  integer(value: number, bytes: number): void {
    this.#reserve(bytes)
    if (bytes === 8) {
      const high = Math.floor(value / 2 ** 32)
      this.#bytes.writeInt32BE(high | 0, this.#length)
      this.#bytes.writeUInt32BE(value - high * 2 ** 32, this.#length + 4)
    } else for (let byte = 0; byte < bytes; byte++) this.#bytes[this.#length + byte] = value >> (8 * (bytes - 1 - byte))
    this.#length += bytes
  }

  /** One byte per character. */
  text(value: string): void {
    this.#reserve(value.length)
    this.#length += this.#bytes.write(value, this.#length, 'latin1')
  }

  /** A copy of everything written. */
  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length))
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + bytes))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
