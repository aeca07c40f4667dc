import type { Database } from '../../db/database.ts'
import { holdKeptSince } from '../../db/samples/kept-since.ts'
import { readStretch } from '../../db/samples/stretch.ts'
import { type Transaction, writeTransaction } from '../../db/transaction.ts'
import { reconcileAssignments } from '../../facts/assignments/rows/reconcile.ts'
import { type DeviceRecord, readDeviceRecords } from '../../facts/device-records/device-records.ts'
import { renewFoldState } from '../../facts/device-records/fold-states.ts'
import { isStretchUntouched, writeFoldedByNow, writeFoldedTo } from '../../facts/device-records/refolds.ts'
import { serialiseState } from '../../facts/trips/derive/fold.ts'
import { renewCheckpoint } from '../../facts/trips/rows/checkpoints.ts'
import type { DeviceId } from '../../model/sample.ts'
import { holdDevices } from '../backlog/take-shards.ts'
import type { FoldedAgain } from '../out-of-order/folding.ts'
import { writeFoldedAgain } from '../out-of-order/refold.ts'
import { canCutAt, type FoldedStretch } from './fold-stretch.ts'

/** More of the history is to follow; all of it is done; or something changed meanwhile, and nothing was written. */
export type StretchOutcome = 'more' | 'done' | 'overtaken'

/**
 * Writes what a stretch tells, with everything that follows from it, in one transaction that holds the device.
 * @param read the stretch: folded before, or in this transaction; undefined when nothing is left to do
 */
export function writeStretch(
  database: Database,
  deviceId: DeviceId,
  read: (transaction: Transaction) => Promise<FoldedStretch | undefined>,
): Promise<StretchOutcome> {
  return writeTransaction(database, async transaction => {
    await holdDevices(transaction, [deviceId])
    const stretch = await read(transaction)
    return stretch ? writeHeld(transaction, deviceId, stretch) : 'done'
  })
}

async function writeHeld(
  transaction: Transaction,
  deviceId: DeviceId,
  stretch: FoldedStretch,
): Promise<StretchOutcome> {
  const record = (await readDeviceRecords(transaction, [deviceId])).get(deviceId)
  if (!record || !(await isStillSo(transaction, record, stretch))) return 'overtaken'
  const { start } = stretch
  if (start.state)
    await renewCheckpoint(transaction, deviceId, { beforeMs: start.fromMs, state: serialiseState(start.state) })
  const again = await foldedWhole(transaction, deviceId, stretch)
  if (!again) {
    if (record.fold) await renewFoldState(transaction, deviceId, serialiseState(record.fold))
    await writeFoldedByNow(transaction, deviceId)
    return 'done'
  }
  const { areVinRunsChanged } = await writeFoldedAgain(transaction, record, again)
  if (areVinRunsChanged) await reconcileAssignments(transaction, deviceId)
  if (again.end.kind === 'cut') {
    await writeFoldedTo(transaction, deviceId, again.toMs)
    return 'more'
  }
  await writeFoldedByNow(transaction, deviceId)
  return 'done'
}

/** Whether all that the stretch relied on is as it was. Out-of-order samples that are not folded yet will correct what it tells. */
async function isStillSo(transaction: Transaction, record: DeviceRecord, stretch: FoldedStretch): Promise<boolean> {
  const { fromMs, keptSinceMs, movesMs, end } = stretch
  const beforeMs = end.kind === 'cut' ? end.again.toMs : end.nextMs
  return (
    (await isStretchUntouched(transaction, record.deviceId, { fromMs, beforeMs })) &&
    (await holdKeptSince(transaction)) === keptSinceMs &&
    record.movesMs.join() === movesMs.join() &&
    (end.kind === 'nearly all' || canCutAt(end.again.tripsToMs, record))
  )
}

/** The stretch is left as it is: after a deadlock, the transaction is tried again. @returns undefined when there is no sample */
async function foldedWhole(
  transaction: Transaction,
  deviceId: DeviceId,
  { end }: FoldedStretch,
): Promise<FoldedAgain | undefined> {
  if (end.kind === 'cut') return end.again
  const folding = end.folding.copy()
  for await (const samples of readStretch(transaction, deviceId, end.nextMs))
    if (samples.length > 0) folding.take(folding.look(samples))
  return folding.toNewestSample()
}
