import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'
import { ByteReader, ByteWriter, decimalsOf, numbersOfDecimals, SIGNED_AT_MOST } from './bytes.ts'

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

/** Reads a column of so many numbers. @throws RangeError, or an error of zlib, for bytes that are none */
export function readNumbers(reader: ByteReader, count: number): Float64Array {
  const into = new Float64Array(count)
  const coding = reader.byte()
  const scale = reader.byte()
  const stored = reader.bytes(reader.whole())
  const id = coding % DEFLATED
  const bytes = coding >= DEFLATED ? inflateRawSync(stored) : stored
  if (id === XOR) return ofXorPlanes(bytes, into)
  const known = WHOLE_CODINGS.find(one => one.id === id)
  if (!known) throw new RangeError(`a coding ${id}`)
  known.decode(new ByteReader(bytes), into)
  return numbersOfDecimals({ scale, wholes: into })
}

/** Goes past a column without reading it. @returns how it is coded, for people */
export function skipNumbers(reader: ByteReader): string {
  const coding = reader.byte()
  const scale = reader.byte()
  const length = reader.whole()
  reader.skip(length)
  const name = WHOLE_CODINGS.find(({ id }) => id === coding % DEFLATED)?.name ?? 'xor'
  return `${name}${coding >= DEFLATED ? ', deflated' : ''}${scale > 0 ? `, ${scale} decimals` : ''}, ${length} bytes`
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
  const planes = new Uint8Array(values.length * DOUBLE_BYTES)
  const [bytes, before] = [new Uint8Array(DOUBLE_BYTES), new Uint8Array(DOUBLE_BYTES)]
  const view = new DataView(bytes.buffer)
  for (const [index, value] of values.entries()) {
    view.setFloat64(0, value)
    for (let byte = 0; byte < DOUBLE_BYTES; byte++)
      planes[byte * values.length + index] = (bytes[byte] as number) ^ (before[byte] as number)
    before.set(bytes)
  }
  return planes
}

function ofXorPlanes(planes: Uint8Array, values: Float64Array): Float64Array {
  const count = values.length
  if (planes.length !== count * DOUBLE_BYTES) throw new RangeError('planes of another length')
  const bytes = new Uint8Array(DOUBLE_BYTES)
  const view = new DataView(bytes.buffer)
  for (let index = 0; index < count; index++) {
    for (let byte = 0; byte < DOUBLE_BYTES; byte++)
      bytes[byte] = (bytes[byte] as number) ^ (planes[byte * count + index] as number)
    values[index] = view.getFloat64(0)
  }
  return values
}

/**
 * The texts of one column: each different one once, in the order in which they come first, then which one each is, as numbers.
 *
 *     +----------+-------+--------+--------------------------------+---------
 *     | deflated | count | length | length, text, length, text, …  | which …
 *     +----------+-------+--------+--------------------------------+---------
 *
 * deflated: 0, or 1 where the texts are. count: of different texts. length: of the bytes of the texts as they are stored.
 */

export function writeTexts(into: ByteWriter, values: readonly string[]): void {
  const places = new Map<string, number>()
  const which = new Float64Array(values.length)
  const texts = new ByteWriter()
  for (const [index, value] of values.entries()) {
    const place = places.get(value) ?? places.size
    if (place === places.size) {
      places.set(value, place)
      const bytes = Buffer.from(value)
      texts.whole(bytes.length)
      texts.bytes(bytes)
    }
    which[index] = place
  }
  const plain = texts.written()
  const deflated = deflateRawSync(plain)
  const isShorter = deflated.length < plain.length
  const bytes = isShorter ? deflated : plain
  into.byte(isShorter ? 1 : 0)
  into.whole(places.size)
  into.whole(bytes.length)
  into.bytes(bytes)
  writeNumbers(into, which)
}

/** Reads a column of so many texts. @throws RangeError, or an error of zlib, for bytes that are none */
export function readTexts(reader: ByteReader, count: number): string[] {
  const isDeflated = reader.byte() === 1
  const different = reader.whole()
  const stored = reader.bytes(reader.whole())
  const bytes = new ByteReader(isDeflated ? inflateRawSync(stored) : stored)
  const texts = Array.from({ length: different }, () => Buffer.from(bytes.bytes(bytes.whole())).toString())
  return Array.from(readNumbers(reader, count), place => {
    const text = texts[place]
    if (text === undefined) throw new RangeError('a place beyond the texts')
    return text
  })
}

/** Goes past a column without reading it. @returns how it is coded, for people */
export function skipTexts(reader: ByteReader): string {
  const isDeflated = reader.byte() === 1
  const different = reader.whole()
  const length = reader.whole()
  reader.skip(length)
  return `${different} texts${isDeflated ? ', deflated' : ''}, ${length} bytes; which: ${skipNumbers(reader)}`
}

/** A way to write whole numbers; which one is shortest depends on what was measured. */
interface WholeCoding {
  readonly id: number
  readonly name: string
  /** @param values of at most half of `SIGNED_AT_MOST` @returns undefined where this way is not possible, or never the shortest */
  encode(values: Float64Array): Uint8Array | undefined
  /** Reads as many as there is room for. */
  decode(reader: ByteReader, values: Float64Array): void
}

/** The difference from the value before: values that move in small steps. */
const DELTA: WholeCoding = {
  id: 1,
  name: 'differences',
  encode(values) {
    const writer = new ByteWriter(values.length * 2)
    let before = 0
    for (const value of values) {
      writer.signed(value - before)
      before = value
    }
    return writer.written()
  },
  decode(reader, values) {
    reader.signeds(values)
    let before = 0
    for (let index = 0; index < values.length; index++) values[index] = before += values[index] as number
  },
}

/** The difference of differences (Pelkonen et al., Gorilla, VLDB 2015): times of a steady cadence, counters. */
const DELTA_OF_DELTA: WholeCoding = {
  id: 2,
  name: 'differences of differences',
  encode(values) {
    const writer = new ByteWriter(values.length * 2)
    let before = 0
    let step = 0
    for (const value of values) {
      const next = value - before
      if (Math.abs(next - step) > SIGNED_AT_MOST) return undefined
      writer.signed(next - step)
      step = next
      before = value
    }
    return writer.written()
  },
  decode(reader, values) {
    reader.signeds(values)
    let before = 0
    let step = 0
    for (let index = 0; index < values.length; index++) {
      step += values[index] as number
      values[index] = before += step
    }
  },
}

/** Each run of equal values as its difference from the run before and its length less one (Abadi et al., SIGMOD 2006). */
const RUNS: WholeCoding = {
  id: 3,
  name: 'runs',
  encode(values) {
    const writer = new ByteWriter(values.length)
    let before = 0
    let runs = 0
    for (let start = 0; start < values.length; ) {
      const value = values[start] ?? 0
      let end = start + 1
      while (end < values.length && values[end] === value) end++
      // Twice as long as differences, if runs are short.
      if (++runs * 2 > values.length + 2) return undefined
      writer.signed(value - before)
      writer.whole(end - start - 1)
      before = value
      start = end
    }
    return writer.written()
  },
  decode(reader, values) {
    let value = 0
    for (let start = 0; start < values.length; ) {
      value += reader.signed()
      const end = start + reader.whole() + 1
      values.fill(value, start, end)
      start = end
    }
  },
}

/** The different values in ascending order, then the place of each value among them (Abadi et al., SIGMOD 2006): a coarse grain. */
const DICTIONARY: WholeCoding = {
  id: 4,
  name: 'dictionary',
  encode(values) {
    const different = differentValues(values)
    if (!different) return undefined
    const writer = new ByteWriter(values.length + different.length * 4)
    writer.whole(different.length)
    let before = 0
    const places = new Map<number, number>()
    for (const [place, value] of different.entries()) {
      writer.signed(value - before)
      before = value
      places.set(value, place)
    }
    for (const value of values) writer.byte(places.get(value) ?? 0)
    return writer.written()
  },
  decode(reader, values) {
    const different = new Float64Array(reader.whole())
    DELTA.decode(reader, different)
    const places = reader.bytes(values.length)
    for (let index = 0; index < values.length; index++) {
      const value = different[places[index] as number]
      if (value === undefined) throw new RangeError('a place beyond the dictionary')
      values[index] = value
    }
  },
}

const DICTIONARY_AT_MOST = 256

/** Ascending; undefined when they are too many for a byte, or as many as half of the values. */
function differentValues(values: Float64Array): number[] | undefined {
  const most = Math.min(DICTIONARY_AT_MOST, values.length / 2)
  const different = new Set<number>()
  for (const value of values) {
    different.add(value)
    if (different.size > most) return undefined
  }
  return [...different].sort((a, b) => a - b)
}

/** All of them; the ids are stored, so they are never changed. */
const WHOLE_CODINGS: readonly WholeCoding[] = [DELTA, DELTA_OF_DELTA, RUNS, DICTIONARY]
