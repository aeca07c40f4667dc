import type { SampleSource } from '../sample-source.ts'
import type { UnpackedBody } from './unpacked-body.ts'

/** So many values of each database are remembered at most: a day of one record a second. */
const MOST_VALUES = 2_000_000
/** What a day counts for at least, so that there are not too many of them. */
const LEAST_OF_A_DAY = 2000

const ofDatabases = new WeakMap<object, RememberedDays>()

/** Sealed days that were read lately, by their version: whoever reads a day in pieces needs not fetch and unpack it for each. */
export class RememberedDays {
  /** The longest unused first. */
  readonly #days = new Map<number, { readonly body: UnpackedBody; readonly values: number }>()
  #values = 0

  /** Those of a database, for which its layouts stand. */
  static of({ layouts }: SampleSource): RememberedDays {
    const known = ofDatabases.get(layouts) ?? new RememberedDays()
    ofDatabases.set(layouts, known)
    return known
  }

  /** As they are now. */
  snapshot(): ReadonlyMap<number, UnpackedBody> {
    return new Map([...this.#days].map(([version, { body }]) => [version, body]))
  }

  /** A day, if it is remembered. */
  get(version: number): UnpackedBody | undefined {
    return this.#days.get(version)?.body
  }

  /** Remembers a day that is used now, and forgets the longest unused ones. */
  note(version: number, body: UnpackedBody, valuesCount: number): void {
    this.#forget(version)
    const values = Math.max(LEAST_OF_A_DAY, valuesCount)
    this.#days.set(version, { body, values })
    this.#values += values
    for (const oldest of this.#days.keys()) {
      if (this.#values <= MOST_VALUES) return
      this.#forget(oldest)
    }
  }

  #forget(version: number): void {
    this.#values -= this.#days.get(version)?.values ?? 0
    this.#days.delete(version)
  }
}
