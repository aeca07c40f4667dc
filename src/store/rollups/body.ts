import type { EventTypeId } from '../../catalogue/event-types.ts'
import { DAY_MS, HOUR_MS } from '../../model/time-range.ts'
import { ByteReader, ByteWriter, decimalsOf, powerOf } from '../sealed/bytes.ts'
import { atScale, type DecimalSum, HourColumns, hourStartMs, type SummedHour } from './hours.ts'

/** The rollup of a device and day by hour (drawn in ../README.md). Types that are measured together share counts and
 * times. A value as in the hour before takes a bit: short without deflate, so one type can be read alone. */
const ROLLUP_VERSION = 1

/** How the numbers of a type are written: below 16, as whole numbers of 10^-coding. */
const DOUBLES = 16
const NOT_FINITE = 17

/** Times are multiples of the longest of these where they can. */
const UNITS_MS = [60_000, 1000, 100, 10]

/** The hours of a type; undefined where no rollup is exact. */
export type HoursOfType = readonly SummedHour[] | undefined

/** @param dayMs the start of the day @param types with at least one value each */
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

/** Reads the rollup of a device and day, and of that only the wanted types. */
export class RollupBody {
  readonly dayMs: number
  readonly #bytes: Uint8Array
  readonly #unitMs: number
  /** Where each group stands, and where the types begin behind the last. */
  readonly #groupsAt: number[] = []
  readonly #typesAt: number

  /** @throws Error for a body of another version, or that is none; also later, where a type is none */
  constructor(body: Uint8Array) {
    const reader = new ByteReader(body)
    const version = reader.byte()
    if (version !== ROLLUP_VERSION) throw new Error(`a rollup of version ${version}, which this program does not know`)
    this.#bytes = body
    this.dayMs = reader.signed() * DAY_MS
    this.#unitMs = reader.whole()
    for (let left = reader.whole(); left > 0; left--) {
      const length = reader.whole()
      this.#groupsAt.push(reader.at)
      reader.skip(length)
    }
    this.#typesAt = reader.at
  }

  /** The types with values that have a rollup, or none because a value is not finite. */
  get types(): readonly EventTypeId[] {
    return Array.from(this.#sections(), ({ type }) => type)
  }

  /** Adds the hours of a type in which it has values to hours of days before. @returns false where no rollup is exact, and none is added */
  addHours(type: EventTypeId, into: HourColumns): boolean {
    const section = this.#sectionOf(type)
    return !section || this.#readHours(section, into) !== undefined
  }

  /** The hours of a type with sums, by time; undefined where no rollup is exact. */
  summedHoursOf(type: EventTypeId): readonly SummedHour[] | undefined {
    const section = this.#sectionOf(type)
    if (!section) return []
    const hours = new HourColumns()
    return this.#readHours(section, hours)?.().map((sum, place) => ({ ...hours.hourAt(place), sum }))
  }

  #sectionOf(wanted: EventTypeId): Section | undefined {
    for (const section of this.#sections())
      if (section.type >= wanted) return section.type === wanted ? section : undefined
    return undefined
  }

  /** Of each type, ascending. */
  *#sections(): Generator<Section> {
    const reader = new ByteReader(this.#bytes, this.#typesAt)
    let type = 0
    for (let left = reader.whole(); left > 0; left--) {
      type += reader.whole()
      const group = reader.whole()
      const length = reader.whole()
      yield { type: type as EventTypeId, group, at: reader.at }
      reader.skip(length)
    }
  }

  /** @returns what reads the sums, which stand last, because they are seldom wanted; undefined where there are no hours that are exact */
  #readHours({ group, at }: Section, into: HourColumns): (() => DecimalSum[]) | undefined {
    const reader = new ByteReader(this.#bytes, at)
    const coding = reader.byte()
    if (coding === NOT_FINITE) return undefined
    const groupAt = this.#groupsAt[group]
    if (groupAt === undefined) throw new RangeError(`a group ${group}`)
    const hours = { into, start: into.length, dayMs: this.dayMs, unitMs: this.#unitMs }
    addGroup(new ByteReader(this.#bytes, groupAt), hours)
    return coding === DOUBLES ? readDoubles(reader, hours) : readDecimals(reader, coding, hours)
  }
}

/** Where a type begins, and which hours it has. */
interface Section {
  readonly type: EventTypeId
  readonly group: number
  readonly at: number
}

/** The hours of a day that are read, behind those of days before. */
interface HoursOfDay {
  readonly into: HourColumns
  /** The place of the first of them. */
  readonly start: number
  readonly dayMs: number
  readonly unitMs: number
}

/** Adds the hours of a group, with what its types have in common: how many values each has, and the first and last times. */
function addGroup(reader: ByteReader, { into, dayMs, unitMs }: HoursOfDay): void {
  const [withValues, others] = [reader.whole(), reader.whole()]
  let place = into.add(bitsIn(withValues))
  const [counts, firstMs, lastMs] = [into.column('count'), into.column('firstMs'), into.column('lastMs')]
  let [count, first, length] = [0, 0, 0]
  let other = 1
  for (let hour = 0; withValues >> hour > 0; hour++) {
    if (((withValues >> hour) & 1) === 0) continue
    if ((others & other) > 0) {
      count = reader.whole()
      first = reader.whole() * unitMs
      length = reader.whole() * unitMs
    }
    other <<= 1
    counts[place] = count
    firstMs[place] = dayMs + hour * HOUR_MS + first
    lastMs[place] = dayMs + hour * HOUR_MS + first + length
    place++
  }
}

/** The values of a type, and the times of the lowest and the highest ones. @param scale in units of 10^-scale */
function readDecimals(reader: ByteReader, scale: number, { into, start, unitMs }: HoursOfDay): () => DecimalSum[] {
  const power = powerOf(scale)
  const [firsts, lowests] = [into.column('first'), into.column('lowest')]
  const [highests, lasts] = [into.column('highest'), into.column('last')]
  const [firstMs, lowestMs, highestMs] = [into.column('firstMs'), into.column('lowestMs'), into.column('highestMs')]
  const moving = reader.whole()
  let [before, value] = [0, 0]
  for (let place = start, bit = 1; place < into.length; place++, bit <<= 1) {
    const atMs = firstMs[place] as number
    if ((moving & bit) === 0) {
      firsts[place] = lowests[place] = highests[place] = lasts[place] = value
      lowestMs[place] = highestMs[place] = atMs
      continue
    }
    const first = before + reader.signed()
    const [down, up] = [reader.whole(), reader.whole()]
    before = first + reader.signed()
    value = before / power
    firsts[place] = first / power
    lowests[place] = (first - down) / power
    highests[place] = (first + up) / power
    lasts[place] = value
    lowestMs[place] = down > 0 ? atMs + reader.whole() * unitMs : atMs
    highestMs[place] = up > 0 ? atMs + reader.whole() * unitMs : atMs
  }
  return () => {
    const sumScale = reader.whole()
    const counts = into.column('count')
    return Array.from({ length: into.length - start }, (_, index) => {
      const place = start + index
      const first = BigInt(Math.round((firsts[place] as number) * power))
      const asFirst = atScale({ whole: BigInt(counts[place] as number) * first, scale }, sumScale)
      return { whole: ((moving >> index) & 1) === 0 ? asFirst : asFirst + longOf(reader), scale: sumScale }
    })
  }
}

/** Numbers that are no short decimals. */
function readDoubles(reader: ByteReader, hours: HoursOfDay): () => DecimalSum[] {
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
function readEndTimes(reader: ByteReader, { into, start, unitMs }: HoursOfDay): void {
  const firstMs = into.column('firstMs')
  for (const field of ['lowestMs', 'highestMs'] as const) {
    const column = into.column(field)
    for (let place = start; place < into.length; place++)
      column[place] = (firstMs[place] as number) + reader.whole() * unitMs
  }
}

/** Sums as differences from the ones before. */
function readSums(reader: ByteReader, count: number): DecimalSum[] {
  const scale = reader.whole()
  let whole = 0n
  return Array.from({ length: count }, () => ({ whole: (whole += longOf(reader)), scale }))
}

/** As `ByteReader.signed`, of any length. */
function longOf(reader: ByteReader): bigint {
  let value = 0n
  for (let shift = 0n; ; shift += 7n) {
    const byte = reader.byte()
    value |= BigInt(byte & 127) << shift
    if (byte < 128) break
  }
  return value % 2n === 0n ? value / 2n : -(value + 1n) / 2n
}

function bitsIn(bits: number): number {
  let count = 0
  for (let rest = bits; rest > 0; rest &= rest - 1) count++
  return count
}
