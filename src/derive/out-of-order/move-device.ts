import type { Database } from '../../db/database.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { type MoveOutcome, type MoveRequest, recordMove } from '../../fleet/record-move.ts'
import { lockUpToDateDevice } from '../backlog/take-shards.ts'
import { reconcileHeld } from './reconcile.ts'

/** Puts a dongle into another car, with everything that follows from it in the same transaction (docs/adr/0011). */
export function moveDevice(database: Database, request: MoveRequest): Promise<MoveOutcome> {
  return writeTransaction(database, async transaction => {
    const locked = await lockUpToDateDevice(transaction, request.deviceId)
    const outcome = await recordMove(locked, request)
    if (outcome.kind === 'moved') await reconcileHeld(locked)
    return outcome
  })
}
