/**
 * Rows in PostgreSQL's binary COPY format (manual, *COPY*, Binary Format), written into one growing buffer.
 * Offsets and sizes are bytes.
 */
export class BinaryRows {
  #buffer = Buffer.allocUnsafe(64 * 1024)
  #length = 0

  constructor() {
    this.#length = HEADER.copy(this.#buffer, 0)
  }

  startRow(fieldCount: number): void {
    this.#reserve(2)
    this.#length = this.#buffer.writeInt16BE(fieldCount, this.#length)
  }

  null(): void {
    this.#reserve(4)
    this.#length = this.#buffer.writeInt32BE(-1, this.#length)
  }

  /** An int8; exact for every safe integer. */
  int8(value: number): void {
    this.#reserve(12)
    this.#length = this.#buffer.writeInt32BE(8, this.#length)
    this.#writeInt64(value)
  }

  /** A timestamptz of a time in milliseconds since 1970. */
  instantMs(timeMs: number): void {
    this.int8((timeMs - POSTGRES_EPOCH_MS) * 1000)
  }

  /** A timestamptz of a time in microseconds since 1970. */
  instantUs(timeUs: number): void {
    this.int8(timeUs - POSTGRES_EPOCH_MS * 1000)
  }

  int2Array(values: readonly number[]): void {
    this.#startArray(INT2, values.length, 6 * values.length)
    const buffer = this.#buffer
    let at = this.#length
    for (const value of values) {
      at = buffer.writeInt32BE(2, at)
      at = buffer.writeInt16BE(value, at)
    }
    this.#length = at
  }

  float8Array(values: readonly number[]): void {
    this.#startArray(FLOAT8, values.length, 12 * values.length)
    const buffer = this.#buffer
    let at = this.#length
    for (const value of values) {
      at = buffer.writeInt32BE(8, at)
      at = buffer.writeDoubleBE(value, at)
    }
    this.#length = at
  }

  textArray(values: readonly string[]): void {
    const lengths = values.map(value => Buffer.byteLength(value))
    const bodyBytes = lengths.reduce((sum, length) => sum + length + 4, 0)
    this.#startArray(TEXT, values.length, bodyBytes)
    values.forEach((value, index) => {
      this.#length = this.#buffer.writeInt32BE(lengths[index] ?? 0, this.#length)
      this.#length += this.#buffer.write(value, this.#length)
    })
  }

  /** The whole of it, with the trailer. The object must not be used after. */
  finish(): Buffer {
    this.#reserve(2)
    this.#length = this.#buffer.writeInt16BE(-1, this.#length)
    return this.#buffer.subarray(0, this.#length)
  }

  #startArray(elementType: number, length: number, bodyBytes: number): void {
    const headBytes = length === 0 ? 12 : 20
    this.#reserve(4 + headBytes + bodyBytes)
    const buffer = this.#buffer
    let at = buffer.writeInt32BE(headBytes + bodyBytes, this.#length)
    at = buffer.writeInt32BE(length === 0 ? 0 : 1, at)
    at = buffer.writeInt32BE(0, at)
    at = buffer.writeInt32BE(elementType, at)
    if (length > 0) {
      at = buffer.writeInt32BE(length, at)
      at = buffer.writeInt32BE(1, at)
    }
    this.#length = at
  }

  #writeInt64(value: number): void {
    const high = Math.floor(value / 2 ** 32)
    this.#length = this.#buffer.writeInt32BE(high, this.#length)
    this.#length = this.#buffer.writeUInt32BE(value - high * 2 ** 32, this.#length)
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + bytes))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}

const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const POSTGRES_EPOCH_MS = Date.UTC(2000, 0, 1)
const INT2 = 21
const TEXT = 25
const FLOAT8 = 701
