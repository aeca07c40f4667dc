import { type Frame, frameTexts } from './frames.ts'
import type { Change, Place, Source } from './source.ts'

interface Progress {
  readonly source: Source
  place: Place
  /** Stamps beyond the safe point of changes that were in the walk before this one. */
  sent: ReadonlySet<string>
  /** The same of this walk. */
  beyond: Set<string>
}

/**
 * Reads what changed in several resources, and makes frames of it. An object may change, and be read, beyond the safe
 * point while a slow transaction is open; so it is found again by every walk until the safe point has passed it, and
 * left out.
 */
export class ChangeReader {
  readonly #progress: readonly Progress[]
  /** Where it began; without any resource it stays there. */
  readonly #start: string

  constructor(sources: readonly Source[], stamp: string) {
    this.#start = stamp
    this.#progress = sources.map(source => ({
      source,
      place: { stamp, cursor: undefined },
      sent: new Set(),
      beyond: new Set(),
    }))
  }

  /** Everything up to this stamp has been read, of all resources. */
  get stamp(): string {
    const [first = this.#start, ...others] = this.#progress.map(({ place }) => place.stamp)
    return others.reduce((a, b) => (a < b ? a : b), first)
  }

  /** Reads again what is newer, for somebody who has seen nothing beyond this stamp. */
  rewind(stamp: string): void {
    for (const part of this.#progress) {
      part.place = { stamp: stamp < part.place.stamp ? stamp : part.place.stamp, cursor: undefined }
      part.sent = new Set()
      part.beyond = new Set()
    }
  }

  /**
   * Reads each resource up to the safe point, always a page of the one that is furthest behind, so that ids go on also
   * on a long way. A frame is held back until it is known whether another one follows: the last one tells how far it went.
   * @throws the database's errors; nothing of what was read before is lost, and the next call goes on.
   */
  async *advance(safePoint: string): AsyncGenerator<Frame> {
    const pending = new Set(this.#progress)
    let held: Frame | undefined
    try {
      for (let part = leastOf(pending); part; part = leastOf(pending)) {
        const texts = await this.#readPage(part, safePoint)
        if (part.place.cursor === undefined) pending.delete(part)
        for (const text of texts) {
          if (held) yield held
          held = { text, id: undefined }
        }
        if (held) held = { ...held, id: this.stamp }
      }
    } catch (error) {
      if (held) yield held
      throw error
    }
    if (held) yield held
  }

  async #readPage(part: Progress, safePoint: string): Promise<string[]> {
    const { changes, place } = await part.source.read(part.place, safePoint)
    const unsent = changes.filter(({ modified }) => modified === undefined || !part.sent.has(modified))
    for (const stamp of stampsBeyond(changes, place.cursor === undefined ? place.stamp : safePoint))
      part.beyond.add(stamp)
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
  for (const part of parts) if (!least || part.place.stamp < least.place.stamp) least = part
  return least
}

function stampsBeyond(changes: readonly Change[], stamp: string): string[] {
  return changes.flatMap(({ modified }) => (modified !== undefined && modified > stamp ? [modified] : []))
}
