import type { DeviceId, Sample } from '../../model/sample.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { ColumnMemory } from '../sealed/column-memory.ts'
import type { UnpackedBody } from '../sealed/unpacked-body.ts'
import { type LaidOut, LiveSamples } from './live-samples.ts'
import type { SampleRun } from './sample-run.ts'
import type { WantedTypes } from './wanted-types.ts'

/** Sealed days, or parts of them, one after the other. Only columns of wanted types are unpacked, when their day is reached. */
export class SealedRun implements SampleRun {
  nextMs = Number.POSITIVE_INFINITY
  readonly #bodies: readonly UnpackedBody[]
  readonly #range: TimeRange
  readonly #samples: LiveSamples
  readonly #memory: ColumnMemory | undefined
  #day = -1
  #body: UnpackedBody | undefined
  #place = 0
  #end = 0
  /** Of the sample before. */
  #laidOut: LaidOut | undefined

  /**
   * @param bodies in the order of time
   * @param memory in which each day is unpacked over the one before, where nobody else has the bodies
   */
  constructor(
    deviceId: DeviceId,
    bodies: readonly UnpackedBody[],
    range: TimeRange,
    wanted: WantedTypes,
    memory?: ColumnMemory,
  ) {
    this.#memory = memory
    this.#bodies = bodies
    this.#range = range
    this.#samples = new LiveSamples(deviceId, wanted)
    this.#goToNextDay()
  }

  next(): Sample {
    const place = this.#place
    const body = this.#body
    if (!body) throw new RangeError('no sample is left')
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
    if (++this.#place === this.#end) this.#goToNextDay()
    else if (this.#body) this.nextMs = this.#body.timeMsAt(this.#place)
  }

  #goToNextDay(): void {
    for (this.#day++; this.#day < this.#bodies.length; this.#day++) {
      const body = this.#bodies[this.#day] as UnpackedBody
      if (this.#memory) {
        this.#memory.reuse()
        body.unpackInto(this.#memory)
      }
      const { first, end } = body.placesIn(this.#range)
      if (first === end) continue
      this.#body = body
      this.#place = first
      this.#end = end
      this.nextMs = body.timeMsAt(first)
      return
    }
    this.#body = undefined
    this.nextMs = Number.POSITIVE_INFINITY
  }
}
