import { EVENT_TYPES, type EventTypeId } from '../../catalogue/event-types.ts'
import { numbersPerValue, type Sample, SampleLayout } from '../../model/sample.ts'
import { ByteWriter } from './bytes.ts'
import { writeNumbers } from './number-column.ts'
import { writeTexts } from './text-column.ts'

/** A sample with everything that its row has. */
export interface StoredSample extends Sample {
  /** The revision of its last write, in microseconds since 1970. */
  readonly storedUs: number
  /** 0: it describes itself. */
  readonly layoutId: number
}

/**
 * The samples of a device and day as one body (docs/data-model.md has a drawing; `UnpackedBody` reads it). All times, all revisions,
 * which layout each sample has, then the values by event type, whatever the layout of their samples, because a value resembles the one
 * before.
 */
export const SEALED_VERSION = 1

/** The revisions are differences from 2000 on, so that they fit for centuries. */
export const STORED_EPOCH_US = Date.UTC(2000, 0, 1) * 1000

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

/** The layout of a sample: its id, and its types. */
export interface SealedLayout {
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
