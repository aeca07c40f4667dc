import type { Database } from '../../db/database.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { type MoveOutcome, type MoveRequest, recordMove } from '../../fleet/provisioning/record-move.ts'
import { holdDevices } from '../backlog/take-shards.ts'
import { reconcileHeld } from './reconcile.ts'

/** Puts a dongle into another car, with everything that follows from it in the same transaction (docs/adr/0011). */
export function moveDevice(database: Database, request: MoveRequest): Promise<MoveOutcome> {
  const { deviceId } = request
  return writeTransaction(database, async transaction => {
    await holdDevices(transaction, [deviceId])
    const outcome = await recordMove(transaction, request)
    if (outcome.kind === 'moved') await reconcileHeld(transaction, deviceId)
    return outcome
  })
}
