import type { EventTypeId } from '../../catalogue/event-types.ts'
import type { DeviceId, Sample } from '../../model/sample.ts'

/**
 * The waiting samples of one device, in a few long arrays: hundreds of thousands of objects would keep the
 * garbage collector busy. Numbers are outside of its heap, so that they are not moved while they wait, in pieces
 * that are reused, because freeing memory outside of the heap triggers the collector, too.
 */
export class SampleQueue {
  /** For each sample its time, the number of its numbers and texts, and the numbers. */
  readonly #pieces: Doubles[] = []
  /** Offset of the free part of the last piece. */
  #end = 0
  readonly #texts: string[] = []
  readonly #types: (readonly EventTypeId[])[] = []

  get length(): number {
    return this.#types.length
  }

  push({ timeMs, types, numbers, texts }: Sample): void {
    const piece = this.#pieceWithRoom(HEAD + numbers.length)
    piece[this.#end++] = timeMs
    piece[this.#end++] = numbers.length
    piece[this.#end++] = texts.length
    for (const number of numbers) piece[this.#end++] = number
    for (const text of texts) this.#texts.push(text)
    this.#types.push(types)
  }

  /** In the order in which they were pushed. */
  samplesOf(deviceId: DeviceId): Sample[] {
    let piece = 0
    let at = 0
    let text = 0
    return this.#types.map(types => {
      if (isEnd(this.#pieces[piece], at)) {
        piece++
        at = 0
      }
      const doubles = this.#pieces[piece] ?? NOTHING
      const timeMs = doubles[at] ?? 0
      const numbersAt = at + HEAD
      at = numbersAt + (doubles[at + 1] ?? 0)
      const textsEnd = text + (doubles[numbersAt - 1] ?? 0)
      const texts = textsEnd === text ? NO_TEXTS : this.#texts.slice(text, textsEnd)
      text = textsEnd
      return { deviceId, timeMs, types, numbers: numbersBetween(doubles, numbersAt, at), texts }
    })
  }

  /** Gives its memory to other queues. Do not use it afterwards. */
  release(): void {
    for (const piece of this.#pieces) if (piece.length === PIECE_DOUBLES && spare.length < MOST_SPARE) spare.push(piece)
    this.#pieces.length = 0
  }

  #pieceWithRoom(doubles: number): Doubles {
    const last = this.#pieces.at(-1)
    if (last && this.#end + doubles <= last.length) return last
    if (last && this.#end < last.length) last[this.#end] = Number.NaN
    const next = doubles > PIECE_DOUBLES ? new Float64Array(doubles) : (spare.pop() ?? new Float64Array(PIECE_DOUBLES))
    this.#pieces.push(next)
    this.#end = 0
    return next
  }
}

type Doubles = Float64Array<ArrayBuffer>

const HEAD = 3
/** Two kilobytes: some ten samples of a drive, and not too much for a dongle that sent one. */
const PIECE_DOUBLES = 256
/** 16 megabytes. */
const MOST_SPARE = 8192
const spare: Doubles[] = []

const NO_TEXTS: readonly string[] = []
const NOTHING = new Float64Array(0)

/** Marks that the rest of a piece was too small for the next sample: no time is NaN. */
function isEnd(piece: Doubles | undefined, at: number): boolean {
  return piece !== undefined && (at >= piece.length || Number.isNaN(piece[at]))
}

/** An array of doubles to copy from: one filled element by element would be reallocated several times while it grows. */
const scratch: number[] = Array.from({ length: 256 }, () => 0.5)

function numbersBetween(doubles: Doubles, from: number, to: number): number[] {
  for (let index = from; index < to; index++) scratch[index - from] = doubles[index] as number
  return scratch.slice(0, to - from)
}
