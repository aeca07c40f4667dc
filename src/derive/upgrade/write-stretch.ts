import type { Database } from '../../db/database.ts'
import type { LockedDevice } from '../../db/shards/locked-devices.ts'
import { type Transaction, writeTransaction } from '../../db/transaction.ts'
import type { DeviceId } from '../../model/sample.ts'
import { holdKeptSince, readStretch } from '../../store/index.ts'
import { reconcileAssignments } from '../assignments/rows/reconcile.ts'
import type { Backlog } from '../backlog/backlog.ts'
import { lockUpToDateDevice } from '../backlog/take-shards.ts'
import { type DeviceRecord, readDeviceRecords } from '../device-records/device-records.ts'
import { renewFoldState } from '../device-records/fold-states.ts'
import { isStretchUntouched, writeFoldedByNow, writeFoldedTo } from '../device-records/refolds.ts'
import type { FoldedAgain } from '../out-of-order/folding.ts'
import { writeFoldedAgain } from '../out-of-order/refold.ts'
import { serialiseState } from '../trips/derive/state.ts'
import { renewCheckpoint } from '../trips/rows/checkpoints.ts'
import { canCutAt, type FoldedStretch } from './fold-stretch.ts'

/** More of the history follows; all of it is done; or something changed in the meantime, and nothing was written. */
export type StretchOutcome = 'more' | 'done' | 'overtaken'

/**
 * Writes a refolded stretch, with everything that follows from it, in one transaction that holds the device.
 * @param read returns the stretch: folded before, or in this transaction; undefined when nothing is left to do
 */
export function writeStretch(
  database: Database,
  deviceId: DeviceId,
  read: (transaction: Transaction) => Promise<FoldedStretch | undefined>,
  backlog?: Backlog,
): Promise<StretchOutcome> {
  return writeTransaction(database, async transaction => {
    const locked = await lockUpToDateDevice(transaction, deviceId, backlog)
    const stretch = await read(transaction)
    return stretch ? writeHeld(locked, stretch) : 'done'
  })
}

async function writeHeld(locked: LockedDevice, stretch: FoldedStretch): Promise<StretchOutcome> {
  const { transaction, deviceId } = locked
  const record = (await readDeviceRecords(transaction, [deviceId])).get(deviceId)
  if (!record || !(await isStillSo(locked, record, stretch))) return 'overtaken'
  const { start } = stretch
  if (start.state) await renewCheckpoint(locked, { beforeMs: start.fromMs, state: serialiseState(start.state) })
  const again = await foldedWhole(transaction, deviceId, stretch)
  if (!again) {
    if (record.fold) await renewFoldState(locked, serialiseState(record.fold))
    await writeFoldedByNow(locked)
    return 'done'
  }
  const { areVinRunsChanged } = await writeFoldedAgain(locked, record, again)
  const isCut = again.end.kind === 'cut'
  if (isCut) await writeFoldedTo(locked, again.toMs)
  else await writeFoldedByNow(locked)
  // What follows from rules may be due again in another car.
  if (areVinRunsChanged) await reconcileAssignments(locked)
  return isCut ? 'more' : 'done'
}

/** Whether everything the stretch relied on is unchanged. Out-of-order samples that are not folded yet will correct it later. */
async function isStillSo(locked: LockedDevice, record: DeviceRecord, stretch: FoldedStretch): Promise<boolean> {
  const { fromMs, keptSinceMs, contextKey, end } = stretch
  const beforeMs = end.kind === 'cut' ? end.again.toMs : end.nextMs
  return (
    (await isStretchUntouched(locked, { fromMs, beforeMs })) &&
    (await holdKeptSince(locked.transaction)) === keptSinceMs &&
    record.contextKey === contextKey &&
    (end.kind === 'nearly all' || canCutAt(end.again.tripsToMs, record))
  )
}

/** Does not modify the stretch: after a deadlock, the transaction runs again. @returns undefined when there is no sample */
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
