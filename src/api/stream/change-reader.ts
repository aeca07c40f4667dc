import { type Frame, frameTexts } from './frames.ts'
import type { Change, Place, Source } from './source.ts'

interface Progress {
  readonly source: Source
  place: Place
  /** Revisions beyond the low watermark of changes that were in the walk before this one. */
  sent: ReadonlySet<string>
  /** The same of this walk. */
  beyond: Set<string>
}

/**
 * Reads what changed in several resources, and makes frames of it. An object may change, and be read, beyond the safe
 * point while a slow transaction is open; so it is found again by every walk until the low watermark has passed it, and
 * left out.
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

  /** Reads again what is newer, for somebody who has seen nothing beyond this revision. */
  rewind(revision: string): void {
    for (const part of this.#progress) {
      part.place = { revision: revision < part.place.revision ? revision : part.place.revision, cursor: undefined }
      part.sent = new Set()
      part.beyond = new Set()
    }
  }

  /**
   * Reads each resource up to the low watermark, always a page of the one that is furthest behind, so that ids go on also
   * on a long way. A frame is held back until it is known whether another one follows: the last one tells how far it went.
   * @throws the database's errors; nothing of what was read before is lost, and the next call goes on.
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
