import type { LockedDevice } from '../../../db/shards/locked-devices.ts'
import type { Transaction } from '../../../db/transaction.ts'
import { holdKeptSince, readOldestWith } from '../../../store/index.ts'
import type { Assignment } from '../../device-records.ts'
import { differenceOf } from '../derive/difference.ts'
import { withStretch } from '../derive/intervals.ts'
import { type CodeList, LIST_KINDS, listTextIn, listType, readList } from '../derive/list.ts'
import { type PlaceChanges, writeIntervalChanges } from './changes.ts'
import { type ListSeries, placeOf, readIntervals, readMisplaced } from './rows.ts'

/**
 * Derives the codes of a device again from all its samples and writes the differences. Codes that began before the oldest kept
 * sample stay as they are, because their samples are gone.
 * @param assignments all of the device
 * @returns the differences; empty if there were none.
 */
export async function rederiveDtcs(locked: LockedDevice, assignments: readonly Assignment[]): Promise<PlaceChanges[]> {
  const { transaction, deviceId } = locked
  const keptSinceMs = await holdKeptSince(transaction)
  const misplaced = await readMisplaced(transaction, deviceId, assignments, keptSinceMs)
  const changes: PlaceChanges[] = misplaced.map(({ interval, ...place }) => ({
    ...place,
    added: [],
    changed: [],
    retracted: [interval],
  }))
  for (const assignment of assignments)
    for (const kind of LIST_KINDS)
      changes.push(await changesOfSeries(transaction, { deviceId, assignment, kind }, keptSinceMs))
  const found = changes.filter(({ added, changed, retracted }) => added.length + changed.length + retracted.length > 0)
  await writeIntervalChanges(locked, found)
  return found
}

async function changesOfSeries(transaction: Transaction, series: ListSeries, fromMs: number): Promise<PlaceChanges> {
  const [stored = []] = await readIntervals(transaction, [{ ...series, fromMs }])
  const lists = await readLists(transaction, series, fromMs)
  return { ...placeOf(series), ...differenceOf(stored, withStretch(stored, { fromMs, lists, goesOn: false })) }
}

/** The lists of a series, without those that repeat their predecessor. */
async function readLists(
  transaction: Transaction,
  { deviceId, assignment, kind }: ListSeries,
  sinceMs: number,
): Promise<CodeList[]> {
  const lists: CodeList[] = []
  const range = { deviceId, fromMs: Math.max(assignment.fromMs, sinceMs), toMs: assignment.toMs }
  let before: string | undefined
  for await (const sample of readOldestWith(transaction, [listType(kind)], range)) {
    const text = listTextIn(sample, kind) ?? ''
    if (text !== before) lists.push(readList(sample.timeMs, text))
    before = text
  }
  return lists
}
