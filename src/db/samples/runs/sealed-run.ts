import type { DeviceId, Sample } from '../../../model/sample.ts'
import type { TimeRange } from '../../../model/time-range.ts'
import type { UnpackedBody } from '../sealed/unpacked-body.ts'
import { type LaidOut, LiveSamples } from './live-samples.ts'
import type { SampleRun } from './sample-run.ts'
import type { WantedTypes } from './wanted-types.ts'

/** A sealed day, or a part of it. Only columns of wanted types are unpacked. */
export class SealedRun implements SampleRun {
  nextMs: number
  readonly #body: UnpackedBody
  #place: number
  readonly #end: number
  readonly #samples: LiveSamples
  /** Of the sample before. */
  #laidOut: LaidOut | undefined

  constructor(deviceId: DeviceId, body: UnpackedBody, range: TimeRange, wanted: WantedTypes) {
    const { first, end } = body.placesIn(range)
    this.#body = body
    this.#place = first
    this.#end = end
    this.#samples = new LiveSamples(deviceId, wanted)
    this.nextMs = this.#timeMs()
  }

  next(): Sample {
    const place = this.#place
    const body = this.#body
    const layout = body.layoutAt(place)
    const laidOut = this.#laidOut?.layout === layout ? this.#laidOut : (this.#laidOut = this.#samples.of(layout))
    const { sample, numbers, wanted } = laidOut
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
}
