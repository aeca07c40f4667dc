import type { EventTypeId } from '../../catalogue/event-types.ts'
import type { DeviceId, Sample } from '../../intake/sample.ts'

/**
 * Samples of one device that wait, in few long arrays: as an object each, hundreds of thousands of them would keep the
 * garbage collector busy. Numbers are outside of its heap, so that they are not moved about while they wait.
 */
export class SampleQueue {
  /** Of each sample its time, and where its numbers and its texts end. */
  #heads = new Float64Array(SAMPLES_AT_FIRST * HEAD)
  #numbers = new Float64Array(0)
  #numberCount = 0
  readonly #texts: string[] = []
  readonly #types: (readonly EventTypeId[])[] = []

  get length(): number {
    return this.#types.length
  }

  push({ timeMs, types, numbers, texts }: Sample): void {
    const head = this.length * HEAD
    this.#heads = withRoom(this.#heads, head + HEAD)
    if (head === 0) this.#numbers = new Float64Array(SAMPLES_AT_FIRST * numbers.length)
    this.#numbers = withRoom(this.#numbers, this.#numberCount + numbers.length)
    for (const number of numbers) this.#numbers[this.#numberCount++] = number
    for (const text of texts) this.#texts.push(text)
    this.#heads[head] = timeMs
    this.#heads[head + 1] = this.#numberCount
    this.#heads[head + 2] = this.#texts.length
    this.#types.push(types)
  }

  /** In the order in which they were pushed. */
  samplesOf(deviceId: DeviceId): Sample[] {
    let number = 0
    let text = 0
    return this.#types.map((types, index) => {
      const head = index * HEAD
      const numbersEnd = this.#heads[head + 1] ?? number
      const textsEnd = this.#heads[head + 2] ?? text
      const numbers = numbersBetween(this.#numbers, number, numbersEnd)
      const texts = textsEnd === text ? NO_TEXTS : this.#texts.slice(text, textsEnd)
      number = numbersEnd
      text = textsEnd
      return { deviceId, timeMs: this.#heads[head] ?? 0, types, numbers, texts }
    })
  }
}

type Doubles = Float64Array<ArrayBuffer>

const HEAD = 3
const SAMPLES_AT_FIRST = 8
const NO_TEXTS: readonly string[] = []

/** @returns the array itself, or a larger copy of it */
function withRoom(array: Doubles, length: number): Doubles {
  if (length <= array.length) return array
  const larger = new Float64Array(Math.max(length, array.length * 2))
  larger.set(array)
  return larger
}

/** An array of doubles to copy from: filled one by one, each would be made several times while it grows. */
const scratch: number[] = Array.from({ length: 256 }, () => 0.5)

function numbersBetween(array: Doubles, from: number, to: number): number[] {
  for (let index = from; index < to; index++) scratch[index - from] = array[index] as number
  return scratch.slice(0, to - from)
}
