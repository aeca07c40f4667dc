import { EVENT_TYPES, type EventTypeId, eventTypeById } from '../../../catalogue/event-types.ts'
import type { DeviceId, Sample } from '../../../model/sample.ts'
import { numbersPerValue, SampleLayout } from '../../../model/sample-layout.ts'
import { ByteReader, ByteWriter } from './bytes.ts'
import { readNumbers, skipNumbers, writeNumbers } from './number-column.ts'
import { readTexts, skipTexts, writeTexts } from './text-column.ts'

/** A sample with everything that its row has. */
export interface StoredSample extends Sample {
  /** The revision of its last write, in microseconds since 1970. */
  readonly storedUs: number
  /** 0: it describes itself. */
  readonly layoutId: number
}

/**
 * The samples of a device and day as one body (docs/data-model.md has a drawing). All times, all revisions, which layout each sample has,
 * then the values by event type, whatever the layout of their samples, because a value resembles the one before.
 */
const VERSION = 1

/** The revisions are differences from 2000 on, so that they fit for centuries. */
const STORED_EPOCH_US = Date.UTC(2000, 0, 1) * 1000

/**
 * Writes a body.
 * @param samples ascending by time, at least one
 * @param turn is called after each column, which takes some milliseconds for a day of many samples: others may work in between
 */
export async function sealedBodyOf(
  samples: readonly StoredSample[],
  turn: () => Promise<void> = () => Promise.resolve(),
): Promise<Buffer> {
  const layouts = new LayoutTable()
  const which = Float64Array.from(samples, sample => layouts.placeOf(sample))
  const into = new ByteWriter(samples.length * 16)
  into.byte(VERSION)
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

/**
 * Reads a body.
 * @param wanted only samples from `fromMs` until before `toMs`; without it, all
 * @throws Error for a body of another version, or that is none
 */
export function samplesOfBody(
  deviceId: DeviceId,
  body: Uint8Array,
  wanted: { readonly fromMs: number; readonly toMs: number } = EVER,
): StoredSample[] {
  const reader = new ByteReader(body)
  const count = startOf(reader)
  const layouts = readLayouts(reader)
  const times = readNumbers(reader, count)
  const first = lowerBound(times, wanted.fromMs)
  const end = lowerBound(times, wanted.toMs)
  if (first >= end) return []
  const stored = readNumbers(reader, count)
  const which = readNumbers(reader, count)
  const columns = readColumns(reader, countsOf(layouts, which))
  const layoutAt = (index: number) => {
    const layout = layouts[which[index] ?? -1]
    if (!layout) throw new RangeError('a sample without a layout')
    return layout
  }
  for (let index = 0; index < first; index++) for (const type of layoutAt(index).types) columnOf(columns, type).at++
  return Array.from({ length: end - first }, (_, offset) => {
    const index = first + offset
    const { id, types } = layoutAt(index)
    const numbers: number[] = []
    const texts: string[] = []
    for (const type of types) {
      const column = columnOf(columns, type)
      if (column.texts) texts.push(column.texts[column.at] ?? '')
      for (const part of column.numbers) numbers.push(part[column.at] ?? 0)
      column.at++
    }
    const storedUs = (stored[index] ?? 0) + STORED_EPOCH_US
    return { deviceId, timeMs: times[index] ?? 0, types, numbers, texts, storedUs, layoutId: id }
  })
}

const EVER = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

/** The values of one event type from a body, with the time of each. */
interface SealedValues {
  readonly timesMs: Float64Array
  /** Longitude and latitude of a GEO, one of any other; none of a STRING. */
  readonly numbers: readonly Float64Array[]
}

/** Reads the numbers of one event type, and nothing else. @throws Error as before */
export function valuesOfBody(body: Uint8Array, wanted: EventTypeId): SealedValues {
  const reader = new ByteReader(body)
  const count = startOf(reader)
  const layouts = readLayouts(reader)
  const times = readNumbers(reader, count)
  skipNumbers(reader)
  const which = readNumbers(reader, count)
  const has = layouts.map(({ types }) => types.includes(wanted))
  const timesMs = times.filter((_, index) => has[which[index] ?? -1])
  const numbers = readColumns(reader, new Map([[wanted, timesMs.length]])).get(wanted)?.numbers
  return { timesMs, numbers: numbers ?? [] }
}

function startOf(reader: ByteReader): number {
  const version = reader.byte()
  if (version !== VERSION) throw new Error(`a sealed day of version ${version}, which this program does not know`)
  return reader.whole()
}

interface SealedLayout {
  readonly id: number
  readonly types: readonly EventTypeId[]
}

/** The layouts of a day: the id, and the types, so that a body can be read by itself. */
class LayoutTable {
  readonly #places = new Map<string, number>()
  readonly #layouts: SealedLayout[] = []

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

function readLayouts(reader: ByteReader): SealedLayout[] {
  return Array.from({ length: reader.whole() }, () => {
    const id = reader.whole()
    let type = 0
    const types = Array.from({ length: reader.whole() }, () => eventTypeById((type += reader.whole())).id)
    return { id, types }
  })
}

interface Column {
  /** One for each number of a value; none of texts. */
  readonly numbers: number[][]
  readonly texts: string[]
}

function columnsOf(samples: readonly StoredSample[]): Map<EventTypeId, Column> {
  const columns = new Map<EventTypeId, Column>()
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

interface ReadColumn {
  readonly numbers: readonly Float64Array[]
  readonly texts: readonly string[] | undefined
  /** Which value comes next. */
  at: number
}

/** How many values each type has. */
function countsOf(layouts: readonly SealedLayout[], which: Float64Array): Map<EventTypeId, number> {
  const samples = new Float64Array(layouts.length)
  for (const place of which) samples[place] = (samples[place] ?? 0) + 1
  const counts = new Map<EventTypeId, number>()
  for (const [place, { types }] of layouts.entries())
    for (const type of types) counts.set(type, (counts.get(type) ?? 0) + (samples[place] ?? 0))
  return counts
}

/** Only the columns of which a count is given. */
function readColumns(reader: ByteReader, counts: ReadonlyMap<EventTypeId, number>): Map<EventTypeId, ReadColumn> {
  const columns = new Map<EventTypeId, ReadColumn>()
  for (let left = reader.whole(); left > 0; left--) {
    const { id } = eventTypeById(reader.whole())
    const width = reader.byte()
    const count = counts.get(id)
    if (count === undefined) skipColumn(reader, width)
    else
      columns.set(id, {
        texts: width === 0 ? readTexts(reader, count) : undefined,
        numbers: Array.from({ length: width }, () => readNumbers(reader, count)),
        at: 0,
      })
  }
  return columns
}

function skipColumn(reader: ByteReader, width: number): void {
  if (width === 0) skipTexts(reader)
  for (let part = 0; part < width; part++) skipNumbers(reader)
}

function columnOf(columns: ReadonlyMap<EventTypeId, ReadColumn>, type: EventTypeId): ReadColumn {
  const column = columns.get(type)
  if (!column) throw new RangeError(`no values of type ${type}`)
  return column
}

/** The first place of a time that is not before this one. */
function lowerBound(times: Float64Array, timeMs: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] ?? 0) < timeMs) low = middle + 1
    else high = middle
  }
  return low
}
