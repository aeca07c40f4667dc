import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { ByteReader, ByteWriter } from './bytes.ts'
import { readNumbers, skipNumbers, writeNumbers } from './number-column.ts'

/**
 * The texts of one column: each different one once, in the order in which they come first, then which one each is, as numbers.
 *
 *     +----------+-------+--------+--------------------------------+---------
 *     | deflated | count | length | length, text, length, text, …  | which …
 *     +----------+-------+--------+--------------------------------+---------
 *
 * deflated: 0, or 1 where the texts are. count: of different texts. length: of the bytes of the texts as they are stored.
 */

/** Writes a column. */
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

/** Goes past a column without reading it. */
export function skipTexts(reader: ByteReader): void {
  reader.byte()
  reader.whole()
  reader.bytes(reader.whole())
  skipNumbers(reader)
}
