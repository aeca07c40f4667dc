import { ChangeReader } from './change-reader.ts'
import type { EventStream } from './event-stream.ts'
import { frameBytes } from './frames.ts'
import type { Source } from './source.ts'

interface Follower {
  readonly stream: EventStream
  readonly leave: () => void
}

/**
 * Streams with the same selection that are up to date: what changes is read and rendered once for all of them. A
 * stream that does not take its frames in time leaves.
 */
export class Feed {
  readonly #sources: readonly Source[]
  /** Those who wait for the next round, so that nobody enters in the middle of one. */
  #joining: Follower[] = []
  #followers = new Set<Follower>()
  #reader: ChangeReader | undefined

  constructor(sources: readonly Source[]) {
    this.#sources = sources
  }

  /** Settles when the stream leaves: because it has ended, or because it is behind. */
  carry(stream: EventStream): Promise<void> {
    return new Promise(resolve => this.#joining.push({ stream, leave: resolve }))
  }

  /** Nobody follows any more; asked between rounds. */
  get isDeserted(): boolean {
    this.#dismiss()
    return this.#followers.size === 0 && this.#joining.length === 0
  }

  /** A round: sends what has changed, everything up to the safe point included. @throws the database's errors. */
  async advance(safePoint: string): Promise<void> {
    this.#admit()
    const reader = this.#reader
    if (!reader) return
    for await (const frame of reader.advance(safePoint)) {
      const bytes = frameBytes(frame)
      for (const { stream } of this.#followers) stream.sendBytes(bytes, frame.id)
      this.#dismiss()
      if (this.#followers.size === 0) return
    }
    for (const { stream } of this.#followers) stream.reached(reader.stamp)
  }

  /** What those who join have not seen is read again: being sent something twice is allowed, missing it is not. */
  #admit(): void {
    const joining = this.#joining
    this.#joining = []
    for (const follower of joining) {
      const { position } = follower.stream
      if (this.#reader && this.#followers.size > 0) this.#reader.rewind(position)
      else this.#reader = new ChangeReader(this.#sources, position)
      this.#followers.add(follower)
    }
  }

  #dismiss(): void {
    for (const follower of this.#followers)
      if (follower.stream.isEnded || follower.stream.isBehind) {
        this.#followers.delete(follower)
        follower.leave()
      }
  }
}
