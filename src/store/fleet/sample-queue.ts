import type { EventTypeId } from '../../catalogue/event-types.ts'
import type { DeviceId, Sample } from '../../intake/sample.ts'

/**
 * Samples of one device that wait, in few long arrays: as an object each, hundreds of thousands of them would keep the
 * garbage collector busy.
 */
export class SampleQueue {
  readonly #timesMs: number[] = []
  readonly #types: (readonly EventTypeId[])[] = []
  readonly #numbers: number[] = []
  /** Where the numbers of the next sample begin. */
  readonly #numbersEnd: number[] = []
  readonly #texts: (readonly string[])[] = []

  get length(): number {
    return this.#timesMs.length
  }

  push({ timeMs, types, numbers, texts }: Sample): void {
    this.#timesMs.push(timeMs)
    this.#types.push(types)
    for (const number of numbers) this.#numbers.push(number)
    this.#numbersEnd.push(this.#numbers.length)
    this.#texts.push(texts.length === 0 ? NO_TEXTS : texts)
  }

  /** In the order in which they were pushed. */
  samplesOf(deviceId: DeviceId): Sample[] {
    let begin = 0
    return this.#timesMs.map((timeMs, index) => {
      const end = this.#numbersEnd[index] ?? begin
      const numbers = this.#numbers.slice(begin, end)
      begin = end
      return { deviceId, timeMs, types: this.#types[index] ?? [], numbers, texts: this.#texts[index] ?? NO_TEXTS }
    })
  }
}

const NO_TEXTS: readonly string[] = []
