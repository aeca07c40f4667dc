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

/**
 * Reads the `count` packed numbers that stand between two offsets.
 * @throws RangeError when the bytes are not as `packNumbers` writes them.
 */
export function unpackNumbers(packed: Uint8Array, count: number, start = 0, end = packed.length): number[] {
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
  if (at !== end) throw new RangeError(`${end - start} bytes of packed numbers where ${at - start} were expected`)
  return numbers
}
