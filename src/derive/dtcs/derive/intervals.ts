import { faultOf, type ReportedCode } from './entry.ts'
import type { CodeList } from './list.ts'

/**
 * A fault from the first list that contains it until the first later list of that kind without it (decisions.md, *Vehicles
 * and devices*), in the spelling of that first list.
 */
export interface CodeInterval extends ReportedCode {
  readonly recordedMs: number
  /** undefined while it is current. */
  readonly deletedMs: number | undefined
}

/**
 * The intervals that follow from lists of one kind.
 * @param lists ascending by time, each instant once
 * @param before the intervals that are current before the first list; their `deletedMs` is ignored
 * @returns those of `before` and the new ones, with the ends that the lists gave them.
 */
export function intervalsOf(lists: readonly CodeList[], before: readonly CodeInterval[] = []): CodeInterval[] {
  const ended: CodeInterval[] = []
  let current = new Map(before.map(interval => [faultOf(interval), { ...interval, deletedMs: undefined }]))
  for (const { timeMs, codes } of lists) {
    const next: typeof current = new Map()
    for (const code of codes) {
      const fault = faultOf(code)
      next.set(fault, current.get(fault) ?? { ...code, recordedMs: timeMs, deletedMs: undefined })
    }
    for (const [fault, interval] of current) if (!next.has(fault)) ended.push({ ...interval, deletedMs: timeMs })
    current = next
  }
  return [...ended, ...current.values()]
}

/** Whether a list contains exactly what is current at its time, so that it changes nothing, added or in place of another one. */
export function isAsKnown({ timeMs, codes }: CodeList, intervals: readonly CodeInterval[]): boolean {
  const current = new Map(
    intervals.filter(interval => isCurrent(interval, timeMs)).map(interval => [faultOf(interval), interval]),
  )
  return (
    codes.length === current.size &&
    codes.every(code => {
      const known = current.get(faultOf(code))
      if (known?.recordedMs !== timeMs) return known !== undefined
      return known.encoded === code.encoded && known.encoding === code.encoding
    })
  )
}

/** Lists from which intervals are derived again. */
export interface Stretch {
  /** Everything that began or ended from here on follows from `lists` alone. */
  readonly fromMs: number
  /** All lists from `fromMs` on, ascending, up to the last one or to one that did not change. */
  readonly lists: readonly CodeList[]
  /** Whether there are later lists. Then the last one here did not change, so everything after it stays as it was. */
  readonly goesOn: boolean
}

/** The intervals of a series after the lists in a stretch of time changed, given the stored intervals. */
export function withStretch(
  intervals: readonly CodeInterval[],
  { fromMs, lists, goesOn }: Stretch,
): readonly CodeInterval[] {
  const lastMs = (goesOn ? lists.at(-1)?.timeMs : undefined) ?? Number.POSITIVE_INFINITY
  const isOutside = ({ recordedMs, deletedMs }: CodeInterval) =>
    recordedMs > lastMs || (deletedMs !== undefined && deletedMs < fromMs)
  const inside = intervals.filter(interval => !isOutside(interval))
  const laterEnds = new Map(
    inside.filter(interval => isCurrent(interval, lastMs)).map(interval => [faultOf(interval), interval.deletedMs]),
  )
  const derived = intervalsOf(
    lists,
    inside.filter(({ recordedMs }) => recordedMs < fromMs),
  )
  return [
    ...intervals.filter(isOutside),
    ...derived.map(interval => ({ ...interval, deletedMs: interval.deletedMs ?? laterEnds.get(faultOf(interval)) })),
  ]
}

function isCurrent({ recordedMs, deletedMs }: CodeInterval, timeMs: number): boolean {
  return recordedMs <= timeMs && (deletedMs === undefined || timeMs < deletedMs)
}
