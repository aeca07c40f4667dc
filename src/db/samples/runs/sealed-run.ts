import type { DeviceId, Sample } from '../../../model/sample.ts'
import type { SampleLayout } from '../../../model/sample-layout.ts'
import type { TimeRange } from '../../../model/time-range.ts'
import type { UnpackedBody } from '../sealed/unpacked-body.ts'
import type { LiveSample, SampleRun } from './sample-run.ts'
import type { WantedTypes } from './wanted-types.ts'

/** A sealed day, or a part of it. Only columns of wanted types are unpacked. */
export class SealedRun implements SampleRun {
  nextMs: number
  readonly #deviceId: DeviceId
  readonly #body: UnpackedBody
  #place: number
  readonly #end: number
  readonly #wanted: WantedTypes
  readonly #samples = new Map<SampleLayout, LaidOut>()
  /** Of the sample before. */
  #laidOut: LaidOut | undefined

  constructor(deviceId: DeviceId, body: UnpackedBody, range: TimeRange, wanted: WantedTypes) {
    const { first, end } = body.placesIn(range)
    this.#deviceId = deviceId
    this.#body = body
    this.#place = first
    this.#end = end
    this.#wanted = wanted
    this.nextMs = this.#timeMs()
  }

  next(): Sample {
    const place = this.#place
    const body = this.#body
    const layout = body.layoutAt(place)
    const { sample, numbers, wanted } = this.#laidOut?.layout === layout ? this.#laidOut : this.#layOut(layout)
    body.copyWantedAt(place, numbers, wanted)
    if (layout.textCount > 0) sample.texts = body.textsAt(place)
    sample.timeMs = this.nextMs
    this.skip()
    return sample
  }

  skip(): void {
    this.#place++
    this.nextMs = this.#timeMs()
  }

  #timeMs(): number {
    return this.#place < this.#end ? this.#body.timeMsAt(this.#place) : Number.POSITIVE_INFINITY
  }

  /** The sample of a layout, which others of that layout are written over. */
  #layOut(layout: SampleLayout): LaidOut {
    const known = this.#samples.get(layout)
    if (known) return (this.#laidOut = known)
    const numbers = Array.from({ length: layout.numberCount }, () => Number.NaN)
    const sample = { deviceId: this.#deviceId, timeMs: Number.NaN, types: layout.types, numbers, texts: [] }
    const made = { layout, sample, numbers, wanted: this.#wanted.numbersOf(layout) }
    this.#samples.set(layout, made)
    return (this.#laidOut = made)
  }
}

interface LaidOut {
  readonly layout: SampleLayout
  readonly sample: LiveSample
  readonly numbers: number[]
  readonly wanted: readonly boolean[]
}
