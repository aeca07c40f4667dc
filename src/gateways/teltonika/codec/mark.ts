import { FIXED_SIZES, type Layout, type RecordFormat } from './layout.ts'

/** The bytes that are the same in every record of a layout: its counts and ids. Offsets count from the count of all elements. */
export interface Mark {
  readonly ats: Uint16Array
  readonly bytes: Uint8Array
  /** The end of such a record. */
  readonly end: number
}

/** @param layout without elements of variable length */
export function markOf({ ids, idsLength }: Layout, { idBytes, countBytes, hasVariable }: RecordFormat): Mark {
  const ats: number[] = []
  const bytes: number[] = []
  let at = 0
  const add = (value: number, size: 1 | 2) => {
    for (let shift = (size - 1) * 8; shift >= 0; shift -= 8) {
      ats.push(at++)
      bytes.push((value >>> shift) & 0xff)
    }
  }
  const groups = [...FIXED_SIZES, ...(hasVariable ? [0] : [])]
  // Each group begins with a count; all the rest are ids.
  add(idsLength - groups.length, countBytes)
  let word = 0
  for (const size of groups) {
    const count = ids[word++] ?? 0
    add(count, countBytes)
    for (let index = 0; index < count; index++) {
      add(ids[word++] ?? 0, idBytes)
      at += size
    }
  }
  return { ats: Uint16Array.from(ats), bytes: Uint8Array.from(bytes), end: at }
}

/**
 * Checks whether the elements that begin at `elements` are those of the mark, which is much faster than scanning them.
 * @returns their end; -1 when they differ, or do not end before `to`.
 */
export function endOfMarked(bytes: Uint8Array, elements: number, to: number, mark: Mark): number {
  const end = elements + mark.end
  if (end > to) return -1
  const { ats, bytes: expected } = mark
  for (let index = 0; index < ats.length; index++)
    if (bytes[elements + (ats[index] as number)] !== expected[index]) return -1
  return end
}
