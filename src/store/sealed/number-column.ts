import { constants, deflateRawSync } from 'node:zlib'
import { HIGH, LOW } from '../packed-numbers.ts'
import { ByteReader, type ByteWriter } from './bytes.ts'
import { decimalsOf, numbersOfDecimals } from './decimals.ts'
import { inflatedBriefly } from './inflated.ts'
import { WHOLE_CODINGS } from './whole-codings.ts'

/**
 * The numbers of one column, in the shortest of a few ways, none of which rounds:
 *
 *     +--------+-------+--------+---------
 *     | coding | scale | length | bytes …
 *     +--------+-------+--------+---------
 *
 * coding: 1 to 4 of WHOLE_CODINGS, 5 XOR; 128 more where the bytes are deflated (RFC 1951). scale: whole numbers of 10^-scale; 0
 * with XOR. length: of the bytes, as a whole number.
 */

/** Doubles, each combined with the one before (as in Gorilla), and of all results first the highest bytes, then the next … */
const XOR = 5
const DEFLATED = 128
const DOUBLE_BYTES = 8

/** Writes a column. */
export function writeNumbers(into: ByteWriter, values: Float64Array): void {
  const decimals = decimalsOf(values)
  let best: Section | undefined
  if (decimals)
    for (const coding of WHOLE_CODINGS) {
      const bytes = coding.encode(decimals.wholes)
      if (bytes) best = shorter(best, coding.id, bytes)
    }
  else best = shorter(undefined, XOR, xorPlanes(values))
  if (!best) throw new Error('no coding fits')
  into.byte(best.coding)
  into.byte(decimals?.scale ?? 0)
  into.whole(best.bytes.length)
  into.bytes(best.bytes)
}

/**
 * Reads a column of so many numbers.
 * @param into where they come to
 * @throws RangeError, or an error of zlib, for bytes that are none
 */
export function readNumbers(reader: ByteReader, count: number, into = new Float64Array(count)): Float64Array {
  const coding = reader.byte()
  const scale = reader.byte()
  const stored = reader.bytes(reader.whole())
  const id = coding % DEFLATED
  const bytes = coding >= DEFLATED ? inflatedBriefly(stored) : stored
  if (id === XOR) return ofXorPlanes(bytes, into)
  const known = WHOLE_CODINGS.find(one => one.id === id)
  if (!known) throw new RangeError(`a coding ${id}`)
  known.decode(new ByteReader(bytes), into)
  return numbersOfDecimals({ scale, wholes: into })
}

/** Goes past a column without reading it. */
export function skipNumbers(reader: ByteReader): void {
  reader.byte()
  reader.byte()
  reader.bytes(reader.whole())
}

interface Section {
  readonly coding: number
  readonly bytes: Uint8Array
}

/** Fewer are not worth the time. */
const DEFLATE_FROM_BYTES = 12
const DEFLATE = { level: 6, memLevel: 9, strategy: constants.Z_DEFAULT_STRATEGY }

function shorter(best: Section | undefined, coding: number, bytes: Uint8Array): Section {
  const plain = best && best.bytes.length <= bytes.length ? best : { coding, bytes }
  if (bytes.length < DEFLATE_FROM_BYTES) return plain
  const deflated = deflateRawSync(bytes, DEFLATE)
  return deflated.length < plain.bytes.length ? { coding: coding + DEFLATED, bytes: deflated } : plain
}

function xorPlanes(values: Float64Array): Uint8Array {
  const count = values.length
  const planes = new Uint8Array(count * DOUBLE_BYTES)
  const view = new DataView(new ArrayBuffer(DOUBLE_BYTES))
  let [high, low] = [0, 0]
  for (const [index, value] of values.entries()) {
    view.setFloat64(0, value)
    const [nextHigh, nextLow] = [view.getUint32(0), view.getUint32(4)]
    view.setUint32(0, nextHigh ^ high)
    view.setUint32(4, nextLow ^ low)
    for (let byte = 0; byte < DOUBLE_BYTES; byte++) planes[byte * count + index] = view.getUint8(byte)
    ;[high, low] = [nextHigh, nextLow]
  }
  return planes
}

/** A value at a time, in two words: to write each plane by itself takes three times as long. */
function ofXorPlanes(planes: Uint8Array, values: Float64Array): Float64Array {
  const count = values.length
  if (planes.length !== count * DOUBLE_BYTES) throw new RangeError('planes of another length')
  const words = new Int32Array(values.buffer, values.byteOffset, 2 * count)
  let [high, low] = [0, 0]
  for (let index = 0; index < count; index++) {
    high ^= wordOf(planes, index, count)
    low ^= wordOf(planes, index + 4 * count, count)
    words[2 * index + HIGH] = high
    words[2 * index + LOW] = low
  }
  return values
}

/** Of four planes, the byte at a place of each. */
function wordOf(planes: Uint8Array, at: number, count: number): number {
  return (
    ((planes[at] as number) << 24) |
    ((planes[at + count] as number) << 16) |
    ((planes[at + 2 * count] as number) << 8) |
    (planes[at + 3 * count] as number)
  )
}
