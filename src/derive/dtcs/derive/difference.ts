import { faultOf } from './entry.ts'
import type { CodeInterval } from './intervals.ts'

/** An interval as it is stored. */
export interface StoredInterval extends CodeInterval {
  readonly id: number
}

/** What must be written so that the stored intervals become the derived ones. */
export interface IntervalChanges {
  readonly added: readonly CodeInterval[]
  /** Under the ids they had. */
  readonly changed: readonly StoredInterval[]
  /** Intervals that no list supports any more. */
  readonly retracted: readonly StoredInterval[]
}

/**
 * Compares intervals of one kind of list. An interval that overlaps a stored one of the same fault keeps its id. After a merge the
 * id of the earliest part is kept; after a split the earliest part keeps the id.
 */
export function differenceOf(stored: readonly StoredInterval[], derived: readonly CodeInterval[]): IntervalChanges {
  const left = new Map<string, StoredInterval[]>()
  for (const interval of [...stored].sort(byStart)) {
    const fault = faultOf(interval)
    const others = left.get(fault)
    if (others) others.push(interval)
    else left.set(fault, [interval])
  }
  const added: CodeInterval[] = []
  const changed: StoredInterval[] = []
  for (const interval of [...derived].sort(byStart)) {
    const candidates = left.get(faultOf(interval)) ?? []
    const index = candidates.findIndex(candidate => overlaps(candidate, interval))
    const [kept] = index < 0 ? [] : candidates.splice(index, 1)
    if (!kept) added.push(interval)
    else if (!isSame(kept, interval)) changed.push({ ...interval, id: kept.id })
  }
  return { added, changed, retracted: [...left.values()].flat() }
}

function byStart(a: CodeInterval, b: CodeInterval): number {
  return a.recordedMs - b.recordedMs
}

function overlaps(a: CodeInterval, b: CodeInterval): boolean {
  return a.recordedMs < endOf(b) && b.recordedMs < endOf(a)
}

function endOf({ deletedMs }: CodeInterval): number {
  return deletedMs ?? Number.POSITIVE_INFINITY
}

function isSame(a: CodeInterval, b: CodeInterval): boolean {
  return (
    a.recordedMs === b.recordedMs && a.deletedMs === b.deletedMs && a.encoded === b.encoded && a.encoding === b.encoding
  )
}
