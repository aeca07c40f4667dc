/** Everything that was committed by an instant is before this place of the write-ahead log. */
interface Mark {
  readonly atMs: number
  /** As PostgreSQL writes it, such as `16/B374D848`. */
  readonly lsn: string
}

/** With one a second, a replica that is farther behind than these is known as soon as it has caught up to the oldest. */
const MOST = 120

/** Until which instant a replica has everything, from places in the log that were noted when they were written. */
export class Marks {
  #marks: Mark[] = []
  #replayedMs: number | undefined

  /** Ascending in both. */
  add(mark: Mark): void {
    if (this.#marks.length === MOST) this.#marks.pop()
    this.#marks.push(mark)
  }

  /** Places that are not known to be replayed, ascending. */
  get lsns(): readonly string[] {
    return this.#marks.map(({ lsn }) => lsn)
  }

  /** The first so many of them are replayed. */
  replayed(count: number): void {
    const last = this.#marks.splice(0, count).at(-1)
    if (last) this.#replayedMs = last.atMs
  }

  /** Everything that was committed by then is replayed; undefined when nothing is known. */
  get replayedMs(): number | undefined {
    return this.#replayedMs
  }

  clear(): void {
    this.#marks = []
    this.#replayedMs = undefined
  }
}
