import { type ByteReader, ByteWriter, SIGNED_AT_MOST } from './bytes.ts'

/** A way to write whole numbers; which one is shortest depends on what was measured. */
interface WholeCoding {
  readonly id: number
  /** @param values of at most half of `SIGNED_AT_MOST` @returns undefined where this way is not possible, or never the shortest */
  encode(values: Float64Array): Uint8Array | undefined
  /** Reads as many as there is room for. */
  decode(reader: ByteReader, values: Float64Array): void
}

/** The difference from the value before: values that move in small steps. */
const DELTA: WholeCoding = {
  id: 1,
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
export const WHOLE_CODINGS: readonly WholeCoding[] = [DELTA, DELTA_OF_DELTA, RUNS, DICTIONARY]
