import { inflateRawSync } from 'node:zlib'
import type { EventTypeId } from '../../../../catalogue/event-types.ts'
import { ByteReader } from '../bytes.ts'
import { DAY_MS } from '../days.ts'
import { numbersOfDecimals } from '../decimals.ts'
import type { DecimalSum } from './decimal-sum.ts'
import { HOUR_MS, type HourRollup, type SummedHour } from './hour-rollup.ts'
import { DOUBLES, NOT_FINITE, ROLLUP_VERSION } from './rollup-body.ts'

/** What is kept of the values of a device and day. Only what is asked for is read. */
export class RollupBody {
  readonly dayMs: number
  readonly #bytes: Uint8Array
  readonly #unitMs: number
  readonly #groupsAt: readonly number[]
  readonly #sections = new Map<EventTypeId, Section>()

  /** @throws Error for a body of another version, or that is none; also later, where a type is none */
  constructor(body: Uint8Array) {
    if (!isKnownRollup(body)) throw new Error(`a rollup of version ${body[0]}, which this program does not know`)
    const bytes = body.subarray(2)
    this.#bytes = body[1] === 1 ? inflateRawSync(bytes) : bytes
    const reader = new ByteReader(this.#bytes)
    this.dayMs = reader.signed() * DAY_MS
    this.#unitMs = reader.whole()
    this.#groupsAt = Array.from({ length: reader.whole() }, () => {
      const length = reader.whole()
      const { at } = reader
      reader.bytes(length)
      return at
    })
    let type = 0
    for (let left = reader.whole(); left > 0; left--) {
      type += reader.whole()
      const group = reader.whole()
      const length = reader.whole()
      this.#sections.set(type as EventTypeId, { group, at: reader.at })
      reader.bytes(length)
    }
  }

  /** The types with values that have a rollup, or none because a value is not finite. */
  get types(): readonly EventTypeId[] {
    return [...this.#sections.keys()]
  }

  /** The hours of a type in which it has values, by time; undefined where no rollup is exact. */
  hoursOf(type: EventTypeId): readonly HourRollup[] | undefined {
    const section = this.#sections.get(type)
    return section ? this.#readHours(section)?.hours : []
  }

  /** The same with sums. */
  summedHoursOf(type: EventTypeId): readonly SummedHour[] | undefined {
    const section = this.#sections.get(type)
    if (!section) return []
    const read = this.#readHours(section)
    if (!read) return undefined
    const { hours, reader } = read
    const scale = reader.whole()
    let whole = 0n
    return hours.map(hour => {
      whole += longOf(reader)
      const sum: DecimalSum = { whole, scale }
      return { ...hour, sum }
    })
  }

  /** @returns the reader stands before the sums */
  #readHours({ group, at }: Section): { readonly hours: HourRollup[]; readonly reader: ByteReader } | undefined {
    const reader = new ByteReader(this.#bytes, at)
    const coding = reader.byte()
    if (coding === NOT_FINITE) return undefined
    const { counts, firstMs, lastMs } = this.#readGroup(group)
    const ends =
      coding === DOUBLES ? readDoubles(reader, counts.length * 4) : readDecimals(reader, counts.length, coding)
    const unitMs = this.#unitMs
    const lowestMs = new Float64Array(counts.length)
    for (let hour = 0; hour < counts.length; hour++)
      lowestMs[hour] = (firstMs[hour] as number) + reader.whole() * unitMs
    const hours: HourRollup[] = []
    for (let hour = 0; hour < counts.length; hour++) {
      const timeMs = firstMs[hour] as number
      const place = hour * 4
      hours.push({
        count: counts[hour] as number,
        first: { timeMs, value: ends[place] as number },
        lowest: { timeMs: lowestMs[hour] as number, value: ends[place + 1] as number },
        highest: { timeMs: timeMs + reader.whole() * unitMs, value: ends[place + 2] as number },
        last: { timeMs: lastMs[hour] as number, value: ends[place + 3] as number },
      })
    }
    return { hours, reader }
  }

  #readGroup(group: number): Group {
    const reader = new ByteReader(this.#bytes, this.#groupsAt[group])
    const length = reader.whole()
    const [counts, firstMs, lastMs] = [new Float64Array(length), new Float64Array(length), new Float64Array(length)]
    let hourMs = this.dayMs
    for (let hour = 0; hour < length; hour++) firstMs[hour] = hourMs += reader.whole() * HOUR_MS
    for (let hour = 0; hour < length; hour++) counts[hour] = reader.whole()
    const unitMs = this.#unitMs
    for (let hour = 0; hour < length; hour++) firstMs[hour] = (firstMs[hour] as number) + reader.whole() * unitMs
    for (let hour = 0; hour < length; hour++) lastMs[hour] = (firstMs[hour] as number) + reader.whole() * unitMs
    return { counts, firstMs, lastMs }
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

interface Group {
  readonly counts: Float64Array
  readonly firstMs: Float64Array
  readonly lastMs: Float64Array
}

function readDecimals(reader: ByteReader, hours: number, scale: number): Float64Array {
  const wholes = new Float64Array(hours * 4)
  let before = 0
  for (let at = 0; at < wholes.length; at += 4) {
    const first = before + reader.signed()
    wholes[at] = first
    wholes[at + 1] = first - reader.whole()
    wholes[at + 2] = first + reader.whole()
    wholes[at + 3] = before = first + reader.signed()
  }
  return numbersOfDecimals({ scale, wholes })
}

function readDoubles(reader: ByteReader, count: number): Float64Array {
  const bytes = reader.bytes(count * 8)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return Float64Array.from({ length: count }, (_, index) => view.getFloat64(index * 8))
}

function longOf(reader: ByteReader): bigint {
  let value = 0n
  for (let shift = 0n; ; shift += 7n) {
    const byte = reader.byte()
    value |= BigInt(byte & 127) << shift
    if (byte < 128) break
  }
  return value % 2n === 0n ? value / 2n : -(value + 1n) / 2n
}
