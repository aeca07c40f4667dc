/**
 * The numbers of a sample as bytes: first half a byte for each number, high half first, that says how many bytes follow
 * for it; then those bytes, an IEEE 754 double in big-endian order without its trailing zero bytes. Nothing is rounded.
 * Measured values are mostly whole or of a coarse grain, and an array's header of 20 bytes is saved (docs/adr/0002).
 * `unpack_numbers` in the migrations reads the same in SQL.
 *
 *     numbers        14.25                 0      50
 *     as doubles     402c800000000000      00…    4049000000000000
 *
 *     byte       0     1     2    3    4    5    6
 *              +-----+-----+----+----+----+----+----+
 *              | 3 0 | 2 - | 40   2c   80 | 40   49 |
 *              +-----+-----+----+----+----+----+----+
 *                sizes      14.25          50
 *
 * 0 takes no byte. Of an odd count, the last half byte of the sizes is 0 and stands for nothing.
 */

const double = new Float64Array(1)
const words = new Uint32Array(double.buffer)
/** Which word of a double holds its more significant half on this machine. */
const [HIGH, LOW] = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? [1, 0] : [0, 1]
const bytes = new Uint8Array(double.buffer)
/** Where the most significant byte of a double stands on this machine, and the step to the next one. */
const [FIRST, STEP] = HIGH === 1 ? ([7, -1] as const) : ([0, 1] as const)
const DOUBLE_BYTES = 8

/** As many bytes as `packNumbers` writes at most. */
export function packedBytesAtMost(count: number): number {
  return Math.ceil(count / 2) + DOUBLE_BYTES * count
}

/** Writes packed numbers at an offset. Bytes behind them change, too, up to `packedBytesAtMost`: whole words are
 * written. @returns the offset behind them */
export function packNumbers(numbers: readonly number[], into: DataView, offset: number): number {
  const count = numbers.length
  const sizesEnd = offset + Math.ceil(count / 2)
  let at = sizesEnd
  let index = 0
  for (let sizesAt = offset; sizesAt < sizesEnd; sizesAt++) {
    const first = packNumber(numbers, index++, into, at)
    at += first
    const second = index < count ? packNumber(numbers, index++, into, at) : 0
    at += second
    into.setUint8(sizesAt, (first << 4) | second)
  }
  return at
}

/** Takes the array because a double that is passed on becomes an object.
 * @returns how many of the eight written bytes are those of the number */
function packNumber(numbers: readonly number[], index: number, into: DataView, at: number): number {
  double[0] = numbers[index] as number
  const high = words[HIGH] as number
  const low = words[LOW] as number
  into.setUint32(at, high)
  if (low === 0) return high === 0 ? 0 : WORD_BYTES - zeroBytesAtEnd(high)
  into.setUint32(at + WORD_BYTES, low)
  return DOUBLE_BYTES - zeroBytesAtEnd(low)
}

const WORD_BYTES = 4

/** @param word not 0 */
function zeroBytesAtEnd(word: number): number {
  return (31 - Math.clz32(word & -word)) >> 3
}

/** How many bytes `count` packed numbers take that begin at an offset. */
export function packedLength(packed: Uint8Array, count: number, start = 0): number {
  const sizesEnd = start + Math.ceil(count / 2)
  let length = sizesEnd - start
  for (let at = start; at < sizesEnd; at++) {
    const sizes = packed[at] ?? 0
    length += (sizes >> 4) + (sizes & 15)
  }
  return length
}

/** @param wanted which numbers, by index; NaN stands in place of the others
 * @throws RangeError when they are not all there */
export function unpackNumbers(packed: Uint8Array, count: number, start = 0, wanted?: readonly boolean[]): number[] {
  const numbers: number[] = []
  let at = start + Math.ceil(count / 2)
  for (let index = 0; index < count; index++) {
    const length = sizeAt(packed, start, index)
    numbers.push(wanted && !wanted[index] ? Number.NaN : numberAt(packed, at, length))
    at += length
  }
  if (at > packed.length) throw new RangeError(`packed numbers end at ${packed.length} of ${at} bytes`)
  return numbers
}

/** Reads one of `count` packed numbers that begin at an offset. */
export function unpackNumber(packed: Uint8Array, count: number, index: number, start = 0): number {
  let at = start + Math.ceil(count / 2)
  for (let before = 0; before < index; before++) at += sizeAt(packed, start, before)
  return numberAt(packed, at, sizeAt(packed, start, index))
}

function numberAt(packed: Uint8Array, at: number, length: number): number {
  double[0] = 0
  for (let byte = 0; byte < length; byte++) bytes[FIRST + STEP * byte] = packed[at + byte] ?? 0
  return double[0]
}

function sizeAt(packed: Uint8Array, start: number, index: number): number {
  const sizes = packed[start + (index >> 1)] ?? 0
  return index % 2 === 0 ? sizes >> 4 : sizes & 15
}
