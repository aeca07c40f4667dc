import type { Transaction } from '../db/transaction.ts'
import { settleVehicles, type TouchedTrip } from '../facts/trips/rows/settle-vehicles.ts'
import type { DeviceEntry } from '../fleet/provisioning/device-entry.ts'
import { type EntryOptions, type EntryOutcome, enterDevices } from '../fleet/provisioning/enter-devices.ts'
import { holdDevices } from './waiting/take-lanes.ts'

/** Enters dongles and their cars, all or none, with what follows from it for those that have reported. */
export async function admitDevices(
  transaction: Transaction,
  entries: readonly DeviceEntry[],
  options: Omit<EntryOptions, 'hold'>,
): Promise<EntryOutcome> {
  const touched: TouchedTrip[] = []
  const outcome = await enterDevices(transaction, entries, {
    ...options,
    hold: async deviceIds => void touched.push(...(await holdDevices(transaction, deviceIds))),
  })
  await settleVehicles(transaction, touched)
  return outcome
}
