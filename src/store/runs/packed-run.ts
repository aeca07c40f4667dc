import { type Layouts, OWN_LAYOUT_ID } from '../../db/layouts.ts'
import { textItems } from '../../db/values.ts'
import { type DeviceId, type Sample, SampleLayout } from '../../model/sample.ts'
import { packedLength, unpackNumbers, unpackNumbersInto } from '../packed-numbers.ts'
import { msOfPostgres } from '../packed-samples.ts'
import { type LaidOut, LiveSamples } from './live-samples.ts'
import type { SampleRun } from './sample-run.ts'
import type { WantedTypes } from './wanted-types.ts'

/** Samples of a device as rows give them, each column with the values of all of them, one after the other. */
interface PackedColumns {
  readonly deviceId: DeviceId
  /** The time in microseconds since 2000, and the id of the layout. */
  readonly heads: Buffer
  readonly numbers: Buffer
  /** Of those samples that have any. A self-describing one tells its layout first. */
  readonly texts: Buffer
}

const HEAD_BYTES = 12
const LAYOUT_AT = 8

/** What is known of samples before any of them is unpacked. */
export interface Extent {
  readonly count: number
  /** Of the last one. */
  readonly lastMs: number
  /** As a rule, they are stored in the order of time. */
  readonly isInOrder: boolean
  /** Some may be there twice. */
  readonly layoutIds: readonly number[]
}

export function extentOf({ heads }: PackedColumns): Extent {
  const view = viewOf(heads)
  const layoutIds: number[] = []
  let [lastMs, beforeMs, lastId] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN]
  let isInOrder = true
  for (let at = 0; at < heads.length; at += HEAD_BYTES) {
    const timeMs = timeMsIn(view, at)
    const id = view.getInt32(at + LAYOUT_AT)
    if (id !== lastId) layoutIds.push((lastId = id))
    if (timeMs < beforeMs) isInOrder = false
    if (timeMs > lastMs) lastMs = timeMs
    beforeMs = timeMs
  }
  return { count: heads.length / HEAD_BYTES, lastMs, isInOrder, layoutIds }
}

function timeMsIn(heads: DataView, at: number): number {
  return msOfPostgres(heads.getInt32(at) * 2 ** 32 + heads.getUint32(at + 4))
}

/** The same in the order of time. */
function inOrder({ deviceId, heads, numbers, texts }: PackedColumns, layouts: Pick<Layouts, 'byId'>): PackedColumns {
  const times = viewOf(heads)
  let [numbersAt, textAt] = [0, 0]
  const samples = Array.from({ length: heads.length / HEAD_BYTES }, (_, index) => {
    const head = heads.subarray(index * HEAD_BYTES, (index + 1) * HEAD_BYTES)
    const id = head.readInt32BE(LAYOUT_AT)
    const layout = id === OWN_LAYOUT_ID ? layoutOf(textsAt(texts, textAt)[0]) : layouts.byId(id)
    const numbersEnd = numbersAt + packedLength(numbers, layout.numberCount, numbersAt)
    const textsEnd = id === OWN_LAYOUT_ID || layout.textCount > 0 ? behindTexts(texts, textAt) : textAt
    const timeMs = timeMsIn(times, index * HEAD_BYTES)
    const own = {
      timeMs,
      head,
      numbers: numbers.subarray(numbersAt, numbersEnd),
      texts: texts.subarray(textAt, textsEnd),
    }
    numbersAt = numbersEnd
    textAt = textsEnd
    return own
  }).sort((a, b) => a.timeMs - b.timeMs)
  return {
    deviceId,
    heads: Buffer.concat(samples.map(sample => sample.head)),
    numbers: Buffer.concat(samples.map(sample => sample.numbers)),
    texts: Buffer.concat(samples.map(sample => sample.texts)),
  }
}

/** They are unpacked where they are. Only numbers of wanted types are read. */
export class PackedRun implements SampleRun {
  nextMs: number
  readonly #deviceId: DeviceId
  readonly #layouts: Pick<Layouts, 'byId'>
  readonly #heads: DataView
  readonly #headsEnd: number
  readonly #packed: Buffer
  readonly #numbers: DataView
  readonly #texts: Buffer
  readonly #samples: LiveSamples
  /** Of the sample before. */
  #layoutId = Number.NaN
  #laidOut: LaidOut | undefined
  #headAt = 0
  #numbersAt = 0
  #textsAt = 0

  /** @param layouts know those of the samples */
  constructor(
    columns: PackedColumns,
    { isInOrder }: Pick<Extent, 'isInOrder'>,
    layouts: Pick<Layouts, 'byId'>,
    wanted: WantedTypes,
  ) {
    const { deviceId, heads, numbers, texts } = isInOrder ? columns : inOrder(columns, layouts)
    this.#deviceId = deviceId
    this.#layouts = layouts
    this.#samples = new LiveSamples(deviceId, wanted)
    this.#heads = viewOf(heads)
    this.#headsEnd = heads.length
    this.#packed = numbers
    this.#numbers = viewOf(numbers)
    this.#texts = texts
    this.nextMs = this.#timeMs()
  }

  next(): Sample {
    const id = this.#heads.getInt32(this.#headAt + LAYOUT_AT)
    if (id === OWN_LAYOUT_ID) return this.#nextOwn()
    const laidOut = this.#laidOut && id === this.#layoutId ? this.#laidOut : this.#layOut(id)
    const { layout, sample, numbers, wanted } = laidOut
    sample.timeMs = this.nextMs
    this.#numbersAt = unpackNumbersInto(numbers, this.#numbers, this.#numbersAt, wanted, this.#packed.length)
    if (layout.textCount > 0) {
      sample.texts = textsAt(this.#texts, this.#textsAt)
      this.#textsAt = behindTexts(this.#texts, this.#textsAt)
    }
    this.#goOn()
    return sample
  }

  skip(): void {
    this.next()
  }

  #nextOwn(): Sample {
    const [layoutText, ...texts] = textsAt(this.#texts, this.#textsAt)
    const { types, numberCount } = layoutOf(layoutText)
    const numbers = unpackNumbers(this.#packed, numberCount, this.#numbersAt)
    const sample = { deviceId: this.#deviceId, timeMs: this.nextMs, types, numbers, texts }
    this.#numbersAt += packedLength(this.#packed, numberCount, this.#numbersAt)
    this.#textsAt = behindTexts(this.#texts, this.#textsAt)
    this.#goOn()
    return sample
  }

  #goOn(): void {
    this.#headAt += HEAD_BYTES
    this.nextMs = this.#timeMs()
  }

  #timeMs(): number {
    const at = this.#headAt
    if (at >= this.#headsEnd) return Number.POSITIVE_INFINITY
    return timeMsIn(this.#heads, at)
  }

  #layOut(id: number): LaidOut {
    this.#layoutId = id
    return (this.#laidOut = this.#samples.of(this.#layouts.byId(id)))
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength)
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
