import { type Frame, frameTexts } from './frames.ts'
import type { Change, Place, Source } from './source.ts'

interface Progress {
  readonly source: Source
  place: Place
  /** Revisions beyond the low watermark that the previous walk contained. */
  sent: ReadonlySet<string>
  /** The same for this walk. */
  beyond: Set<string>
}

/**
 * Reads what changed in several resources and turns it into frames. While a slow transaction is open, objects beyond the
 * low watermark may change and be read; every walk finds them again until the low watermark has passed them, and leaves
 * them out.
 */
export class ChangeReader {
  readonly #progress: readonly Progress[]
  /** Where it began; without any resource it stays there. */
  readonly #start: string

  constructor(sources: readonly Source[], revision: string) {
    this.#start = revision
    this.#progress = sources.map(source => ({
      source,
      place: { revision, cursor: undefined },
      sent: new Set(),
      beyond: new Set(),
    }))
  }

  /** Everything up to this revision has been read, of all resources. */
  get revision(): string {
    const [first = this.#start, ...others] = this.#progress.map(({ place }) => place.revision)
    return others.reduce((a, b) => (a < b ? a : b), first)
  }

  /** Reads everything newer once more, for a client that has seen nothing beyond this revision. */
  rewind(revision: string): void {
    for (const part of this.#progress) {
      part.place = { revision: revision < part.place.revision ? revision : part.place.revision, cursor: undefined }
      part.sent = new Set()
      part.beyond = new Set()
    }
  }

  /**
   * Reads each resource up to the low watermark, always a page of the one that is furthest behind, so that ids advance
   * during a long read, too. A frame is held back until it is known whether another one follows: the last one carries the id.
   * @throws the database's errors; nothing that was read before is lost, and the next call continues.
   */
  async *advance(lowWatermark: string): AsyncGenerator<Frame> {
    const pending = new Set(this.#progress)
    let held: Frame | undefined
    try {
      for (let part = leastOf(pending); part; part = leastOf(pending)) {
        const texts = await this.#readPage(part, lowWatermark)
        if (part.place.cursor === undefined) pending.delete(part)
        for (const text of texts) {
          if (held) yield held
          held = { text, id: undefined }
        }
        if (held) held = { ...held, id: this.revision }
      }
    } catch (error) {
      if (held) yield held
      throw error
    }
    if (held) yield held
  }

  async #readPage(part: Progress, lowWatermark: string): Promise<string[]> {
    const { changes, place } = await part.source.read(part.place, lowWatermark)
    const unsent = changes.filter(({ modified }) => modified === undefined || !part.sent.has(modified))
    for (const revision of revisionsBeyond(changes, place.cursor === undefined ? place.revision : lowWatermark))
      part.beyond.add(revision)
    part.place = place
    if (place.cursor === undefined) {
      part.sent = part.beyond
      part.beyond = new Set()
    }
    return [...frameTexts(part.source.name, unsent)]
  }
}

function leastOf(parts: Iterable<Progress>): Progress | undefined {
  let least: Progress | undefined
  for (const part of parts) if (!least || part.place.revision < least.place.revision) least = part
  return least
}

function revisionsBeyond(changes: readonly Change[], revision: string): string[] {
  return changes.flatMap(({ modified }) => (modified !== undefined && modified > revision ? [modified] : []))
}
