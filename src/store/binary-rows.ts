import { packedBytesAtMost, packNumbers } from './packed-numbers.ts'

/** Rows in PostgreSQL's binary COPY format (manual, *COPY*, Binary Format) in one growing buffer; offsets are bytes. */
export class BinaryRows {
  #buffer: Buffer
  #view: DataView
  #length: number

  /** @param bytesExpected initial size; the buffer grows by copying */
  constructor(bytesExpected: number) {
    this.#buffer = Buffer.allocUnsafeSlow(HEADER.length + bytesExpected)
    this.#view = viewOf(this.#buffer)
    this.#length = HEADER.copy(this.#buffer, 0)
  }

  startRow(fieldCount: number): void {
    this.#reserve(2)
    this.#view.setInt16(this.#length, fieldCount)
    this.#length += 2
  }

  null(): void {
    this.#reserve(4)
    this.#view.setInt32(this.#length, -1)
    this.#length += 4
  }

  /** An int8; exact for every safe integer. */
  int8(value: number): void {
    this.#reserve(12)
    const high = Math.floor(value / 2 ** 32)
    this.#view.setInt32(this.#length, 8)
    this.#view.setInt32(this.#length + 4, high)
    this.#view.setUint32(this.#length + 8, value - high * 2 ** 32)
    this.#length += 12
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
    this.#view.setInt32(this.#length, 4)
    this.#view.setInt32(this.#length + 4, value)
    this.#length += 8
  }

  packedNumbers(values: readonly number[]): void {
    this.#reserve(4 + packedBytesAtMost(values.length))
    const start = this.#length + 4
    const end = packNumbers(values, this.#view, start)
    this.#view.setInt32(this.#length, end - start)
    this.#length = end
  }

  textArray(values: readonly string[]): void {
    this.#reserve(4 + ARRAY_HEAD_BYTES)
    const start = this.#length + 4
    // One dimension, no nulls, then its length and where it starts to count.
    this.#view.setInt32(start, 1)
    this.#view.setInt32(start + 4, 0)
    this.#view.setInt32(start + 8, TEXT)
    this.#view.setInt32(start + 12, values.length)
    this.#view.setInt32(start + 16, 1)
    this.#length = start + ARRAY_HEAD_BYTES
    for (const value of values) this.#text(value)
    this.#view.setInt32(start - 4, this.#length - start)
  }

  /** The complete data, with the trailer. Do not use the object afterwards. */
  finish(): Buffer {
    this.#reserve(2)
    this.#view.setInt16(this.#length, -1)
    this.#length += 2
    return this.#buffer.subarray(0, this.#length)
  }

  #text(value: string): void {
    this.#reserve(4 + UTF8_BYTES_AT_MOST * value.length)
    const bytes = this.#buffer.write(value, this.#length + 4)
    this.#view.setInt32(this.#length, bytes)
    this.#length += 4 + bytes
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.#length + bytes))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
    this.#view = viewOf(larger)
  }
}

function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.length)
}

const UTF8_BYTES_AT_MOST = 3
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const POSTGRES_EPOCH_MS = Date.UTC(2000, 0, 1)
const TEXT = 25
const ARRAY_HEAD_BYTES = 20
