import { Signal } from '../../../lib/signal.ts'
import type { TakenFrame } from './take-frame.ts'

interface Place {
  readonly bytes: number
  taken: TakenFrame | undefined
}

/**
 * Frames of one connection that are being stored: they are answered in order, and their number is limited. A
 * fleet that reconnects has a frame of each dongle here, so each must cost little.
 */
export class TcpAnswers {
  readonly #most: number
  readonly #answer: (taken: TakenFrame, bytes: number) => void
  readonly #places: Place[] = []
  readonly #answered = new Signal()

  /** @param answer called for each frame, with its length, when the frames before it are answered */
  constructor(most: number, answer: (taken: TakenFrame, bytes: number) => void) {
    this.#most = most
    this.#answer = answer
  }

  get inFlight(): number {
    return this.#places.length
  }

  /** The total length of these frames. */
  get bytes(): number {
    return this.#places.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  get hasRoom(): boolean {
    return this.#places.length < this.#most
  }

  /** Adds a frame of that length. @returns a function to call with its outcome */
  add(bytes: number): (taken: TakenFrame) => void {
    const place: Place = { bytes, taken: undefined }
    this.#places.push(place)
    return taken => {
      place.taken = taken
      this.#answerInTurn()
    }
  }

  /** Resolves when another frame may be added. */
  async room(): Promise<void> {
    while (!this.hasRoom) await this.#answered.wait()
  }

  /** Resolves when all frames are answered. */
  async settled(): Promise<void> {
    while (this.#places.length > 0) await this.#answered.wait()
  }

  #answerInTurn(): void {
    for (let [first] = this.#places; first?.taken; [first] = this.#places) {
      this.#places.shift()
      this.#answer(first.taken, first.bytes)
    }
    this.#answered.emit()
  }
}
