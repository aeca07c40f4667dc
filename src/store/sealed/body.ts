import { EVENT_TYPES, type EventTypeId, eventTypeById } from '../../catalogue/event-types.ts'
import { type DeviceId, holdsAny, numbersPerValue, perLayout, type Sample, SampleLayout } from '../../model/sample.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { PackedValues } from '../samples.ts'
import { ByteReader, ByteWriter, lowerBound } from './bytes.ts'
import { readNumbers, readTexts, skipNumbers, skipTexts, writeNumbers, writeTexts } from './columns.ts'

/* The samples of a device and day (drawn in ../README.md): times, revisions, layouts, then the values by event type,
 * whatever their layout, because a value resembles the one before. */

/** A sample with everything that its row has. */
export interface StoredSample extends Sample {
  /** The revision of its last write, in microseconds since 1970. */
  readonly storedUs: number
  /** 0: it describes itself. */
  readonly layoutId: number
}

const SEALED_VERSION = 1

/** The revisions are differences from 2000 on, so that they fit for centuries. */
const STORED_EPOCH_US = Date.UTC(2000, 0, 1) * 1000

/** @param samples ascending by time, at least one
 * @param turn is called after each column, which takes some milliseconds for a day of many samples */
export async function sealedBodyOf(
  samples: readonly StoredSample[],
  turn: () => Promise<void> = () => Promise.resolve(),
): Promise<Buffer> {
  const layouts = new LayoutTable()
  const which = Float64Array.from(samples, sample => layouts.placeOf(sample))
  const into = new ByteWriter(samples.length * 16)
  into.byte(SEALED_VERSION)
  into.whole(samples.length)
  layouts.write(into)
  writeNumbers(
    into,
    Float64Array.from(samples, ({ timeMs }) => timeMs),
  )
  writeNumbers(
    into,
    Float64Array.from(samples, ({ storedUs }) => storedUs - STORED_EPOCH_US),
  )
  writeNumbers(into, which)
  const columns = columnsOf(samples)
  into.whole(columns.size)
  for (const [type, { numbers, texts }] of [...columns].sort(([a], [b]) => a - b)) {
    into.whole(type)
    into.byte(numbers.length)
    if (numbers.length === 0) writeTexts(into, texts)
    for (const column of numbers) writeNumbers(into, Float64Array.from(column))
    await turn()
  }
  return Buffer.from(into.written())
}

/** The layout of a sample: its id, and its types, so that a body can be read by itself. */
interface SealedLayout {
  readonly id: number
  readonly layout: SampleLayout
  /** For each number of a sample, those of all samples that have one; undefined while they are not unpacked. */
  readonly numbers: (NumberColumn | undefined)[]
}

interface NumberColumn {
  readonly values: Float64Array
  /** Those samples; undefined for all. */
  readonly samples: SamplesOfType | undefined
}

class LayoutTable {
  readonly #places = new Map<string, number>()
  readonly #layouts: { readonly id: number; readonly types: readonly EventTypeId[] }[] = []

  placeOf({ layoutId: id, types }: StoredSample): number {
    const key = id === 0 ? SampleLayout.of(types).text : String(id)
    const place = this.#places.get(key) ?? this.#layouts.length
    if (place === this.#layouts.length) {
      this.#places.set(key, place)
      this.#layouts.push({ id, types })
    }
    return place
  }

  write(into: ByteWriter): void {
    into.whole(this.#layouts.length)
    for (const { id, types } of this.#layouts) {
      into.whole(id)
      into.whole(types.length)
      let before = 0
      for (const type of types) {
        into.whole(type - before)
        before = type
      }
    }
  }
}

/** The values of one type while they are written: an array for each number of a value, none of texts. */
interface ColumnToWrite {
  readonly numbers: number[][]
  readonly texts: string[]
}

function columnsOf(samples: readonly StoredSample[]): Map<EventTypeId, ColumnToWrite> {
  const columns = new Map<EventTypeId, ColumnToWrite>()
  for (const { types, numbers, texts } of samples) {
    let [number, text] = [0, 0]
    for (const type of types) {
      let column = columns.get(type)
      if (!column) {
        column = { numbers: Array.from({ length: WIDTHS.get(type) ?? 1 }, () => []), texts: [] }
        columns.set(type, column)
      }
      if (column.numbers.length === 0) column.texts.push(texts[text++] ?? '')
      for (const part of column.numbers) part.push(numbers[number++] ?? 0)
    }
  }
  return columns
}

const WIDTHS = new Map(EVENT_TYPES.map(type => [type.id, numbersPerValue(type)]))

/** The values of one event type, unpacked. */
interface Column {
  /** For each number of a value, those of all samples that have one; none of texts. */
  readonly numbers: readonly Float64Array[]
  readonly texts: readonly string[]
  /** Those samples; undefined for all. */
  readonly samples: SamplesOfType | undefined
}

/** The samples that have a value of a type. */
interface SamplesOfType {
  /** Ascending. */
  readonly places: Uint32Array
  /** By its place, which of them a sample is. */
  readonly ranks: Uint32Array
}

/** Which value a number of a sample is a part of. */
const partsOf = perLayout(({ slots }) =>
  slots.flatMap(({ type }) => Array.from({ length: numbersPerValue(type) }, (_, part) => ({ type: type.id, part }))),
)

const textTypesOf = perLayout(({ slots }) =>
  slots.flatMap(({ type }) => (numbersPerValue(type) === 0 ? [type.id] : [])),
)

/** The samples of a body in the order of time. A column is unpacked when it is first needed, so that reading one event
 * type does not pay for the others. */
export class UnpackedBody implements PackedValues {
  readonly count: number
  readonly #body: Uint8Array
  readonly #layouts: readonly SealedLayout[]
  readonly #timesAt: number
  readonly #storedAt: number
  readonly #whichAt: number
  #timesMs: Float64Array | undefined
  #storedUs: Float64Array | undefined
  #which: Float64Array | undefined
  /** Where the values of each type begin, and how many numbers each has. */
  readonly #sections = new Map<EventTypeId, { readonly at: number; readonly width: number }>()
  readonly #columns = new Map<EventTypeId, Column>()
  /** By the layouts that they have. */
  readonly #samplesByLayouts = new Map<string, SamplesOfType>()

  /** @throws Error for a body of another version, or that is none; also later, where a column is none */
  constructor(body: Uint8Array) {
    const reader = new ByteReader(body)
    const version = reader.byte()
    if (version !== SEALED_VERSION)
      throw new Error(`a sealed day of version ${version}, which this program does not know`)
    this.count = reader.whole()
    this.#body = body
    this.#layouts = Array.from({ length: reader.whole() }, () => {
      const id = reader.whole()
      let type = 0
      const types = Array.from({ length: reader.whole() }, () => eventTypeById((type += reader.whole())).id)
      return { id, layout: SampleLayout.of(types), numbers: [] }
    })
    this.#timesAt = reader.at
    skipNumbers(reader)
    this.#storedAt = reader.at
    skipNumbers(reader)
    this.#whichAt = reader.at
    skipNumbers(reader)
    for (let left = reader.whole(); left > 0; left--) {
      const { id } = eventTypeById(reader.whole())
      const width = reader.byte()
      this.#sections.set(id, { at: reader.at, width })
      if (width === 0) skipTexts(reader)
      for (let part = 0; part < width; part++) skipNumbers(reader)
    }
  }

  get types(): readonly EventTypeId[] {
    return [...this.#sections.keys()]
  }

  /** How each column of a type is coded, for people. */
  codingsOf(type: EventTypeId): readonly string[] {
    const { at, width } = this.#sectionOf(type)
    const reader = new ByteReader(this.#body, at)
    if (width === 0) return [skipTexts(reader)]
    return Array.from({ length: width }, () => skipNumbers(reader))
  }

  timeMsAt(place: number): number {
    return this.#times[place] ?? Number.NaN
  }

  /** The revision, in microseconds since 1970. */
  storedUsAt(place: number): number {
    this.#storedUs ??= readNumbers(new ByteReader(this.#body, this.#storedAt), this.count)
    return (this.#storedUs[place] ?? 0) + STORED_EPOCH_US
  }

  layoutIdAt(place: number): number {
    return this.#layoutAt(place).id
  }

  layoutAt(place: number): SampleLayout {
    return this.#layoutAt(place).layout
  }

  numbersAt(place: number, wanted?: readonly boolean[]): number[] {
    const of = this.#layoutAt(place)
    const numbers: number[] = []
    for (let index = 0; index < of.layout.numberCount; index++)
      numbers.push(wanted && !wanted[index] ? Number.NaN : this.#numberAt(of, place, index))
    return numbers
  }

  numberAt(place: number, index: number): number {
    return this.#numberAt(this.#layoutAt(place), place, index)
  }

  textsAt(place: number): string[] {
    return textTypesOf(this.layoutAt(place)).map(type => {
      const { texts, samples } = this.#column(type)
      return texts[rankOf(samples, place)] ?? ''
    })
  }

  sampleAt(deviceId: DeviceId, place: number): StoredSample {
    const { id, layout } = this.#layoutAt(place)
    return {
      deviceId,
      timeMs: this.timeMsAt(place),
      types: layout.types,
      numbers: this.numbersAt(place),
      texts: this.textsAt(place),
      storedUs: this.storedUsAt(place),
      layoutId: id,
    }
  }

  /** The places of the samples within a range that have any of these types; all of them when none are given. */
  *placesIn({ fromMs, toMs }: TimeRange, types?: readonly EventTypeId[]): Generator<number> {
    const end = lowerBound(this.#times, toMs)
    const holds = types && this.#layouts.map(({ layout }) => holdsAny(layout, types))
    for (let place = lowerBound(this.#times, fromMs); place < end; place++)
      if (!holds || holds[this.#whichOf[place] ?? -1]) yield place
  }

  /** The values of a type with one number a value, and their times. */
  seriesOf(type: EventTypeId): { readonly timesMs: Float64Array; readonly values: Float64Array } {
    const { numbers, samples } = this.#column(type)
    const [values] = numbers
    if (!values) throw new RangeError(`no numbers of type ${type}`)
    const timesMs = samples ? Float64Array.from(samples.places, place => this.timeMsAt(place)) : this.#times
    return { timesMs, values }
  }

  /** Ascending. */
  get #times(): Float64Array {
    return (this.#timesMs ??= readNumbers(new ByteReader(this.#body, this.#timesAt), this.count))
  }

  /** Which of the layouts each sample has. */
  get #whichOf(): Float64Array {
    return (this.#which ??= readNumbers(new ByteReader(this.#body, this.#whichAt), this.count))
  }

  #layoutAt(place: number): SealedLayout {
    const layout = this.#layouts[this.#whichOf[place] ?? -1]
    if (!layout) throw new RangeError(`no layout of a sample at place ${place}`)
    return layout
  }

  #numberAt(of: SealedLayout, place: number, index: number): number {
    const { values, samples } = (of.numbers[index] ??= this.#numberColumn(of.layout, index))
    return values[rankOf(samples, place)] ?? 0
  }

  #numberColumn(layout: SampleLayout, index: number): NumberColumn {
    const wanted = partsOf(layout)[index]
    if (!wanted) throw new RangeError(`no number ${index} in a sample`)
    const { numbers, samples } = this.#column(wanted.type)
    const values = numbers[wanted.part]
    if (!values) throw new RangeError(`no numbers of type ${wanted.type}`)
    return { values, samples }
  }

  #sectionOf(type: EventTypeId) {
    const section = this.#sections.get(type)
    if (!section) throw new RangeError(`no values of type ${type}`)
    return section
  }

  #column(type: EventTypeId): Column {
    const known = this.#columns.get(type)
    if (known) return known
    const { at, width } = this.#sectionOf(type)
    const reader = new ByteReader(this.#body, at)
    const samples = this.#samplesOf(type)
    const count = samples?.places.length ?? this.count
    const column = {
      samples,
      texts: width === 0 ? readTexts(reader, count) : [],
      numbers: Array.from({ length: width }, () => readNumbers(reader, count)),
    }
    this.#columns.set(type, column)
    return column
  }

  /** The samples with a type; undefined for all. */
  #samplesOf(type: EventTypeId): SamplesOfType | undefined {
    const having = this.#layouts.map(({ layout }) => layout.types.includes(type))
    if (having.every(has => has)) return undefined
    // Event types mostly come together.
    const key = having.join()
    const known = this.#samplesByLayouts.get(key)
    if (known) return known
    const places: number[] = []
    const ranks = new Uint32Array(this.count)
    for (const [place, which] of this.#whichOf.entries()) if (having[which]) ranks[place] = places.push(place) - 1
    const samples = { places: Uint32Array.from(places), ranks }
    this.#samplesByLayouts.set(key, samples)
    return samples
  }
}

/** Which value of a column belongs to the sample at a place, which has one. */
function rankOf(samples: SamplesOfType | undefined, place: number): number {
  return samples?.ranks[place] ?? place
}

/** Reads a body. @param wanted only samples from `fromMs` until before `toMs`; without it, all
 * @throws Error for a body of another version, or that is none */
export function samplesOfBody(deviceId: DeviceId, body: Uint8Array, wanted: TimeRange = EVER): StoredSample[] {
  const unpacked = new UnpackedBody(body)
  return Array.from(unpacked.placesIn(wanted), place => unpacked.sampleAt(deviceId, place))
}

const EVER = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
