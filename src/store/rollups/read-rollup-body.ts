import type { EventTypeId } from '../../catalogue/event-types.ts'
import { ByteReader } from '../sealed/bytes.ts'
import { DAY_MS } from '../sealed/days.ts'
import { FIRST_FORM } from './first-rollup-form.ts'
import { HourColumns } from './hour-columns.ts'
import type { HourRollup, SummedHour } from './hour-rollup.ts'
import { DOUBLES, NOT_FINITE } from './rollup-body.ts'
import { type ReadSums, type RollupForm, readDoubles } from './rollup-form.ts'
import { SPARSE_FORM } from './sparse-rollup-form.ts'

/** Those that are read, by their first byte. The newest one is written. */
const FORMS: readonly RollupForm[] = [FIRST_FORM, SPARSE_FORM]

/** What is kept of the values of a device and day. Only what is asked for is read. */
export class RollupBody {
  readonly dayMs: number
  readonly #form: RollupForm
  readonly #bytes: Uint8Array
  readonly #unitMs: number
  readonly #groups: number
  /** Where the first group stands, and where the types begin behind the last. */
  readonly #groupsAt: number
  readonly #typesAt: number

  /** @throws Error for a body of another version, or that is none; also later, where a type is none */
  constructor(body: Uint8Array) {
    const form = formOf(body)
    if (!form) throw new Error(`a rollup of version ${body[0]}, which this program does not know`)
    this.#form = form
    this.#bytes = form.bytesOf(body)
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
    return this.#readHours(section, hours)?.().map((sum, place) => ({ ...hours.hourAt(place), sum }))
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

  /** @returns what reads the sums; undefined where there are no hours that are exact */
  #readHours({ group, at }: Section, into: HourColumns): ReadSums | undefined {
    const reader = new ByteReader(this.#bytes, at)
    const coding = reader.byte()
    if (coding === NOT_FINITE) return undefined
    const hours = { into, start: into.length, dayMs: this.dayMs, unitMs: this.#unitMs }
    this.#form.addGroup(this.#readerOfGroup(group), hours)
    return coding === DOUBLES ? readDoubles(reader, hours) : this.#form.readDecimals(reader, coding, hours)
  }

  #readerOfGroup(group: number): ByteReader {
    if (group >= this.#groups) throw new RangeError(`a group ${group}`)
    const reader = new ByteReader(this.#bytes, this.#groupsAt)
    for (let before = 0; before < group; before++) reader.skip(reader.whole())
    // Its length.
    reader.whole()
    return reader
  }
}

/** Whether this program can read it; one that it can not read is as good as none. */
export function isKnownRollup(body: Uint8Array): boolean {
  return formOf(body) !== undefined
}

function formOf(body: Uint8Array): RollupForm | undefined {
  return FORMS.find(({ version }) => version === body[0])
}

/** Where a type begins, and which hours it has. */
interface Section {
  readonly group: number
  readonly at: number
}
