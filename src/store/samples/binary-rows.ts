import { packedBytesAtMost, packNumbers } from './packed-numbers.ts'

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

  int4(value: number): void {
    this.#reserve(8)
    this.#length = this.#buffer.writeInt32BE(4, this.#length)
    this.#length = this.#buffer.writeInt32BE(value, this.#length)
  }

  /** A bytea of packed numbers. */
  packedNumbers(values: readonly number[]): void {
    this.#reserve(4 + packedBytesAtMost(values.length))
    const start = this.#length + 4
    const end = packNumbers(values, this.#buffer, start)
    this.#buffer.writeInt32BE(end - start, this.#length)
    this.#length = end
  }

  textArray(values: readonly string[]): void {
    const lengths = values.map(value => Buffer.byteLength(value))
    const bodyBytes = lengths.reduce((sum, length) => sum + length + 4, ARRAY_HEAD_BYTES)
    this.#reserve(4 + bodyBytes)
    const buffer = this.#buffer
    let at = buffer.writeInt32BE(bodyBytes, this.#length)
    // One dimension, no nulls, then its length and where it starts to count.
    for (const head of [1, 0, TEXT, values.length, 1]) at = buffer.writeInt32BE(head, at)
    values.forEach((value, index) => {
      at = buffer.writeInt32BE(lengths[index] ?? 0, at)
      at += buffer.write(value, at)
    })
    this.#length = at
  }

  /** The whole of it, with the trailer. The object must not be used after. */
  finish(): Buffer {
    this.#reserve(2)
    this.#length = this.#buffer.writeInt16BE(-1, this.#length)
    return this.#buffer.subarray(0, this.#length)
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
const TEXT = 25
const ARRAY_HEAD_BYTES = 20
