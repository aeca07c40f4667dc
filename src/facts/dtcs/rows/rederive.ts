import { holdKeptSince } from '../../../db/samples/kept-since.ts'
import { readOldestWith } from '../../../db/samples/newest.ts'
import type { HeldDevice } from '../../../db/shards/held-devices.ts'
import type { Transaction } from '../../../db/transaction.ts'
import type { Assignment } from '../../device-records/device-records.ts'
import { differenceOf } from '../derive/difference.ts'
import { withStretch } from '../derive/intervals.ts'
import { type CodeList, LIST_KINDS, listTextIn, listType, readList } from '../derive/list.ts'
import { type PlaceChanges, writeIntervalChanges } from './changes.ts'
import { type ListSeries, placeOf, readIntervals, readMisplaced } from './rows.ts'

/**
 * Works the codes of a device out anew from all its samples and writes what differs from what was stored. Codes that
 * began before all samples are kept stay: what they follow from is gone.
 * @param assignments all of the device
 * @returns what differed; empty when all was right.
 */
export async function rederiveDtcs(held: HeldDevice, assignments: readonly Assignment[]): Promise<PlaceChanges[]> {
  const { transaction, deviceId } = held
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
  await writeIntervalChanges(held, found)
  return found
}

async function changesOfSeries(transaction: Transaction, series: ListSeries, fromMs: number): Promise<PlaceChanges> {
  const [stored = []] = await readIntervals(transaction, [{ ...series, fromMs }])
  const lists = await readLists(transaction, series, fromMs)
  return { ...placeOf(series), ...differenceOf(stored, withStretch(stored, { fromMs, lists, goesOn: false })) }
}

/** The lists of a series, without those that repeat the one before. */
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
