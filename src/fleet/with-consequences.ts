import type { Database } from '../db/database.ts'
import { lockDevice } from '../db/shards.ts'
import { type Transaction, writeTransaction } from '../db/transaction.ts'
import { deriveCars, deriveSamples, lockDerived } from '../derive/derive.ts'
import { touchVehicles } from '../derive/trips/shared-cars.ts'
import { type Claim, dropClaims, keepClaims, readStaleClaims, reconcileReportedClaims } from './claims.ts'
import type { DeviceEntry } from './device-entry.ts'
import { type EntryOptions, type EntryOutcome, enterDevices, readConcerned } from './enter-devices.ts'
import { type ErasureOutcome, type ErasureRequest, eraseDevice } from './erase-device.ts'
import { type MoveOutcome, type MoveRequest, recordMove } from './record-move.ts'

/* Actions of operators and accounts on dongles, with everything that follows in the same transaction. */

/** Enters dongles and cars, all or none, and applies the consequences for those that have reported. */
export async function admitDevices(
  transaction: Transaction,
  entries: readonly DeviceEntry[],
  options: EntryOptions,
): Promise<EntryOutcome> {
  const locked = await lockDerived(transaction, await readConcerned(transaction, entries))
  return enterDevices(locked, entries, options)
}

export function moveDevice(database: Database, request: MoveRequest): Promise<MoveOutcome> {
  return writeTransaction(database, async transaction => {
    const locked = (await lockDerived(transaction, [request.deviceId])).device(request.deviceId)
    const outcome = await recordMove(locked, request)
    if (outcome.kind !== 'moved') return outcome
    await deriveSamples(locked)
    await deriveCars(locked)
    return outcome
  })
}

export function deleteDevice(database: Database, request: ErasureRequest): Promise<ErasureOutcome> {
  return writeTransaction(database, transaction => deleteWithin(transaction, request))
}

export async function deleteWithin(transaction: Transaction, request: ErasureRequest): Promise<ErasureOutcome> {
  const outcome = await eraseDevice(await lockDevice(transaction, request.deviceId), request)
  if (outcome.kind === 'erased') touchVehicles(transaction, outcome.vehicleIds)
  return outcome
}

/** Releases dongles that an account registered and that did not report for so many days: they may be another's. */
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
