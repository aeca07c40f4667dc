import type { DeviceId, Sample, SampleLayout } from '../../model/sample.ts'
import type { WantedTypes } from './wanted-types.ts'

/** A sample that is written over. */
type LiveSample = { -readonly [Field in keyof Sample]: Sample[Field] }

/** The sample of a layout, its numbers to be written, and which of them are wanted. */
export interface LaidOut {
  readonly layout: SampleLayout
  readonly sample: LiveSample
  readonly numbers: number[]
  readonly wanted: readonly boolean[]
}

/** One sample of each layout, which others of that layout are written over. */
export class LiveSamples {
  readonly #deviceId: DeviceId
  readonly #wanted: WantedTypes
  readonly #known = new Map<SampleLayout, LaidOut>()

  constructor(deviceId: DeviceId, wanted: WantedTypes) {
    this.#deviceId = deviceId
    this.#wanted = wanted
  }

  of(layout: SampleLayout): LaidOut {
    const known = this.#known.get(layout)
    if (known) return known
    const numbers = Array.from({ length: layout.numberCount }, () => Number.NaN)
    const sample = { deviceId: this.#deviceId, timeMs: Number.NaN, types: layout.types, numbers, texts: [] }
    const made = { layout, sample, numbers, wanted: this.#wanted.numbersOf(layout) }
    this.#known.set(layout, made)
    return made
  }
}
