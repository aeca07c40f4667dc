import type { Database } from '../db/database.ts'
import { writeTransaction } from '../db/transaction.ts'
import { type Claim, dropClaims, keepClaims, readStaleClaims, reconcileReportedClaims } from '../fleet/claims.ts'
import { deleteWithin } from './out-of-order/delete-device.ts'

/**
 * Releases dongles that an account registered by itself and that did not report within that many days: they may
 * belong to another account.
 * @returns the released ones.
 */
export async function releaseStaleClaims(database: Database, days: number): Promise<Claim[]> {
  await writeTransaction(database, reconcileReportedClaims)
  const released: Claim[] = []
  for (const claim of await readStaleClaims(database, days)) {
    const { deviceId, accountId } = claim
    const isReleased = await writeTransaction(database, async transaction => {
      const outcome = await deleteWithin(transaction, { deviceId, ownerId: accountId })
      if (outcome.kind === 'erased') await keepClaims(transaction, [claim], 'released')
      // An operator has given it to another account in the meantime: it is no claim any more.
      else await dropClaims(transaction, [deviceId])
      return outcome.kind === 'erased'
    })
    if (isReleased) released.push(claim)
  }
  return released
}
