import type { Database } from '../../db/database.ts'
import { type Transaction, writeTransaction } from '../../db/transaction.ts'
import { type ErasureOutcome, type ErasureRequest, eraseDevice } from '../../fleet/erase-device.ts'
import { lockUpToDateDevice } from '../backlog/take-shards.ts'
import { touchVehicles } from '../trips/rows/reconcile-vehicles.ts'

/** Erases a dongle, with everything that follows from it in the same transaction (docs/adr/0023). */
export function deleteDevice(database: Database, request: ErasureRequest): Promise<ErasureOutcome> {
  return writeTransaction(database, transaction => deleteWithin(transaction, request))
}

/** The same within a transaction. */
export async function deleteWithin(transaction: Transaction, request: ErasureRequest): Promise<ErasureOutcome> {
  const outcome = await eraseDevice(await lockUpToDateDevice(transaction, request.deviceId), request)
  if (outcome.kind === 'erased') touchVehicles(transaction, outcome.vehicleIds)
  return outcome
}
