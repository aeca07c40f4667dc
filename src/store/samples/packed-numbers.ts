/**
 * The numbers of a sample as bytes: first half a byte for each number, high half first, that says how many bytes follow
 * for it; then those bytes, an IEEE 754 double in big-endian order without its trailing zero bytes. Nothing is rounded.
 * What cars measure is mostly whole or of a coarse grain, and an array's header of 20 bytes is saved (docs/adr/0002).
 * `unpack_numbers` in the migrations reads the same in SQL.
 */

const double = new Float64Array(1)
const bytes = new Uint8Array(double.buffer)
/** Where the most significant byte of a double stands on this machine, and the step to the next one. */
const [FIRST, STEP] = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? [7, -1] : [0, 1]
const DOUBLE_BYTES = 8

/** As many bytes as `packNumbers` writes at most. */
export function packedBytesAtMost(count: number): number {
  return Math.ceil(count / 2) + DOUBLE_BYTES * count
}

/** Writes the packed numbers into a buffer at an offset. @returns the offset behind them. */
export function packNumbers(numbers: readonly number[], into: Uint8Array, offset: number): number {
  const count = numbers.length
  let at = offset + Math.ceil(count / 2)
  into.fill(0, offset, at)
  for (let index = 0; index < count; index++) {
    double[0] = numbers[index] ?? 0
    let length = DOUBLE_BYTES
    while (length > 0 && bytes[FIRST + STEP * (length - 1)] === 0) length--
    const sizeAt = offset + (index >> 1)
    into[sizeAt] = (into[sizeAt] ?? 0) | (index % 2 === 0 ? length << 4 : length)
    for (let byte = 0; byte < length; byte++) into[at++] = bytes[FIRST + STEP * byte] ?? 0
  }
  return at
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

/** Reads `count` packed numbers that begin at an offset. @throws RangeError when they are not all there. */
export function unpackNumbers(packed: Uint8Array, count: number, start = 0): number[] {
  const numbers: number[] = []
  let at = start + Math.ceil(count / 2)
  for (let index = 0; index < count; index++) {
    const sizes = packed[start + (index >> 1)] ?? 0
    const length = index % 2 === 0 ? sizes >> 4 : sizes & 15
    double[0] = 0
    for (let byte = 0; byte < length; byte++) bytes[FIRST + STEP * byte] = packed[at + byte] ?? 0
    at += length
    numbers.push(double[0])
  }
  if (at > packed.length) throw new RangeError(`packed numbers end at ${packed.length} of ${at} bytes`)
  return numbers
}
