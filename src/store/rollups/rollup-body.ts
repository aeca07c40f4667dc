import type { EventTypeId } from '../../catalogue/event-types.ts'
import { ByteWriter } from '../sealed/bytes.ts'
import { DAY_MS } from '../sealed/days.ts'
import { decimalsOf } from '../sealed/decimals.ts'
import { atScale } from './decimal-sum.ts'
import { HOUR_MS, hourStartMs, type SummedHour } from './hour-rollup.ts'

/**
 * What is kept of all event types of a device and day, hour by hour (docs/data-model.md has a drawing; `RollupBody` reads it). Types that
 * are measured together share counts, and first and last times. What is as in the hour before takes a bit, so it is short without
 * deflate, and one type can be read without the others.
 */
export const ROLLUP_VERSION = 2

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
  into.byte(ROLLUP_VERSION)
  into.signed(dayMs / DAY_MS)
  into.whole(unitMs)
  into.whole(groups.size)
  for (const { bytes } of groups.values()) {
    into.whole(bytes.length)
    into.bytes(bytes)
  }
  into.whole(types.size)
  into.bytes(sections.written())
  return Buffer.from(into.written())
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
  const [here, changed] = [new ByteWriter(8), new ByteWriter(128)]
  let [withValues, others] = [0, 0]
  let before: readonly number[] = []
  for (const [place, { count, first, last }] of hours.entries()) {
    const startMs = hourStartMs(first.timeMs)
    withValues |= 1 << ((startMs - dayMs) / HOUR_MS)
    const now = [count, (first.timeMs - startMs) / unitMs, (last.timeMs - first.timeMs) / unitMs]
    if (now.every((part, index) => part === before[index])) continue
    others |= 1 << place
    for (const part of now) changed.whole(part)
    before = now
  }
  here.whole(withValues)
  here.whole(others)
  here.bytes(changed.written())
  return here.written()
}

function sectionOf(hours: HoursOfType, unitMs: number): Uint8Array {
  const into = new ByteWriter(256)
  if (!hours) {
    into.byte(NOT_FINITE)
    return into.written()
  }
  const ends = Float64Array.from(
    hours.flatMap(({ first, lowest, highest, last }) => [first.value, lowest.value, highest.value, last.value]),
  )
  const decimals = decimalsOf(ends)
  if (decimals) writeDecimals(into, hours, decimals, unitMs)
  else writeDoubles(into, hours, ends, unitMs)
  return into.written()
}

/** Hours in which the value stayed what it was have nothing but a bit. Of others the first as the difference from the last before. */
function writeDecimals(
  into: ByteWriter,
  hours: readonly SummedHour[],
  { scale, wholes }: { readonly scale: number; readonly wholes: Float64Array },
  unitMs: number,
): void {
  const changed = new ByteWriter(256)
  const moving: (Pick<SummedHour, 'sum' | 'count'> & { readonly first: number })[] = []
  let [bits, before] = [0, 0]
  for (const [place, hour] of hours.entries()) {
    const [first = 0, lowest = 0, highest = 0, last = 0] = wholes.subarray(4 * place, 4 * place + 4)
    if (first === before && lowest === first && highest === first) continue
    bits |= 1 << place
    moving.push({ sum: hour.sum, count: hour.count, first })
    changed.signed(first - before)
    changed.whole(first - lowest)
    changed.whole(highest - first)
    changed.signed(last - first)
    if (lowest < first) changed.whole((hour.lowest.timeMs - hour.first.timeMs) / unitMs)
    if (highest > first) changed.whole((hour.highest.timeMs - hour.first.timeMs) / unitMs)
    before = last
  }
  into.byte(scale)
  into.whole(bits)
  into.bytes(changed.written())
  const sumScale = Math.max(scale, ...moving.map(({ sum }) => sum.scale))
  into.whole(sumScale)
  for (const { sum, count, first } of moving) {
    const asFirst = { whole: BigInt(count) * BigInt(first), scale }
    writeLong(into, atScale(sum, sumScale) - atScale(asFirst, sumScale))
  }
}

function writeDoubles(into: ByteWriter, hours: readonly SummedHour[], ends: Float64Array, unitMs: number): void {
  into.byte(DOUBLES)
  const view = new DataView(new ArrayBuffer(8))
  for (const value of ends) {
    view.setFloat64(0, value)
    into.bytes(new Uint8Array(view.buffer))
  }
  for (const { first, lowest } of hours) into.whole((lowest.timeMs - first.timeMs) / unitMs)
  for (const { first, highest } of hours) into.whole((highest.timeMs - first.timeMs) / unitMs)
  const sumScale = Math.max(...hours.map(({ sum }) => sum.scale))
  into.whole(sumScale)
  let before = 0n
  for (const { sum } of hours) {
    const whole = atScale(sum, sumScale)
    writeLong(into, whole - before)
    before = whole
  }
}

/** As `ByteWriter.signed`, of any size. */
function writeLong(into: ByteWriter, value: bigint): void {
  let rest = value < 0n ? -2n * value - 1n : 2n * value
  for (; rest > 127n; rest >>= 7n) into.byte(Number(rest & 127n) | 128)
  into.byte(Number(rest))
}
