import type { TakenFrame } from './take-frame.ts'

/** Frames of one connection that are being stored: each is answered in its turn, and so many may be there at once. */
export class TcpAnswers {
  readonly #most: number
  #inFlight = 0
  #settled: Promise<void> = Promise.resolve()
  #onRoom: (() => void) | undefined

  constructor(most: number) {
    this.#most = most
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** Settles when all frames so far are answered. */
  get settled(): Promise<void> {
    return this.#settled
  }

  /** Settles when one more frame may come. */
  async room(): Promise<void> {
    while (this.#inFlight >= this.#most)
      await new Promise<void>(resolve => {
        this.#onRoom = resolve
      })
  }

  /** @param answer called when it is known what became of the frame, and the frames before it are answered */
  add(taken: Promise<TakenFrame>, answer: (taken: TakenFrame) => void): void {
    this.#inFlight++
    this.#settled = this.#answerAfter(this.#settled, taken, answer)
  }

  async #answerAfter(
    earlier: Promise<void>,
    taken: Promise<TakenFrame>,
    answer: (taken: TakenFrame) => void,
  ): Promise<void> {
    await earlier
    const result = await taken
    this.#inFlight--
    answer(result)
    this.#onRoom?.()
  }
}
