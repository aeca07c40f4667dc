import { faultOf, type ReportedCode } from './entry.ts'
import type { CodeList } from './list.ts'

/**
 * A fault from the first list that has it until the first later list of that kind without it (decisions.md, *Vehicles
 * and devices*), written as that first list has it.
 */
export interface CodeInterval extends ReportedCode {
  readonly recordedMs: number
  /** undefined while it is current. */
  readonly deletedMs: number | undefined
}

/**
 * The intervals that follow from lists of one kind.
 * @param lists ascending by time, each instant once
 * @param before the intervals that are current before the first list; their `deletedMs` is not looked at
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

/** Whether a list found at its time exactly what is current then: adding it changes nothing. */
export function isAsKnown({ timeMs, codes }: CodeList, intervals: readonly CodeInterval[]): boolean {
  const current = new Set(intervals.filter(interval => isCurrent(interval, timeMs)).map(faultOf))
  return codes.length === current.size && codes.every(code => current.has(faultOf(code)))
}

/**
 * The intervals after some lists changed, given those before.
 * @param stretch all lists from the first that changed on, ascending: up to the last of all, or up to one that did not
 *   change and follows those that did
 * @param goesOn whether that last one did not change, so that what comes after it stands as it stood
 */
export function withStretch(
  intervals: readonly CodeInterval[],
  stretch: readonly CodeList[],
  goesOn: boolean,
): CodeInterval[] {
  const fromMs = stretch[0]?.timeMs ?? Number.POSITIVE_INFINITY
  const lastMs = (goesOn ? stretch.at(-1)?.timeMs : undefined) ?? Number.POSITIVE_INFINITY
  const isOutside = ({ recordedMs, deletedMs }: CodeInterval) =>
    recordedMs > lastMs || (deletedMs !== undefined && deletedMs < fromMs)
  const before = intervals.filter(interval => !isOutside(interval) && interval.recordedMs < fromMs)
  const ends = new Map(
    goesOn ? intervals.filter(item => isCurrent(item, lastMs)).map(item => [faultOf(item), item.deletedMs]) : [],
  )
  const derived = intervalsOf(stretch, before).map(interval =>
    interval.deletedMs === undefined ? { ...interval, deletedMs: ends.get(faultOf(interval)) } : interval,
  )
  return [...intervals.filter(isOutside), ...derived]
}

function isCurrent({ recordedMs, deletedMs }: CodeInterval, timeMs: number): boolean {
  return recordedMs <= timeMs && (deletedMs === undefined || timeMs < deletedMs)
}
