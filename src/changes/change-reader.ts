import type { Change, ChangeSource, ReadPosition } from './source.ts'

export interface ChangeBatch {
  readonly kind: string
  readonly items: readonly string[]
  /** Everything up to this revision, of all kinds, has been read with this batch or before it. */
  readonly revision: string
}

interface Progress {
  readonly source: ChangeSource
  position: ReadPosition
  /** Revisions beyond the low watermark that the previous walk contained. */
  sent: ReadonlySet<string>
  /** The same for this walk. */
  beyond: Set<string>
}

/** Reads changes of several kinds of objects since a revision. During a slow transaction, objects beyond the low
 * watermark may be read and change; every walk finds them again and leaves them out until the watermark passes. */
export class ChangeReader {
  readonly #progress: readonly Progress[]
  /** Where it began; without any source it stays there. */
  readonly #start: string

  constructor(sources: readonly ChangeSource[], revision: string) {
    this.#start = revision
    this.#progress = sources.map(source => ({
      source,
      position: { revision, cursor: undefined },
      sent: new Set(),
      beyond: new Set(),
    }))
  }

  /** Everything up to this revision has been read, of all sources. */
  get revision(): string {
    const [first = this.#start, ...others] = this.#progress.map(({ position }) => position.revision)
    return others.reduce((a, b) => (a < b ? a : b), first)
  }

  /** Reads everything newer once more, for a client that has seen nothing beyond this revision. */
  rewind(revision: string): void {
    for (const part of this.#progress) {
      const known = part.position.revision
      part.position = { revision: revision < known ? revision : known, cursor: undefined }
      part.sent = new Set()
      part.beyond = new Set()
    }
  }

  /** Reads each source up to the low watermark, a page of the one furthest behind, so that revisions advance. A batch
   * is kept back, as pages without changes may raise its revision. @throws database errors; the next call continues */
  async *advance(lowWatermark: string): AsyncGenerator<ChangeBatch> {
    const unread = new Set(this.#progress)
    let batch: ChangeBatch | undefined
    try {
      for (let part = leastOf(unread); part; part = leastOf(unread)) {
        const items = await this.#readPage(part, lowWatermark)
        if (part.position.cursor === undefined) unread.delete(part)
        if (items.length > 0) {
          if (batch) yield batch
          batch = { kind: part.source.name, items, revision: this.revision }
        } else if (batch) batch = { ...batch, revision: this.revision }
      }
    } catch (error) {
      if (batch) yield batch
      throw error
    }
    if (batch) yield batch
  }

  async #readPage(part: Progress, lowWatermark: string): Promise<string[]> {
    const { changes, position } = await part.source.read(part.position, lowWatermark)
    const isEnd = position.cursor === undefined
    const unsent = changes.filter(({ modified }) => modified === undefined || !part.sent.has(modified))
    for (const revision of revisionsBeyond(changes, isEnd ? position.revision : lowWatermark)) part.beyond.add(revision)
    part.position = position
    if (isEnd) {
      part.sent = part.beyond
      part.beyond = new Set()
    }
    return unsent.map(({ json }) => json)
  }
}

function leastOf(parts: Iterable<Progress>): Progress | undefined {
  let least: Progress | undefined
  for (const part of parts) if (!least || part.position.revision < least.position.revision) least = part
  return least
}

function revisionsBeyond(changes: readonly Change[], revision: string): string[] {
  return changes.flatMap(({ modified }) => (modified !== undefined && modified > revision ? [modified] : []))
}
