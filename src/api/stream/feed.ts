import { ChangeReader } from './change-reader.ts'
import type { EventStream } from './event-stream.ts'
import { frameBytes } from './frames.ts'
import type { Source } from './source.ts'

interface Follower {
  readonly stream: EventStream
  readonly leave: () => void
}

/**
 * Streams with the same selection that are up to date: changes are read and rendered once for all of them. A
 * stream that does not receive its frames in time leaves. When the last one has left, the feed is over, and its running
 * query is cancelled.
 */
export class Feed {
  readonly #sources: readonly Source[]
  readonly #over = new AbortController()
  /** Streams that wait for the next round, so that none joins in the middle of one. */
  readonly #joining = new Set<Follower>()
  readonly #followers = new Set<Follower>()
  #reader: ChangeReader | undefined

  /** @param sourcesUntil makes the sources, whose reads are cancelled when the signal aborts */
  constructor(sourcesUntil: (over: AbortSignal) => readonly Source[]) {
    this.#sources = sourcesUntil(this.#over.signal)
  }

  /** Aborts when the last stream has left; then no stream can join. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  /** Resolves when the stream leaves: because it has ended, or because it fell behind. */
  carry(stream: EventStream): Promise<void> {
    return new Promise(resolve => {
      const leave = () => {
        stream.gone.removeEventListener('abort', leave)
        this.#joining.delete(follower)
        this.#followers.delete(follower)
        if (this.#joining.size === 0 && this.#followers.size === 0)
          this.#over.abort(new Error('nobody follows any more'))
        resolve()
      }
      const follower = { stream, leave }
      this.#joining.add(follower)
      stream.gone.addEventListener('abort', leave)
      if (stream.isEnded) leave()
    })
  }

  /** A round: sends what has changed, everything up to the low watermark included. @throws the database's errors. */
  async advance(lowWatermark: string): Promise<void> {
    this.#admit()
    const reader = this.#reader
    if (!reader) return
    try {
      for await (const frame of reader.advance(lowWatermark)) {
        const bytes = frameBytes(frame)
        for (const { stream } of this.#followers) stream.sendBytes(bytes, frame.id)
        for (const { stream, leave } of this.#followers) if (stream.isBehind) leave()
        if (this.#followers.size === 0) return
      }
    } catch (error) {
      if (this.#over.signal.aborted) return
      throw error
    }
    for (const { stream } of this.#followers) stream.reached(reader.revision)
  }

  /** What joining streams have not seen is read again: sending something twice is allowed, missing it is not. */
  #admit(): void {
    for (const follower of this.#joining) {
      const { position } = follower.stream
      if (this.#reader && this.#followers.size > 0) this.#reader.rewind(position)
      else this.#reader = new ChangeReader(this.#sources, position)
      this.#followers.add(follower)
    }
    this.#joining.clear()
  }
}
