import type { EventTypeId } from '../../catalogue/event-types.ts'
import { type DeviceId, holdsAny, numbersPerValue, SampleLayout } from '../../model/sample.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { UnpackedSamples } from '../packed-samples.ts'
import { ByteReader } from './bytes.ts'
import { type Column, columnOf, rankOf } from './column.ts'
import type { ColumnMemory } from './column-memory.ts'
import { layoutsByType, readLayouts, readSections, type Section } from './head.ts'
import { lowerBound } from './lower-bound.ts'
import { readNumbers, skipNumbers } from './number-column.ts'
import { SEALED_VERSION, type SealedLayout, STORED_EPOCH_US, type StoredSample } from './sealed-body.ts'

/**
 * The samples of a body, each at its place in the order of time. A column is unpacked when a value of it is asked for first, so that
 * whoever wants one event type does not pay for the others.
 */
export class UnpackedBody implements UnpackedSamples {
  /** Of the samples. */
  readonly count: number
  readonly #body: Uint8Array
  #memory: ColumnMemory | undefined
  readonly #timesAt: number
  #timesMs: Float64Array | undefined
  readonly #storedAt: number
  #storedUs: Float64Array | undefined
  readonly #layouts: readonly SealedLayout[]
  readonly #whichAt: number
  #which: Float64Array | undefined
  readonly #sections: ReadonlyMap<EventTypeId, Section>
  readonly #columns = new Map<EventTypeId, Column>()
  readonly #plans: Plan[] = []
  #having: ReadonlyMap<EventTypeId, readonly number[]> | undefined
  /** The places of the samples that have any of some layouts. */
  readonly #placesOf = new Map<string, Uint32Array>()

  /** @throws Error for a body of another version, or that is none; also later, where a column is none */
  constructor(body: Uint8Array) {
    const reader = new ByteReader(body)
    const version = reader.byte()
    if (version !== SEALED_VERSION)
      throw new Error(`a sealed day of version ${version}, which this program does not know`)
    this.count = reader.whole()
    this.#body = body
    this.#layouts = readLayouts(reader)
    this.#timesAt = reader.at
    skipNumbers(reader)
    this.#storedAt = reader.at
    skipNumbers(reader)
    this.#whichAt = reader.at
    skipNumbers(reader)
    this.#sections = readSections(reader)
  }

  /** Columns come to this memory from now on. When it is reused, this body may not be used any more. */
  unpackInto(memory: ColumnMemory): void {
    this.#memory = memory
  }

  #read(reader: ByteReader, count: number): Float64Array {
    return readNumbers(reader, count, this.#numbers(count))
  }

  #numbers(count: number): Float64Array<ArrayBuffer> {
    return this.#memory?.take(count) ?? new Float64Array(count)
  }

  /** Ascending. */
  get timesMs(): Float64Array {
    return (this.#timesMs ??= this.#read(new ByteReader(this.#body, this.#timesAt), this.count))
  }

  /** Which of the layouts each sample has. */
  get #layoutPlaces(): Float64Array {
    return (this.#which ??= this.#readLayoutPlaces())
  }

  #readLayoutPlaces(): Float64Array {
    const which = this.#read(new ByteReader(this.#body, this.#whichAt), this.count)
    for (const place of which) if (this.#layouts[place] === undefined) throw new RangeError('a sample without a layout')
    return which
  }

  /** The first place from the start of a range on, and the first one behind its end. */
  placesIn({ fromMs, toMs }: TimeRange): { readonly first: number; readonly end: number } {
    return { first: lowerBound(this.timesMs, fromMs), end: lowerBound(this.timesMs, toMs) }
  }

  timeMsAt(place: number): number {
    return this.timesMs[place] ?? Number.NaN
  }

  /** The revision, in microseconds since 1970. */
  storedUsAt(place: number): number {
    this.#storedUs ??= this.#read(new ByteReader(this.#body, this.#storedAt), this.count)
    return (this.#storedUs[place] ?? 0) + STORED_EPOCH_US
  }

  layoutIdAt(place: number): number {
    return this.#layoutAt(place).id
  }

  layoutAt(place: number): SampleLayout {
    return this.#planAt(place).layout
  }

  /** Tells of places whether their sample has any of these types; each has when none are given. */
  holding(types: readonly EventTypeId[] | undefined): (place: number) => boolean {
    if (!types) return () => true
    const holds = this.#layouts.map(layout => holdsAny(layout, types))
    const which = this.#layoutPlaces
    return place => holds[which[place] ?? -1] === true
  }

  numbersAt(place: number): number[] {
    const plan = this.#planAt(place)
    const numbers: number[] = []
    for (const part of (plan.allParts ??= this.#partsOf(plan))) numbers.push(numberOf(part, place))
    return numbers
  }

  copyNumbersAt(place: number, into: Float64Array): void {
    const plan = this.#planAt(place)
    const parts = (plan.allParts ??= this.#partsOf(plan))
    for (let index = 0; index < parts.length; index++) {
      const { values, places } = parts[index] as Part
      into[index] = values[places ? rankOf(places, place) : place] ?? 0
    }
  }

  /** Those of them that are wanted, by index; the others are left as they are, and their columns packed. */
  copyWantedAt(place: number, into: number[], wanted: readonly boolean[]): void {
    const plan = this.#planAt(place)
    if (plan.wanted !== wanted) {
      plan.wanted = wanted
      plan.wantedParts = this.#wantedPartsOf(plan, wanted)
    }
    const parts = plan.wantedParts
    for (let at = 0; at < parts.length; at++) {
      const { index, values, places } = parts[at] as WantedPart
      into[index] = values[places ? rankOf(places, place) : place] ?? 0
    }
  }

  numberAt(place: number, index: number): number {
    return numberOf(this.#part(this.#planAt(place), index), place)
  }

  textsAt(place: number): string[] {
    const { layout } = this.#planAt(place)
    if (layout.textCount === 0) return []
    return layout.slots.flatMap(({ type }) => {
      if (numbersPerValue(type) > 0) return []
      const { texts, places } = this.#column(type.id)
      return texts[rankOf(places, place)] ?? ''
    })
  }

  /** The types of all samples. */
  get types(): readonly EventTypeId[] {
    return [...this.#sections.keys()]
  }

  /** The values of a type with one number a value, and their times. */
  seriesOf(type: EventTypeId): { readonly timesMs: Float64Array; readonly values: Float64Array } {
    const having = this.placesWith(type)
    const { numbers, places } = this.#column(type)
    const [values] = numbers
    if (!values) throw new RangeError(`no numbers of type ${type}`)
    if (!having) return { timesMs: this.timesMs, values }
    const timesMs = Float64Array.from(having, place => this.timeMsAt(place))
    return { timesMs, values: places ? values : Float64Array.from(having, place => values[place] as number) }
  }

  sampleAt(deviceId: DeviceId, place: number): StoredSample {
    const { id, types } = this.#layoutAt(place)
    return {
      deviceId,
      timeMs: this.timeMsAt(place),
      types,
      numbers: this.numbersAt(place),
      texts: this.textsAt(place),
      storedUs: this.storedUsAt(place),
      layoutId: id,
    }
  }

  #layoutAt(place: number): SealedLayout {
    const layout = this.#layouts[this.#layoutPlaces[place] ?? -1]
    if (!layout) throw new RangeError(`no sample at place ${place}`)
    return layout
  }

  #planAt(place: number): Plan {
    const which = this.#layoutPlaces[place] ?? -1
    return (this.#plans[which] ??= planOf(this.#layoutAt(place)))
  }

  #partsOf(plan: Plan): Part[] {
    return Array.from({ length: plan.layout.numberCount }, (_, index) => this.#part(plan, index))
  }

  #wantedPartsOf(plan: Plan, wanted: readonly boolean[]): WantedPart[] {
    return wanted.flatMap((isWanted, index) => (isWanted ? { index, ...this.#part(plan, index) } : []))
  }

  #part(plan: Plan, index: number): Part {
    const known = plan.parts[index]
    if (known) return known
    const slot = plan.layout.slots.findLast(({ type, index: at }) => numbersPerValue(type) > 0 && at <= index)
    if (!slot) throw new RangeError(`no number ${index} in a sample`)
    const { numbers, places } = this.#column(slot.type.id)
    const values = numbers[index - slot.index]
    if (!values) throw new RangeError(`no number ${index} in a sample`)
    return (plan.parts[index] = { values, places })
  }

  #column(type: EventTypeId): Column {
    const known = this.#columns.get(type)
    if (known) return known
    const section = this.#sections.get(type)
    if (!section) throw new RangeError(`no values of type ${type}`)
    const places = this.placesWith(type)
    const { count } = this
    const { at, width } = section
    const column = columnOf(new ByteReader(this.#body, at), { width, places, count }, length => this.#numbers(length))
    this.#columns.set(type, column)
    return column
  }

  /** The places of the samples with a type; undefined for all. */
  placesWith(type: EventTypeId): Uint32Array | undefined {
    this.#having ??= layoutsByType(this.#layouts)
    const having = this.#having.get(type) ?? []
    if (having.length === this.#layouts.length) return undefined
    // Event types mostly come together.
    const key = having.join()
    const known = this.#placesOf.get(key)
    if (known) return known
    const which = this.#layoutPlaces
    const has = new Uint8Array(this.#layouts.length)
    for (const layout of having) has[layout] = 1
    const all = new Uint32Array(which.length)
    let count = 0
    for (let place = 0; place < all.length; place++) if (has[which[place] as number] === 1) all[count++] = place
    const places = all.subarray(0, count)
    this.#placesOf.set(key, places)
    return places
  }

  /**
   * One number of each value of a type, for who looks at each of them once: nothing is kept.
   * @returns those of the samples of `placesWith`, in their order; undefined where no sample has the type
   */
  numbersWith(type: EventTypeId, index: number): Float64Array | undefined {
    const section = this.#sections.get(type)
    if (!section || index >= section.width) return undefined
    const reader = new ByteReader(this.#body, section.at)
    for (let before = 0; before < index; before++) skipNumbers(reader)
    return readNumbers(reader, this.placesWith(type)?.length ?? this.count)
  }
}

/** What the samples of a layout have; their numbers are looked up once. */
interface Plan {
  readonly layout: SampleLayout
  /** By the index of the number, as far as they were asked for. */
  readonly parts: (Part | undefined)[]
  allParts: readonly Part[] | undefined
  /** Those that were wanted last. */
  wanted: readonly boolean[] | undefined
  wantedParts: readonly WantedPart[]
}

interface WantedPart extends Part {
  /** Of the number in a sample. */
  readonly index: number
}

interface Part {
  readonly values: Float64Array
  readonly places: Uint32Array | undefined
}

function planOf({ types }: SealedLayout): Plan {
  return { layout: SampleLayout.of(types), parts: [], allParts: undefined, wanted: undefined, wantedParts: [] }
}

function numberOf({ values, places }: Part, place: number): number {
  return values[rankOf(places, place)] ?? 0
}
