import type { DeviceId, Sample } from '../../../model/sample.ts'
import { SampleLayout } from '../../../model/sample-layout.ts'
import { textItems } from '../../values.ts'
import { packedLength, unpackNumbers, unpackNumbersInto } from '../packed-numbers.ts'
import type { LiveSample, SampleRun } from './sample-run.ts'
import type { WantedTypes } from './wanted-types.ts'

/** Samples of one layout as rows give them: their packed numbers one after the other, and their texts, where they have any. */
export interface PackedColumns {
  readonly deviceId: DeviceId
  readonly timesMs: Float64Array
  readonly numbers: Buffer
  readonly texts: Buffer
}

/**
 * The same in the order of time: as a rule, they are stored in it.
 * @param layout undefined: each tells its own
 */
export function inOrder(columns: PackedColumns, layout: SampleLayout | undefined): PackedColumns {
  const { timesMs, numbers, texts } = columns
  if (isAscending(timesMs)) return columns
  let [numbersAt, textAt] = [0, 0]
  const samples = Array.from(timesMs, timeMs => {
    const { numberCount, textCount } = layout ?? layoutOf(textsAt(texts, textAt)[0])
    const numbersEnd = numbersAt + packedLength(numbers, numberCount, numbersAt)
    const textsEnd = layout && textCount === 0 ? textAt : behindTexts(texts, textAt)
    const own = { timeMs, numbers: numbers.subarray(numbersAt, numbersEnd), texts: texts.subarray(textAt, textsEnd) }
    numbersAt = numbersEnd
    textAt = textsEnd
    return own
  }).sort((a, b) => a.timeMs - b.timeMs)
  return {
    ...columns,
    timesMs: Float64Array.from(samples, ({ timeMs }) => timeMs),
    numbers: Buffer.concat(samples.map(sample => sample.numbers)),
    texts: Buffer.concat(samples.map(sample => sample.texts)),
  }
}

function isAscending(timesMs: Float64Array): boolean {
  for (let index = 1; index < timesMs.length; index++)
    if ((timesMs[index] as number) < (timesMs[index - 1] as number)) return false
  return true
}

/** They are unpacked where they are. Only numbers of wanted types are read. */
export class PackedRun implements SampleRun {
  nextMs: number
  readonly #columns: PackedColumns
  readonly #numbers: DataView
  readonly #layout: SampleLayout
  readonly #wanted: readonly boolean[]
  readonly #sample: LiveSample
  readonly #into: number[]
  #index = 0
  #numbersAt = 0
  #textsAt = 0

  constructor(columns: PackedColumns, layout: SampleLayout, wanted: WantedTypes) {
    const { deviceId, timesMs, numbers } = columns
    this.#columns = columns
    this.nextMs = timesMs[0] ?? Number.POSITIVE_INFINITY
    this.#numbers = new DataView(numbers.buffer, numbers.byteOffset, numbers.byteLength)
    this.#layout = layout
    this.#wanted = wanted.numbersOf(layout)
    this.#into = Array.from({ length: layout.numberCount }, () => Number.NaN)
    this.#sample = { deviceId, timeMs: Number.NaN, types: layout.types, numbers: this.#into, texts: [] }
  }

  next(): Sample {
    const sample = this.#sample
    sample.timeMs = this.nextMs
    this.#numbersAt = unpackNumbersInto(this.#into, this.#numbers, this.#numbersAt, this.#wanted)
    if (this.#layout.textCount > 0) sample.texts = textsAt(this.#columns.texts, this.#textsAt)
    this.#goOn()
    return sample
  }

  skip(): void {
    const { numbers } = this.#columns
    this.#numbersAt += packedLength(numbers, this.#layout.numberCount, this.#numbersAt)
    this.#goOn()
  }

  #goOn(): void {
    const { texts, timesMs } = this.#columns
    if (this.#layout.textCount > 0) this.#textsAt = behindTexts(texts, this.#textsAt)
    this.nextMs = timesMs[++this.#index] ?? Number.POSITIVE_INFINITY
  }
}

/** Self-describing samples: each tells its layout. */
export class OwnRun implements SampleRun {
  nextMs: number
  readonly #columns: PackedColumns
  #index = 0
  #numbersAt = 0
  #textsAt = 0

  constructor(columns: PackedColumns) {
    this.#columns = columns
    this.nextMs = columns.timesMs[0] ?? Number.POSITIVE_INFINITY
  }

  next(): Sample {
    const { deviceId, timesMs, numbers, texts } = this.#columns
    const [layoutText, ...own] = textsAt(texts, this.#textsAt)
    const layout = layoutOf(layoutText)
    const { numberCount } = layout
    const ofSample = unpackNumbers(numbers, numberCount, this.#numbersAt)
    const sample = { deviceId, timeMs: this.nextMs, types: layout.types, numbers: ofSample, texts: own }
    this.#numbersAt += packedLength(numbers, numberCount, this.#numbersAt)
    this.#textsAt = behindTexts(texts, this.#textsAt)
    this.nextMs = timesMs[++this.#index] ?? Number.POSITIVE_INFINITY
    return sample
  }

  skip(): void {
    this.next()
  }
}

/** The layout of a self-describing sample. @param text its first one */
function layoutOf(text = '{}'): SampleLayout {
  return SampleLayout.ofText(text)
}

function textsAt(texts: Buffer, at: number): string[] {
  return textItems(texts.toString('utf8', at + 4, behindTexts(texts, at)))
}

function behindTexts(texts: Buffer, at: number): number {
  return at + 4 + texts.readInt32BE(at)
}
