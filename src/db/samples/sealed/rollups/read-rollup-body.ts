import { inflateRawSync } from 'node:zlib'
import type { EventTypeId } from '../../../../catalogue/event-types.ts'
import { ByteReader } from '../bytes.ts'
import { DAY_MS } from '../days.ts'
import { powerOf } from '../decimals.ts'
import type { DecimalSum } from './decimal-sum.ts'
import { HourColumns } from './hour-columns.ts'
import { HOUR_MS, type HourRollup, type SummedHour } from './hour-rollup.ts'
import { DOUBLES, NOT_FINITE, ROLLUP_VERSION } from './rollup-body.ts'

/** What is kept of the values of a device and day. Only what is asked for is read. */
export class RollupBody {
  readonly dayMs: number
  readonly #bytes: Uint8Array
  readonly #unitMs: number
  readonly #groups: number
  /** Where the first group stands, and where the types begin behind the last. */
  readonly #groupsAt: number
  readonly #typesAt: number

  /** @throws Error for a body of another version, or that is none; also later, where a type is none */
  constructor(body: Uint8Array) {
    if (!isKnownRollup(body)) throw new Error(`a rollup of version ${body[0]}, which this program does not know`)
    const bytes = body.subarray(2)
    this.#bytes = body[1] === 1 ? inflateRawSync(bytes) : bytes
    const reader = new ByteReader(this.#bytes)
    this.dayMs = reader.signed() * DAY_MS
    this.#unitMs = reader.whole()
    this.#groups = reader.whole()
    this.#groupsAt = reader.at
    for (let group = 0; group < this.#groups; group++) reader.skip(reader.whole())
    this.#typesAt = reader.at
  }

  /** The types with values that have a rollup, or none because a value is not finite. */
  get types(): readonly EventTypeId[] {
    const types: EventTypeId[] = []
    this.#eachSection(type => {
      types.push(type)
      return false
    })
    return types
  }

  /** The hours of a type in which it has values, by time; undefined where no rollup is exact. */
  hoursOf(type: EventTypeId): readonly HourRollup[] | undefined {
    const hours = new HourColumns()
    if (!this.addHours(type, hours)) return undefined
    return Array.from({ length: hours.length }, (_, place) => hours.hourAt(place))
  }

  /** Adds the same to hours of days before. @returns false where no rollup is exact, and none is added */
  addHours(type: EventTypeId, into: HourColumns): boolean {
    const section = this.#sectionOf(type)
    return !section || this.#readHours(section, into) !== undefined
  }

  /** The same with sums. */
  summedHoursOf(type: EventTypeId): readonly SummedHour[] | undefined {
    const section = this.#sectionOf(type)
    if (!section) return []
    const hours = new HourColumns()
    const reader = this.#readHours(section, hours)
    if (!reader) return undefined
    const scale = reader.whole()
    let whole = 0n
    return Array.from({ length: hours.length }, (_, place) => {
      whole += longOf(reader)
      const sum: DecimalSum = { whole, scale }
      return { ...hours.hourAt(place), sum }
    })
  }

  #sectionOf(wanted: EventTypeId): Section | undefined {
    let found: Section | undefined
    this.#eachSection((type, group, at) => {
      if (type === wanted) found = { group, at }
      return type >= wanted
    })
    return found
  }

  /** Tells of each type, ascending, until one was enough. */
  #eachSection(isEnough: (type: EventTypeId, group: number, at: number) => boolean): void {
    const reader = new ByteReader(this.#bytes, this.#typesAt)
    let type = 0
    for (let left = reader.whole(); left > 0; left--) {
      type += reader.whole()
      const group = reader.whole()
      const length = reader.whole()
      if (isEnough(type as EventTypeId, group, reader.at)) return
      reader.skip(length)
    }
  }

  /** @returns standing before the sums */
  #readHours({ group, at }: Section, into: HourColumns): ByteReader | undefined {
    const reader = new ByteReader(this.#bytes, at)
    const coding = reader.byte()
    if (coding === NOT_FINITE) return undefined
    const start = this.#readGroup(group, into)
    if (coding === DOUBLES) readDoubles(reader, into, start)
    else readDecimals(reader, coding, into, start)
    const firstMs = into.column('firstMs')
    for (const field of ['lowestMs', 'highestMs'] as const) {
      const column = into.column(field)
      for (let place = start; place < into.length; place++)
        column[place] = (firstMs[place] as number) + reader.whole() * this.#unitMs
    }
    return reader
  }

  /** Adds hours with what types of a group have in common. @returns the place of the first */
  #readGroup(group: number, into: HourColumns): number {
    if (group >= this.#groups) throw new RangeError(`a group ${group}`)
    const reader = new ByteReader(this.#bytes, this.#groupsAt)
    for (let before = 0; before < group; before++) reader.skip(reader.whole())
    // Its length.
    reader.whole()
    const hours = reader.whole()
    const start = into.add(hours)
    const end = start + hours
    const [count, firstMs, lastMs] = [into.column('count'), into.column('firstMs'), into.column('lastMs')]
    const unitMs = this.#unitMs
    let hourMs = this.dayMs
    for (let place = start; place < end; place++) firstMs[place] = hourMs += reader.whole() * HOUR_MS
    for (let place = start; place < end; place++) count[place] = reader.whole()
    for (let place = start; place < end; place++) firstMs[place] = (firstMs[place] as number) + reader.whole() * unitMs
    for (let place = start; place < end; place++) lastMs[place] = (firstMs[place] as number) + reader.whole() * unitMs
    return start
  }
}

/** Whether this program can read it; one that it can not read is as good as none. */
export function isKnownRollup(body: Uint8Array): boolean {
  return body[0] === ROLLUP_VERSION
}

/** Where a type begins, and which hours it has. */
interface Section {
  readonly group: number
  readonly at: number
}

function readDecimals(reader: ByteReader, scale: number, into: HourColumns, start: number): void {
  const power = powerOf(scale)
  const [firsts, lowests] = [into.column('first'), into.column('lowest')]
  const [highests, lasts] = [into.column('highest'), into.column('last')]
  let before = 0
  for (let place = start; place < into.length; place++) {
    const first = before + reader.signed()
    firsts[place] = first / power
    lowests[place] = (first - reader.whole()) / power
    highests[place] = (first + reader.whole()) / power
    before = first + reader.signed()
    lasts[place] = before / power
  }
}

function readDoubles(reader: ByteReader, into: HourColumns, start: number): void {
  const columns = ENDS.map(end => into.column(end))
  const bytes = reader.bytes((into.length - start) * columns.length * 8)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let at = 0
  for (let place = start; place < into.length; place++)
    for (const column of columns) {
      column[place] = view.getFloat64(at)
      at += 8
    }
}

const ENDS = ['first', 'lowest', 'highest', 'last'] as const

function longOf(reader: ByteReader): bigint {
  let value = 0n
  for (let shift = 0n; ; shift += 7n) {
    const byte = reader.byte()
    value |= BigInt(byte & 127) << shift
    if (byte < 128) break
  }
  return value % 2n === 0n ? value / 2n : -(value + 1n) / 2n
}
