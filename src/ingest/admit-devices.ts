import type { Transaction } from '../db/transaction.ts'
import { lockUpToDate } from '../derive/backlog/take-shards.ts'
import type { DeviceEntry } from '../fleet/device-entry.ts'
import { type EntryOptions, type EntryOutcome, enterDevices, readConcerned } from '../fleet/enter-devices.ts'

/** Enters dongles and their cars, all or none, and applies the consequences for those that have reported. */
export async function admitDevices(
  transaction: Transaction,
  entries: readonly DeviceEntry[],
  options: EntryOptions,
): Promise<EntryOutcome> {
  const locked = await lockUpToDate(transaction, await readConcerned(transaction, entries))
  return enterDevices(locked, entries, options)
}
