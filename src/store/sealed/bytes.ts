/** Whole numbers in LEB128, as in Protocol Buffers: seven bits a byte, the least significant first; the eighth bit says
 * that more follow. Signed ones are interleaved (zigzag): 0, -1, 1, -2, … become 0, 1, 2, 3, … */

/** The greatest amount of a signed number: twice as much is still a whole number that a double holds. */
export const SIGNED_AT_MOST = 2 ** 52

export class ByteWriter {
  #bytes: Uint8Array
  #length = 0

  constructor(expectedBytes = 256) {
    this.#bytes = new Uint8Array(Math.max(16, expectedBytes))
  }

  byte(value: number): void {
    if (this.#length === this.#bytes.length) this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  /** @param value whole, from 0 to 2^53 */
  whole(value: number): void {
    if (this.#length + MOST_BYTES > this.#bytes.length) this.#reserve(MOST_BYTES)
    let rest = value
    while (rest > LARGEST_SHIFTED) {
      this.#bytes[this.#length++] = (rest % 128) | 128
      rest = Math.floor(rest / 128)
    }
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest & 127) | 128
      rest >>>= 7
    }
    this.#bytes[this.#length++] = rest
  }

  /** @param value whole, of at most `SIGNED_AT_MOST` */
  signed(value: number): void {
    this.whole(value < 0 ? -2 * value - 1 : 2 * value)
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** The bytes so far; they change with the next write. */
  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + bytes))
    larger.set(this.written())
    this.#bytes = larger
  }
}

const MOST_BYTES = 8
const LARGEST_SHIFTED = 2 ** 31 - 1

const MORE_FOLLOW = 128
/** Four bytes hold a whole number of 28 bits. */
const MOST_SHIFT = 28

export class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0

  /** @param at where to begin */
  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes
    this.#at = at
  }

  /** Where the next byte stands. */
  get at(): number {
    return this.#at
  }

  /** @throws RangeError at the end, as all others do */
  byte(): number {
    const value = this.#bytes[this.#at++]
    if (value === undefined) throw new RangeError(`bytes end at ${this.#bytes.length}`)
    return value
  }

  whole(): number {
    const first = this.byte()
    if (first < 128) return first
    let value = first & 127
    for (let unit = 128; ; unit *= 128) {
      const next = this.byte()
      value += (next & 127) * unit
      if (next < 128) return value
    }
  }

  signed(): number {
    const value = this.whole()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  /** As many signed numbers as there is room for. Most take a few bytes, which is worth a way of its own: a day has tens of thousands. */
  signeds(values: Float64Array): void {
    const bytes = this.#bytes
    let at = this.#at
    for (let index = 0; index < values.length; index++) {
      const start = at
      let next = bytes[at++] ?? MORE_FOLLOW
      let whole = next & 127
      for (let shift = 7; next >= MORE_FOLLOW && shift < MOST_SHIFT; shift += 7) {
        next = bytes[at++] ?? MORE_FOLLOW
        whole |= (next & 127) << shift
      }
      if (next < MORE_FOLLOW) values[index] = (whole & 1) === 0 ? whole >> 1 : -((whole + 1) >> 1)
      else {
        this.#at = start
        values[index] = this.signed()
        at = this.#at
      }
    }
    this.#at = at
  }

  skip(length: number): void {
    this.#at += length
    if (this.#at > this.#bytes.length) throw new RangeError(`bytes end at ${this.#bytes.length} of ${this.#at}`)
  }

  bytes(length: number): Uint8Array {
    const start = this.#at
    this.skip(length)
    return this.#bytes.subarray(start, this.#at)
  }
}

/** Measured numbers are mostly short whole numbers of a power of ten (Afroozeh et al., ALP, SIGMOD 2023). Dividing by a
 * power up to 10^22 rounds once, so the same double comes back. */

/** Beyond 15 digits no decimal has a double of its own. */
const SCALES = 16
const POWERS = Array.from({ length: SCALES }, (_, scale) => 10 ** scale)

/** Such whole numbers at most, so that differences can be written. */
const WHOLE_AT_MOST = 2 ** 51

/** Numbers as whole numbers of 10^-scale. */
interface Decimals {
  readonly scale: number
  readonly wholes: Float64Array
}

/** @returns undefined unless each number comes back, bit for bit: not with -0, not with NaN */
export function decimalsOf(values: Float64Array): Decimals | undefined {
  let scale = 0
  for (const value of values) {
    while (!isDecimal(value, POWERS[scale] ?? 1)) if (++scale === SCALES) return undefined
  }
  const power = POWERS[scale] ?? 1
  const wholes = new Float64Array(values.length)
  for (const [index, value] of values.entries()) {
    // With a greater scale, an earlier number may have become too long.
    if (!isDecimal(value, power)) return undefined
    wholes[index] = Math.round(value * power)
  }
  return { scale, wholes }
}

/** The numbers again, in the place of the whole ones: memory for each column is what the collector runs for. */
export function numbersOfDecimals({ scale, wholes }: Decimals): Float64Array {
  const power = powerOf(scale)
  if (power === 1) return wholes
  for (let index = 0; index < wholes.length; index++) wholes[index] = (wholes[index] as number) / power
  return wholes
}

/** By what whole numbers of a scale are divided. */
export function powerOf(scale: number): number {
  const power = POWERS[scale]
  if (power === undefined) throw new RangeError(`a scale of ${scale}`)
  return power
}

function isDecimal(value: number, power: number): boolean {
  const whole = Math.round(value * power)
  return Math.abs(whole) <= WHOLE_AT_MOST && whole / power === value && !Object.is(value, -0)
}

/** The first index of a value that is not less than this one. */
export function lowerBound(ascending: Float64Array | Uint32Array, least: number): number {
  let [low, high] = [0, ascending.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? 0) < least) low = middle + 1
    else high = middle
  }
  return low
}
