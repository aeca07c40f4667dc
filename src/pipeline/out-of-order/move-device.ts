import type { Database } from '../../db/database.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { reconcileVehicles } from '../../facts/trips/rows/reconcile-vehicles.ts'
import { type MoveOutcome, type MoveRequest, recordMove } from '../../fleet/provisioning/record-move.ts'
import { holdDevices } from '../backlog/take-shards.ts'
import { reconcileHeld } from './reconcile.ts'

/** Puts a dongle into another car, with everything that follows from it in the same transaction (docs/adr/0011). */
export function moveDevice(database: Database, request: MoveRequest): Promise<MoveOutcome> {
  const { deviceId } = request
  return writeTransaction(database, async transaction => {
    const derived = await holdDevices(transaction, [deviceId])
    const outcome = await recordMove(transaction, request)
    const settled = outcome.kind === 'moved' ? await reconcileHeld(transaction, deviceId) : undefined
    await reconcileVehicles(transaction, [...derived, ...(settled ?? [])])
    return outcome
  })
}
