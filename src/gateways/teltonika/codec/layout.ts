/** How the records of a codec are laid out; sizes in bytes. */
export interface RecordFormat {
  /** Size of an AVL id. */
  readonly idBytes: 1 | 2
  /** Size of each count of elements. */
  readonly countBytes: 1 | 2
  /** Bytes before the count of all elements: the event id, and in codec 16 the generation type. */
  readonly eventBytes: number
  /** Whether elements of variable length follow those of 1, 2, 4 and 8 bytes. */
  readonly hasVariable: boolean
}

export const FORMATS: ReadonlyMap<number, RecordFormat> = new Map([
  [0x08, { idBytes: 1, countBytes: 1, eventBytes: 1, hasVariable: false }],
  [0x8e, { idBytes: 2, countBytes: 2, eventBytes: 2, hasVariable: true }],
  [0x10, { idBytes: 2, countBytes: 1, eventBytes: 3, hasVariable: false }],
])

/** The sizes of elements, in the order in which their groups follow each other. */
export const FIXED_SIZES = [1, 2, 4, 8] as const

/** More elements than any device has; a record with more is refused. */
const MOST_ELEMENTS = 1024

/**
 * The elements of a record and their offsets, found by scanning their headers. One object is reused for all records,
 * so that scanning creates no garbage. `ids` of two records are equal when their elements are the same in the same order.
 */
export class Layout {
  /** For each group its count, then its ids. */
  readonly ids = new Uint16Array(MOST_ELEMENTS + FIXED_SIZES.length + 1)
  idsLength = 0
  /** Equal for equal `ids`, and seldom for others. */
  hash = 0
  /** The number of elements of variable length, and the start and end of their values, in order. */
  variableCount = 0
  readonly variableStarts: number[] = []
  readonly variableEnds: number[] = []

  /**
   * @param at offset of the count of all elements @param to end of the data
   * @returns the end of the record; -1 when it does not end before `to`, or its counts disagree
   */
  walk(view: DataView, at: number, to: number, format: RecordFormat): number {
    const { idBytes, countBytes } = format
    this.idsLength = 0
    this.hash = idBytes * 4 + countBytes
    this.variableCount = 0
    if (at + countBytes > to) return -1
    const total = countBytes === 1 ? view.getUint8(at) : view.getUint16(at)
    if (total > MOST_ELEMENTS) return -1
    let next = at + countBytes
    let missing = total
    for (const size of FIXED_SIZES) {
      if (next + countBytes > to) return -1
      const count = countBytes === 1 ? view.getUint8(next) : view.getUint16(next)
      next += countBytes
      missing -= count
      const step = idBytes + size
      if (missing < 0 || next + count * step > to) return -1
      this.#add(count)
      for (let index = 0; index < count; index++, next += step)
        this.#add(idBytes === 1 ? view.getUint8(next) : view.getUint16(next))
    }
    if (format.hasVariable) {
      if (next + 2 > to) return -1
      const count = view.getUint16(next)
      next += 2
      missing -= count
      if (missing < 0) return -1
      this.#add(count)
      this.variableCount = count
      for (let index = 0; index < count; index++) {
        if (next + 4 > to) return -1
        this.#add(view.getUint16(next))
        const start = next + 4
        next = start + view.getUint16(next + 2)
        if (next > to) return -1
        this.variableStarts[index] = start
        this.variableEnds[index] = next
      }
    }
    return missing === 0 ? next : -1
  }

  #add(word: number): void {
    this.ids[this.idsLength++] = word
    this.hash = (Math.imul(this.hash, 31) + word) | 0
  }
}
