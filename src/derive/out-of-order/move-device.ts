import type { Database } from '../../db/database.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { type MoveOutcome, type MoveRequest, recordMove } from '../../fleet/provisioning/record-move.ts'
import { holdDevice } from '../backlog/take-shards.ts'
import { reconcileHeld } from './reconcile.ts'

/** Puts a dongle into another car, with everything that follows from it in the same transaction (docs/adr/0011). */
export function moveDevice(database: Database, request: MoveRequest): Promise<MoveOutcome> {
  return writeTransaction(database, async transaction => {
    const held = await holdDevice(transaction, request.deviceId)
    const outcome = await recordMove(held, request)
    if (outcome.kind === 'moved') await reconcileHeld(held)
    return outcome
  })
}
