import type { ByteReader } from '../sealed/bytes.ts'
import type { DecimalSum } from './decimal-sum.ts'
import type { HourColumns } from './hour-columns.ts'

/** What the versions of a rollup differ in; docs/data-model.md draws them. */
export interface RollupForm {
  /** The first byte of a body. */
  readonly version: number
  /** All behind what says how it is packed, as it was before it was packed. */
  bytesOf(body: Uint8Array): Uint8Array
  /** Adds the hours of a group, with what its types have in common: how many values each has, and the first and last times. */
  addGroup(reader: ByteReader, hours: HoursOfDay): void
  /** Sets the values of a type, and the times of the lowest and the highest ones. @param scale in units of 10^-scale */
  readDecimals(reader: ByteReader, scale: number, hours: HoursOfDay): ReadSums
}

/** The hours of a day that are read, behind those of days before. */
interface HoursOfDay {
  readonly into: HourColumns
  /** The place of the first of them. */
  readonly start: number
  readonly dayMs: number
  readonly unitMs: number
}

/** Reads the sums of the hours, which stand last, because they are seldom wanted. */
export type ReadSums = () => DecimalSum[]

/** Numbers that are no short decimals are the same in each version. */
export function readDoubles(reader: ByteReader, hours: HoursOfDay): ReadSums {
  const { into, start } = hours
  const columns = ENDS.map(end => into.column(end))
  const bytes = reader.bytes((into.length - start) * columns.length * 8)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let at = 0
  for (let place = start; place < into.length; place++)
    for (const column of columns) {
      column[place] = view.getFloat64(at)
      at += 8
    }
  readEndTimes(reader, hours)
  return () => readSums(reader, into.length - start)
}

const ENDS = ['first', 'lowest', 'highest', 'last'] as const

/** The times of all lowest values, then those of all highest ones. */
export function readEndTimes(reader: ByteReader, { into, start, unitMs }: HoursOfDay): void {
  const firstMs = into.column('firstMs')
  for (const field of ['lowestMs', 'highestMs'] as const) {
    const column = into.column(field)
    for (let place = start; place < into.length; place++)
      column[place] = (firstMs[place] as number) + reader.whole() * unitMs
  }
}

/** Sums as differences from the ones before. */
export function readSums(reader: ByteReader, count: number): DecimalSum[] {
  const scale = reader.whole()
  let whole = 0n
  return Array.from({ length: count }, () => ({ whole: (whole += longOf(reader)), scale }))
}

/** As `ByteReader.signed`, of any length. */
export function longOf(reader: ByteReader): bigint {
  let value = 0n
  for (let shift = 0n; ; shift += 7n) {
    const byte = reader.byte()
    value |= BigInt(byte & 127) << shift
    if (byte < 128) break
  }
  return value % 2n === 0n ? value / 2n : -(value + 1n) / 2n
}
