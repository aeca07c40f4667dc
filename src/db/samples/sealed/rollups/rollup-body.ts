import { deflateRawSync } from 'node:zlib'
import type { EventTypeId } from '../../../../catalogue/event-types.ts'
import { ByteWriter } from '../bytes.ts'
import { DAY_MS } from '../days.ts'
import { decimalsOf } from '../decimals.ts'
import { atScale } from './decimal-sum.ts'
import { HOUR_MS, hourStartMs, type SummedHour } from './hour-rollup.ts'

/**
 * What is kept of all event types of a device and day, hour by hour (docs/data-model.md has a drawing; `RollupBody` reads it). Types that
 * are measured together share counts, and first and last times.
 */
export const ROLLUP_VERSION = 1

/** How the numbers of a type are written: below 16, as whole numbers of 10^-coding. */
export const DOUBLES = 16
export const NOT_FINITE = 17

/** Times are multiples of the longest of these where they can. */
const UNITS_MS = [60_000, 1000, 100, 10]

/** The hours of a type; undefined where no rollup is exact. */
export type HoursOfType = readonly SummedHour[] | undefined

/**
 * Writes a body.
 * @param dayMs the start of the day
 * @param types with at least one value each
 */
export function rollupBodyOf(dayMs: number, types: ReadonlyMap<EventTypeId, HoursOfType>): Buffer {
  const unitMs = unitOf(dayMs, types)
  const groups = new Map<string, { readonly place: number; readonly bytes: Uint8Array }>()
  const sections = new ByteWriter(4096)
  let before = 0
  for (const [type, hours] of [...types].sort(([a], [b]) => a - b)) {
    const group = groupOf(hours ?? [], dayMs, unitMs)
    const key = Buffer.from(group).toString('latin1')
    const known = groups.get(key) ?? { place: groups.size, bytes: group }
    groups.set(key, known)
    const section = sectionOf(hours, unitMs)
    sections.whole(type - before)
    sections.whole(known.place)
    sections.whole(section.length)
    sections.bytes(section)
    before = type
  }
  const into = new ByteWriter(4096)
  into.signed(dayMs / DAY_MS)
  into.whole(unitMs)
  into.whole(groups.size)
  for (const { bytes } of groups.values()) {
    into.whole(bytes.length)
    into.bytes(bytes)
  }
  into.whole(types.size)
  into.bytes(sections.written())
  return packed(into.written())
}

function packed(bytes: Uint8Array): Buffer {
  const deflated = deflateRawSync(bytes)
  const isShorter = deflated.length < bytes.length
  return Buffer.concat([Uint8Array.of(ROLLUP_VERSION, isShorter ? 1 : 0), isShorter ? deflated : bytes])
}

function unitOf(dayMs: number, types: ReadonlyMap<EventTypeId, HoursOfType>): number {
  const isMultiple = (unitMs: number) => {
    for (const hours of types.values())
      for (const { first, lowest, highest, last } of hours ?? [])
        if ([first, lowest, highest, last].some(({ timeMs }) => (timeMs - dayMs) % unitMs !== 0)) return false
    return true
  }
  return UNITS_MS.find(isMultiple) ?? 1
}

/** Which hours have values, how many, and from when to when. */
function groupOf(hours: readonly SummedHour[], dayMs: number, unitMs: number): Uint8Array {
  const into = new ByteWriter(128)
  into.whole(hours.length)
  let before = 0
  for (const { first } of hours) {
    const hour = (hourStartMs(first.timeMs) - dayMs) / HOUR_MS
    into.whole(hour - before)
    before = hour
  }
  for (const { count } of hours) into.whole(count)
  for (const { first } of hours) into.whole((first.timeMs - hourStartMs(first.timeMs)) / unitMs)
  for (const { first, last } of hours) into.whole((last.timeMs - first.timeMs) / unitMs)
  return into.written()
}

function sectionOf(hours: HoursOfType, unitMs: number): Uint8Array {
  const into = new ByteWriter(256)
  if (!hours) {
    into.byte(NOT_FINITE)
    return into.written()
  }
  const sumScale = Math.max(...hours.map(({ sum }) => sum.scale))
  const ends = Float64Array.from(
    hours.flatMap(({ first, lowest, highest, last }) => [first.value, lowest.value, highest.value, last.value]),
  )
  const decimals = decimalsOf(ends)
  if (decimals) {
    into.byte(decimals.scale)
    writeWholes(into, decimals.wholes)
  } else {
    into.byte(DOUBLES)
    const view = new DataView(new ArrayBuffer(8))
    for (const value of ends) {
      view.setFloat64(0, value)
      into.bytes(new Uint8Array(view.buffer))
    }
  }
  for (const { first, lowest } of hours) into.whole((lowest.timeMs - first.timeMs) / unitMs)
  for (const { first, highest } of hours) into.whole((highest.timeMs - first.timeMs) / unitMs)
  into.whole(sumScale)
  let before = 0n
  for (const { sum } of hours) {
    const whole = atScale(sum, sumScale)
    writeLong(into, whole - before)
    before = whole
  }
  return into.written()
}

/** Of each hour the first as the difference from the last before, the others as differences from the first. */
function writeWholes(into: ByteWriter, wholes: Float64Array): void {
  let before = 0
  for (let at = 0; at < wholes.length; at += 4) {
    const [first = 0, lowest = 0, highest = 0, last = 0] = wholes.subarray(at, at + 4)
    into.signed(first - before)
    into.whole(first - lowest)
    into.whole(highest - first)
    into.signed(last - first)
    before = last
  }
}

/** As `ByteWriter.signed`, of any size. */
function writeLong(into: ByteWriter, value: bigint): void {
  let rest = value < 0n ? -2n * value - 1n : 2n * value
  for (; rest > 127n; rest >>= 7n) into.byte(Number(rest & 127n) | 128)
  into.byte(Number(rest))
}
