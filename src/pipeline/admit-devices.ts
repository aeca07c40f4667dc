import type { Transaction } from '../db/transaction.ts'
import type { DeviceEntry } from '../fleet/provisioning/device-entry.ts'
import { type EntryOptions, type EntryOutcome, enterDevices } from '../fleet/provisioning/enter-devices.ts'
import { holdDevices } from './backlog/take-shards.ts'

/** Enters dongles and their cars, all or none, with what follows from it for those that have reported. */
export async function admitDevices(
  transaction: Transaction,
  entries: readonly DeviceEntry[],
  options: Omit<EntryOptions, 'hold'>,
): Promise<EntryOutcome> {
  return enterDevices(transaction, entries, {
    ...options,
    hold: deviceIds => holdDevices(transaction, deviceIds),
  })
}
