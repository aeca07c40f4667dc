import type { LockedDevices } from '../../../db/shards/locked-devices.ts'
import type { Transaction } from '../../../db/transaction.ts'
import { holdKeptSince, readOldestWith } from '../../../store/index.ts'
import { differenceOf, type StoredInterval } from '../derive/difference.ts'
import { type CodeInterval, isAsKnown, type Stretch, withStretch } from '../derive/intervals.ts'
import { type CodeList, listTextIn, listType, readList } from '../derive/list.ts'
import { type PlaceChanges, writeIntervalChanges } from './changes.ts'
import { type ListSeries, placeOf, readIntervals } from './rows.ts'

/** The lists of a series in changed samples; at least one. */
export interface ChangedSeries extends ListSeries {
  /** Ascending. */
  readonly lists: readonly [CodeList, ...CodeList[]]
  /** The time of the newest list of the series before them; undefined when there was none. */
  readonly newestMs: number | undefined
}

/**
 * Updates the codes after lists changed. Reads only what the changed lists can affect: from each of them to the next list
 * that did not change.
 * The samples are stored already.
 */
export async function applyDtcLists(locked: LockedDevices, changed: readonly ChangedSeries[]): Promise<void> {
  if (changed.length === 0) return
  const { transaction } = locked
  const stored = await readIntervals(
    transaction,
    changed.map(series => ({ ...series, fromMs: series.lists[0].timeMs })),
  )
  const keptSinceMs = changed.some(hasOutOfOrderLists) ? await holdKeptSince(transaction) : Number.NEGATIVE_INFINITY
  const changes: PlaceChanges[] = []
  for (const [index, series] of changed.entries()) {
    const before = stored[index] ?? []
    const after = await intervalsAfter(transaction, series, before, keptSinceMs)
    changes.push({ ...placeOf(series), ...differenceOf(before, after) })
  }
  await writeIntervalChanges(locked, changes)
}

/** Whether all lists from there on are among the changed ones. */
function isInOrder({ newestMs }: ChangedSeries, timeMs: number): boolean {
  return newestMs === undefined || timeMs >= newestMs
}

function hasOutOfOrderLists(series: ChangedSeries): boolean {
  return !isInOrder(series, series.lists[0].timeMs)
}

/** Between changed lists that are closer than this, all lists are read at once. */
const SAME_STRETCH_MS = 24 * 3_600_000

async function intervalsAfter(
  transaction: Transaction,
  series: ChangedSeries,
  stored: readonly StoredInterval[],
  keptSinceMs: number,
): Promise<readonly CodeInterval[]> {
  let intervals: readonly CodeInterval[] = stored
  // Codes from before retention can not be derived again, because their lists are gone.
  const lists = series.lists.filter(({ timeMs }) => timeMs >= keptSinceMs || isInOrder(series, timeMs))
  // A list that arrives out of order mostly repeats what was known; then nothing has to be read.
  const firstTelling = lists.findIndex(list => !isAsKnown(list, stored))
  let pending = firstTelling < 0 ? [] : lists.slice(firstTelling)
  while (true) {
    const [first] = pending
    if (!first) return intervals
    if (isInOrder(series, first.timeMs))
      return withStretch(intervals, { fromMs: first.timeMs, lists: pending, goesOn: false })
    const stretch = await readStretchOfLists(transaction, series, pending)
    intervals = withStretch(intervals, stretch)
    const lastMs = stretch.lists.at(-1)?.timeMs ?? first.timeMs
    pending = stretch.goesOn ? pending.filter(({ timeMs }) => timeMs > lastMs) : []
  }
}

/** All lists from the first changed one up to one that did not change and is well before the next changed one. */
async function readStretchOfLists(
  transaction: Transaction,
  { deviceId, assignment, kind }: ListSeries,
  changed: readonly CodeList[],
): Promise<Stretch> {
  const changedMs = changed.map(({ timeMs }) => timeMs)
  const fromMs = changedMs[0] ?? assignment.fromMs
  let next = 0
  const lists: CodeList[] = []
  const samples = readOldestWith(transaction, [listType(kind)], { deviceId, fromMs, toMs: assignment.toMs })
  for await (const sample of samples) {
    const { timeMs } = sample
    lists.push(readList(timeMs, listTextIn(sample, kind) ?? ''))
    if (timeMs === changedMs[next]) next++
    else if ((changedMs[next] ?? Number.POSITIVE_INFINITY) > timeMs + SAME_STRETCH_MS)
      return { fromMs, lists, goesOn: true }
  }
  return { fromMs, lists, goesOn: false }
}
